"""Local taxes in the totals of a PDF: their name and rate; the amounts are calculated by hand."""

import pytest

from modules.setup.constants import constant as value_of
from modules.setup.constants import set_constant
from tests.modules.invoices.printed import printed


@pytest.fixture
def company_in(server):
    """Let the company be in another country until the test ends."""
    before = value_of("MAIN_INFO_SOCIETE_COUNTRY")
    yield lambda country: set_constant("MAIN_INFO_SOCIETE_COUNTRY", country)
    set_constant("MAIN_INFO_SOCIETE_COUNTRY", before)


@pytest.mark.parametrize(
    ("country", "language", "lines", "expected"),
    [
        # 100.00 at -15 %
        ("4:ES:Spain", "es_ES", [{"tva_tx": 21, "product_type": 1, "localtax2_tx": -15}], ["IRPF 15 % -15,00 €"]),
        # 100.00 at 5.2 %
        ("4:ES:Spain", "en_US", [{"tva_tx": 21, "localtax1_tx": "5.2"}], ["Recargo de equivalencia 5.2% €5.20"]),
        # 100.00 at -15 % and -9 %
        (
            "4:ES:Spain",
            "en_US",
            [{"tva_tx": 21, "product_type": 1, "localtax2_tx": rate} for rate in (-15, -9)],
            ["IRPF 9% -€9.00", "IRPF 15% -€15.00"],
        ),
        # 100.00 at 9.975 %
        ("14:CA:Canada", "fr_FR", [{"tva_tx": 5, "localtax1_tx": "9.975"}], ["QST 9,975 % 9,98 €"]),
    ],
    ids=["withheld", "surcharge", "two rates", "Canada"],
)
def test_a_local_tax_has_its_name_and_rate(admin, company_in, country, language, lines, expected):
    company_in(country)
    socid = admin.ask(
        "POST", "/thirdparties", {"name": "Comprador", "client": 1, "country_id": int(country[:2].strip(":"))}
    )
    sold = [{"desc": "x", "qty": 1, "subprice": 100, **line} for line in lines]
    identifier = admin.ask("POST", "/invoices", {"socid": socid, "date": "2026-11-21", "lines": sold})
    text = printed(admin, identifier, language)
    for each in expected:
        assert each in text
    assert "ocal tax" not in text
