"""Every PDF of the matrix, checked: what is read, in which order, where, and what the electronic ones carry."""

import pytest
from facturx import get_xml_from_pdf, xml_check_xsd

from tests.modules.documents.matrix.building import making
from tests.modules.documents.matrix.cases import cases, covered, pairs
from tests.modules.documents.matrix.checking import CHECKS
from tests.modules.documents.pdfa.checker import check as violations
from tests.modules.invoices.facturx.electronic import broken_rules

# The PDFs take longer to make than a test that one waits for
slow = pytest.mark.slow


@pytest.fixture(scope="module")
def pdfs(tmp_path_factory):
    """All of them, made once."""
    return list(making(tmp_path_factory.mktemp("matrix"), cases()))


# Which PDFs there are -----------------------------------------------------------------------------------------------


def test_every_pair_that_can_be_meets():
    possible = {pair for pair, can_be in pairs().items() if can_be}
    assert covered(cases()) == possible
    # 10 standings, 7 contents, 6 templates, 5 companies, 5 recipients, 4 logos: 70+60+50+50+40 + 42+35+35+28 + ...
    assert len(pairs()) == 270 + 140 + 6 * 14 + 5 * 9 + 5 * 4
    # Without: 1 credit, 4 deposits and 1 zero by content; 6 standings of invoices and 1 of proposals by template
    assert len(pairs()) - len(possible) == 6 + 6 * 4 + 4
    assert 60 <= len(cases()) <= 80


# What is on them ------------------------------------------------------------------------------------------------------


@slow
@pytest.mark.parametrize("check", CHECKS)
def test_a_check_finds_nothing(pdfs, check):
    found = [f"{made.case.name}: {wrong}" for made in pdfs for wrong in CHECKS[check](made)]
    assert found == []


# What the electronic ones carry ---------------------------------------------------------------------------------------


@slow
def test_every_electronic_invoice_follows_the_norm(pdfs, tmp_path):
    electronic = [made for made in pdfs if made.xml]
    assert {made.case.company for made in electronic} == {"FR", "DE", "GB", "CH"}
    files = []
    for made in electronic:
        name, xml = get_xml_from_pdf(made.pdf, check_xsd=False)
        assert name == "factur-x.xml", made.case.name
        assert xml_check_xsd(xml, flavor="factur-x", level="en16931"), made.case.name
        files.append(tmp_path / f"{made.case.name}.xml")
        files[-1].write_bytes(xml)
    assert broken_rules(files) == ""


@pytest.mark.lasting
def test_every_pdf_is_pdf_a_3(pdfs):
    found = [f"{made.case.name}: {wrong}" for made in pdfs for wrong in violations(made.pdf)]
    assert found == []
