"""The XML of electronic invoices: the rules of EN 16931 (BR-..., BT-...) and the figures of the invoices themselves.

Every XML is checked against the official schema where it is made, and all of them against the norm's business rules at
the end. Sums are worked out by hand in the comments.
"""

import pytest

from modules.invoices.facturx.invoice import can_be_facturx, invoice_xml
from tests.modules.invoices.facturx.electronic import (
    BIC,
    BRITAIN,
    BUYER,
    DAY,
    FRANCE,
    GERMANY,
    HEAD,
    IBAN,
    LINE,
    MEANS,
    MONACO,
    PAID,
    PREFIXES,
    SELLER,
    SUMS,
    SWITZERLAND,
    Xml,
    broken_rules,
    read,
    refusal,
)


def test_every_figure_of_an_invoice(admin, make, xml):
    product = admin.ask("POST", "/products", {"ref": "P-1", "label": "Lamp", "price": "100", "tva_tx": "5.5"})
    identifier = make(
        {"desc": "Desk", "qty": 3, "subprice": "19.99", "tva_tx": 20, "remise_percent": 10, "fk_unit": 2},
        {"desc": "Chapter", "product_type": 9},
        {"fk_product": product, "qty": 2, "desc": "bright"},
        {"desc": "Oil", "qty": 7, "subprice": "9.99", "price_base_type": "TTC", "tva_tx": 20, "fk_unit": 26},
        {"desc": "Returned", "qty": -1, "subprice": 5, "tva_tx": 20, "remise_percent": "33.333"},
        {"desc": "Rebate", "qty": 1, "subprice": -5, "tva_tx": 20},
        {"desc": "Exempt", "qty": "1.5", "subprice": 4, "tva_tx": 0},
        cond_reglement_id=2, ref_client="PO-7", note_public="Thanks & goodbye",
    )  # fmt: skip
    found = xml(identifier)
    line = ".//ram:IncludedSupplyChainTradeLineItem"
    assert found.all(f"{line}//ram:LineID") == ["1", "2", "3", "4", "5", "6"]
    # 19.99 - 10 % = 17.991; 9.99 / 1.2 = 8.325; 5 - 33.333 % = 3.33335
    prices = f"{line}//ram:NetPriceProductTradePrice/ram:ChargeAmount"
    assert found.all(prices) == ["17.991", "100", "8.325", "3.33335", "5", "4"]
    assert found.all(f"{line}//ram:GrossPriceProductTradePrice/ram:ChargeAmount") == ["19.99", "5"]
    assert found.all(f"{line}//ram:AppliedTradeAllowanceCharge/ram:ActualAmount") == ["1.999", "1.66665"]
    assert found.all(f"{line}//ram:BilledQuantity") == ["3", "2", "7", "-1", "-1", "1.5"]
    units = [each.get("unitCode") for each in found.root.findall(f"{line}//ram:BilledQuantity", PREFIXES)]
    assert units == ["KGM", "C62", "LTR", "C62", "C62", "C62"]
    # 3 x 17.991 = 53.973; 7 x 8.325 = 58.275; -3.33335
    nets = f"{line}//ram:LineTotalAmount"
    assert found.all(nets) == ["53.97", "200.00", "58.28", "-3.33", "-5.00", "6.00"]
    assert found.all(f"{line}//ram:CategoryCode") == ["S", "S", "S", "S", "S", "E"]
    assert found.all(f"{line}//ram:RateApplicablePercent") == ["20", "5.5", "20", "20", "20", "0"]
    assert found.all(f"{line}//ram:Name") == ["Desk", "Lamp", "Oil", "Returned", "Rebate", "Exempt"]
    assert found.all(f"{line}//ram:SellerAssignedID") == ["P-1"]
    assert found.all(f"{line}//ram:Description") == ["bright"]
    # VAT of the lines at 20: 64.77 - 53.97 = 10.80; 69.93 - 58.28 = 11.65; -4.00 + 3.33 = -0.67; -1.00
    assert found.taxes() == [
        ("S", "20", "103.92", "20.78"), ("S", "5.5", "200.00", "11.00"), ("E", "0", "6.00", "0.00"),
    ]  # fmt: skip
    totals = {"LineTotalAmount": "309.92", "TaxBasisTotalAmount": "309.92", "TaxTotalAmount": "31.78"}
    assert found.sums() == totals | {"GrandTotalAmount": "341.70", "DuePayableAmount": "341.70"}
    record = read(identifier)
    assert [record[name] for name in ("total_ht", "total_tva", "total_ttc")] == [
        "309.92000000", "31.78000000", "341.70000000",
    ]  # fmt: skip
    assert found.attribute(f"{SUMS}/ram:TaxTotalAmount", "currencyID") == "EUR"
    assert found.one(f"{HEAD}/ram:InvoiceCurrencyCode") == "EUR"
    # What comes in is taken off what is due
    body = {"arrayofamounts": {str(identifier): "41.7"}, **PAID}
    admin.ask("POST", "/invoices/paymentsdistributed", body)
    paid = {"TotalPrepaidAmount": "41.70", "DuePayableAmount": "300.00", "GrandTotalAmount": "341.70"}
    assert xml(identifier).sums() == totals | paid


def test_the_head_of_an_invoice(make, xml):
    identifier = make(
        cond_reglement_id=2, ref_client="PO-7", note_public="Thanks & <b>goodbye</b>", date_pointoftax="2026-11-20"
    )
    found, reference = xml(identifier), read(identifier)["ref"]
    assert found.one(".//ram:GuidelineSpecifiedDocumentContextParameter/ram:ID") == "urn:cen.eu:en16931:2017"
    assert found.children("rsm:ExchangedDocument") == [("ID", reference), ("TypeCode", "380")]
    assert found.one(".//ram:IssueDateTime/udt:DateTimeString") == "20261121"
    assert found.all(".//ram:IncludedNote/ram:Content")[0] == "Thanks & goodbye"
    assert found.one(".//ram:BuyerReference") == "PO-7"
    assert found.one(".//ram:BuyerOrderReferencedDocument/ram:IssuerAssignedID") == "PO-7"
    assert found.one(f"{HEAD}/ram:PaymentReference") == reference
    terms = "Due in 30 days; No discount is granted for early payment."
    assert found.one(".//ram:SpecifiedTradePaymentTerms/ram:Description") == terms
    assert found.one(".//ram:DueDateDateTime/udt:DateTimeString") == "20261221"
    assert found.one(".//ram:TaxPointDate/udt:DateString") == "20261120"
    assert found.one(".//ram:InvoiceReferencedDocument") is None


def test_seller_and_buyer(invoiced):
    found = invoiced()
    address = f"{SELLER}/ram:PostalTradeAddress"
    assert found.one(f"{SELLER}/ram:Name") == "Comptoir & Fils"
    assert found.children(address) == [
        ("PostcodeCode", "69001"), ("LineOne", "1 rue <Neuve>"), ("LineTwo", "Bât. B"),
        ("LineThree", "3e étage porte 4"), ("CityName", "Lyon"), ("CountryID", "FR"),
    ]  # fmt: skip
    # A company is known by its SIREN (0002), the place it sells from by its SIRET (0009)
    for party, path, scheme, expected in (
        (SELLER, "ram:SpecifiedLegalOrganization/ram:ID", "0002", "123456789"),
        (SELLER, "ram:GlobalID", "0009", "12345678900012"),
        (SELLER, "ram:SpecifiedTaxRegistration/ram:ID", "VA", "FR32123456789"),
        (SELLER, "ram:URIUniversalCommunication/ram:URIID", "EM", "bills@comptoir.example"),
        (BUYER, "ram:SpecifiedLegalOrganization/ram:ID", "0002", "987654321"),
        (BUYER, "ram:SpecifiedTaxRegistration/ram:ID", "VA", "FR11987654321"),
        (BUYER, "ram:URIUniversalCommunication/ram:URIID", "EM", "in@buyer.example"),
    ):
        assert found.one(f"{party}/{path}") == expected
        assert found.attribute(f"{party}/{path}", "schemeID") == scheme
    assert found.one(f"{BUYER}/ram:Name") == "Käufer <&> Sœurs"
    assert found.one(f"{BUYER}/ram:PostalTradeAddress/ram:CountryID") == "FR"


@pytest.mark.parametrize(
    ("line", "price", "basis", "net"),
    [
        # 1 / 1.055 = 0.94787 (5 decimals), 10,000 of which would be 9478.70
        ({"qty": 10000, "subprice": 1, "price_base_type": "TTC", "tva_tx": "5.5"}, "9478.67", "10000", "9478.67"),
        # 3 x 33.333 x 30 % = 29.9997
        ({"qty": 3, "subprice": "33.333", "situation_percent": 30, "tva_tx": 20}, "30", "3", "30.00"),
        ({"qty": 3, "subprice": "33.333", "tva_tx": 20}, "33.333", None, "100.00"),
        ({"qty": 0, "subprice": 5, "tva_tx": 20}, "5", None, "0.00"),
        ({"qty": 2, "subprice": 5, "tva_tx": 20, "remise_percent": 100}, "0", None, "0.00"),
    ],
)
def test_price_and_quantity_make_the_amount(invoiced, line, price, basis, net):
    found = invoiced({"desc": "x", **line})
    assert found.one(".//ram:NetPriceProductTradePrice/ram:ChargeAmount") == price
    assert found.one(".//ram:BasisQuantity") == basis
    quantity = str(line["qty"])
    assert found.one(".//ram:BilledQuantity") == (f"-{quantity}" if net.startswith("-") else quantity)
    assert found.one(".//ram:SpecifiedTradeSettlementLineMonetarySummation/ram:LineTotalAmount") == net


def test_vat_rounded_by_line_and_by_rate(invoiced, constant):
    # 0.11 x 1.2 = 0.132: 0.02 of VAT on each of three; 20 % of 0.33 are 0.066
    lines = [{"desc": "x", "qty": 1, "subprice": "0.11", "tva_tx": 20}] * 3
    assert invoiced(*lines).taxes() == [("S", "20", "0.33", "0.06")]
    constant("MAIN_ROUNDOFTOTAL_NOT_TOTALOFROUND", "1")
    found = invoiced(*lines)
    assert found.taxes() == [("S", "20", "0.33", "0.07")]
    assert found.sums()["GrandTotalAmount"] == "0.40"


def test_vat_that_is_too_far_from_its_rate_is_refused(make, xml, constant):
    # 0.02 x 1.2 = 0.024: no VAT at all. The norm allows less than 1.00; 20 % of 4.96 are 0.99, of 4.98 they are 1.00
    line = {"desc": "x", "qty": 1, "subprice": "0.02", "tva_tx": 20}
    assert xml(make(*[line] * 248)).taxes() == [("S", "20", "4.96", "0.00")]
    assert "MAIN_ROUNDOFTOTAL_NOT_TOTALOFROUND" in str(refusal(make(*[line] * 249)))
    constant("MAIN_ROUNDOFTOTAL_NOT_TOTALOFROUND", "1")
    assert xml(make(*[line] * 249)).taxes() == [("S", "20", "4.98", "1.00")]


def test_stamp_duty_is_a_charge_without_vat(invoiced):
    found = invoiced(revenuestamp="1.6")
    # 60.00 and 12.00 of VAT
    assert found.sums() == {
        "LineTotalAmount": "60.00", "ChargeTotalAmount": "1.60", "TaxBasisTotalAmount": "61.60",
        "TaxTotalAmount": "12.00", "GrandTotalAmount": "73.60", "DuePayableAmount": "73.60",
    }  # fmt: skip
    assert found.taxes() == [("S", "20", "60.00", "12.00"), ("E", "0", "1.60", "0.00")]
    # The total of a credit note is -72.00 + 1.60
    credit = invoiced(type=2, revenuestamp="1.6").sums()
    assert (credit["AllowanceTotalAmount"], credit["GrandTotalAmount"]) == ("1.60", "70.40")


def test_the_coin_is_no_part_of_the_total(admin, invoiced, make, xml, constant):
    """BT-112 without the difference, BT-114 the difference, BT-115 what is due with it. 33.35 + 2.70 is 36.05; 17.17 +
    0.45 is 17.62; 53.67."""
    constant("MAIN_ROUNDING_RULE_TOT", "0.05")
    lines = [
        {"desc": "x", "qty": 1, "subprice": price, "tva_tx": rate}
        for price, rate in (("33.35", "8.1"), ("17.17", "2.6"))
    ]
    sums = {"LineTotalAmount": "50.52", "TaxBasisTotalAmount": "50.52", "TaxTotalAmount": "3.15"}
    sums |= {"RoundingAmount": "-0.02", "GrandTotalAmount": "53.67", "DuePayableAmount": "53.65"}
    identifier = make(*lines)
    assert xml(identifier).sums() == sums
    record = read(identifier)
    assert (record["total_ttc"], record["rounding_amount"]) == ("53.65000000", "-0.02000000")
    admin.ask("POST", "/invoices/paymentsdistributed", {"arrayofamounts": {str(identifier): "3.65"}, **PAID})
    assert xml(identifier).sums() == sums | {"TotalPrepaidAmount": "3.65", "DuePayableAmount": "50.00"}
    assert invoiced(*lines, type=2).sums() == sums


def test_vat_that_is_shown_and_not_charged(invoiced):
    found = invoiced({"desc": "x", "qty": 1, "subprice": 100, "tva_tx": 20, "info_bits": 1})
    assert found.taxes() == [("E", "0", "100.00", "0.00")]
    assert found.sums()["GrandTotalAmount"] == "100.00"
    # Beside a line whose VAT is: 50.00 × 20 % = 10.00
    found = invoiced(
        {"desc": "x", "qty": 1, "subprice": 100, "tva_tx": 20, "info_bits": 1},
        {"desc": "y", "qty": 1, "subprice": 50, "tva_tx": 20},
    )
    assert found.taxes() == [("E", "0", "100.00", "0.00"), ("S", "20", "50.00", "10.00")]
    sums = {"TaxBasisTotalAmount": "150.00", "TaxTotalAmount": "10.00", "GrandTotalAmount": "160.00"}
    assert found.sums() == found.sums() | sums


def test_an_option_is_billed(invoiced):
    option = {"desc": "y", "qty": 2, "subprice": 50, "tva_tx": 20, "special_code": 3}
    found = invoiced({"desc": "x", "qty": 1, "subprice": 100, "tva_tx": 20}, option)
    assert found.taxes() == [("S", "20", "200.00", "40.00")]
    assert found.sums()["GrandTotalAmount"] == "240.00"


def test_a_credit_note_has_positive_amounts(admin, make, xml):
    source = make(date="2026-10-31")
    identifier = make(
        {"desc": "Desk", "qty": 2, "subprice": "10.5", "tva_tx": 20, "remise_percent": 50},
        {"desc": "Free", "qty": 3, "subprice": 0},
        type=2, fk_facture_source=source,
    )  # fmt: skip
    found = xml(identifier)
    assert found.one("rsm:ExchangedDocument/ram:TypeCode") == "381"
    assert found.all(".//ram:NetPriceProductTradePrice/ram:ChargeAmount") == ["5.25", "0"]
    assert found.all(".//ram:BilledQuantity") == ["2", "3"]
    assert found.taxes() == [("S", "20", "10.50", "2.10"), ("E", "0", "0.00", "0.00")]
    sums = {"LineTotalAmount": "10.50", "TaxBasisTotalAmount": "10.50", "TaxTotalAmount": "2.10"}
    assert found.sums() == sums | {"GrandTotalAmount": "12.60", "DuePayableAmount": "12.60"}
    assert read(identifier)["total_ttc"] == "-12.60000000"
    before = f"{HEAD}/ram:InvoiceReferencedDocument"
    assert found.one(f"{before}/ram:IssuerAssignedID") == read(source)["ref"]
    assert found.one(f"{before}/ram:FormattedIssueDateTime/qdt:DateTimeString") == "20261031"
    # Paid back in part
    admin.ask("POST", "/invoices/paymentsdistributed", {"arrayofamounts": {str(identifier): "2.6"}, **PAID})
    assert xml(identifier).sums() == sums | {
        "GrandTotalAmount": "12.60", "TotalPrepaidAmount": "2.60", "DuePayableAmount": "10.00",
    }  # fmt: skip


def test_a_replacement_names_what_it_replaces(make, xml):
    source = make()
    found = xml(make(type=1, fk_facture_source=source))
    assert found.one("rsm:ExchangedDocument/ram:TypeCode") == "384"
    assert found.one(f"{HEAD}/ram:InvoiceReferencedDocument/ram:IssuerAssignedID") == read(source)["ref"]


def test_a_deposit_and_how_it_is_used(admin, make, xml):
    ids = [make({"desc": "Deposit", "qty": 1, "subprice": 30, "tva_tx": 20}, type=3) for _ in range(2)]
    assert xml(ids[0]).one("rsm:ExchangedDocument/ram:TypeCode") == "386"
    for each in ids:
        admin.ask("POST", f"/invoices/{each}/payments", PAID | {"closepaidinvoices": "yes"})
        admin.ask("POST", f"/invoices/{each}/markAsCreditAvailable")
    paid = {"TotalPrepaidAmount": "36.00", "DuePayableAmount": "0.00"}
    assert {name: xml(ids[0]).sums()[name] for name in paid} == paid
    discounts = [admin.get(f"/invoices/{each}/discount")["id"] for each in ids]
    # One is a line that takes 30.00 and its VAT away, the other pays 36.00 of what is due: 60 - 30, and 6.00 of VAT
    identifier = make(draft=True)
    admin.ask("POST", f"/invoices/{identifier}/usediscount/{discounts[0]}")
    admin.ask("POST", f"/invoices/{identifier}/validate")
    admin.ask("POST", f"/invoices/{identifier}/usecreditnote/{discounts[1]}")
    found = xml(identifier)
    assert found.all(".//ram:BilledQuantity") == ["3", "-1"]
    ref = admin.get(f"/invoices/{ids[0]}")["ref"]
    assert found.all(".//ram:SpecifiedTradeProduct/ram:Name") == ["Desk", f"Deposit {ref} of Nov 21, 2026"]
    assert found.taxes() == [("S", "20", "30.00", "6.00")]
    assert found.sums() == {
        "LineTotalAmount": "30.00", "TaxBasisTotalAmount": "30.00", "TaxTotalAmount": "6.00",
        "GrandTotalAmount": "36.00", "TotalPrepaidAmount": "36.00", "DuePayableAmount": "0.00",
    }  # fmt: skip


def test_drafts_and_proformas_are_none(make):
    for identifier in (make(draft=True), make(type=4)):
        assert not can_be_facturx(read(identifier))
        assert "draft" in str(refusal(identifier))
    assert can_be_facturx(read(make()))


def test_both_profiles_make_the_same(make):
    record = read(make(LINE, {"desc": "x", "qty": "2.5", "subprice": "1.1", "tva_tx": "5.5", "date_start": DAY}))

    def as_text(name, value):
        if name == "lines":
            return [{key: as_text(key, each) for key, each in line.items()} for line in value]
        if name.startswith("date"):
            return "" if value is None else value
        return None if name.startswith("totalpaid") else str(value) if isinstance(value, int) else value

    assert invoice_xml({name: as_text(name, value) for name, value in record.items()}) == invoice_xml(record)


INTRA = "VAT-exempt intra-Community supply (Article 138 of Directive 2006/112/EC)"
EXPORT = "Export outside the European Union, exempt from VAT"


@pytest.mark.parametrize(
    ("country", "number", "line", "category", "reason"),
    [
        (FRANCE, "", {}, "E", "Exempt from VAT"),
        (GERMANY, "DE123456789", {}, "K", INTRA),
        (GERMANY, "123456789", {"product_type": 1}, "AE", "Reverse charge"),
        (GERMANY, "", {}, "E", "Exempt from VAT"),
        # Not a VAT number
        (GERMANY, "siehe unten", {}, "E", "Exempt from VAT"),
        (GERMANY, "keine", {}, "E", "Exempt from VAT"),
        (MONACO, "FR12345678901", {}, "E", "Exempt from VAT"),
        (BRITAIN, "XI123456789", {}, "K", INTRA),
        (BRITAIN, "GB123456789", {}, "G", EXPORT),
        (SWITZERLAND, "", {}, "G", EXPORT),
        (SWITZERLAND, "CHE-123.456.789 MWST", {"product_type": 1}, "G", EXPORT),
        (SWITZERLAND, "", {"tva_tx": "0 (O)"}, "O", "Not subject to VAT"),
        (FRANCE, "", {"tva_tx": "0 (Z)"}, "Z", None),
    ],
)
def test_categories_where_no_vat_is_charged(admin, invoiced, country, number, line, category, reason):
    body = {"name": "Elsewhere", "client": 1, "country_id": country, "tva_intra": number, "town": "Ort"}
    found = invoiced({"desc": "x", "qty": 1, "subprice": 10, **line}, socid=admin.ask("POST", "/thirdparties", body))
    rate = None if category == "O" else "0"
    assert found.taxes() == [(category, rate, "10.00", "0.00")]
    assert found.one(f"{HEAD}/ram:ApplicableTradeTax/ram:ExemptionReason") == reason
    goes = ".//ram:ShipToTradeParty/ram:PostalTradeAddress/ram:CountryID"
    assert found.one(goes) == ({GERMANY: "DE", BRITAIN: "GB"}[country] if category == "K" else None)
    assert found.one(".//ram:OccurrenceDateTime/udt:DateTimeString") == ("20261121" if category == "K" else None)
    if category == "AE":
        assert found.one(f"{BUYER}/ram:SpecifiedTaxRegistration/ram:ID") == "DE123456789"
    # BR-O-02
    sold = found.one(f"{SELLER}/ram:SpecifiedTaxRegistration/ram:ID")
    assert sold == (None if category == "O" else "FR32123456789")


def test_a_seller_without_vat_number(invoiced, constant):
    constant("MAIN_INFO_TVAINTRA", "")
    found = invoiced({"desc": "x", "qty": 1, "subprice": 10})
    assert found.taxes() == [("E", "0", "10.00", "0.00")]
    assert "293 B" in (found.one(f"{HEAD}/ram:ApplicableTradeTax/ram:ExemptionReason") or "")
    number = f"{SELLER}/ram:SpecifiedTaxRegistration/ram:ID"
    assert (found.one(number), found.attribute(number, "schemeID")) == ("123456789", "FC")


ZERO, NORMAL = (
    {"desc": "x", "qty": 1, "subprice": 100, "tva_tx": 0},
    {"desc": "x", "qty": 1, "subprice": 100, "tva_tx": 19},
)


@pytest.mark.parametrize("line", [ZERO, NORMAL], ids=["small business", "normal"])
@pytest.mark.parametrize("country", ["DE", "AT"])
def test_a_tax_number_replaces_a_vat_number(invoiced, constant, seller_of, country, line):
    seller_of(country, idprof2="22/815/0815/4")
    constant("MAIN_INFO_SMALL_BUSINESS", "" if line is NORMAL else "1")
    found = invoiced(line)
    number = f"{SELLER}/ram:SpecifiedTaxRegistration/ram:ID"
    assert (found.one(number), found.attribute(number, "schemeID")) == ("22/815/0815/4", "FC")
    # Nothing else identifies the seller (BR-CO-26)
    assert found.one(f"{SELLER}/ram:ID") == "22/815/0815/4"


def test_a_german_seller_has_all_its_numbers_and_the_day_of_the_supply(invoiced, seller_of):
    seller_of("DE", idprof2="22/815/0815/4", idprof3="HRB 1234", tva_intra="DE136695976")
    found = invoiced(NORMAL)
    assert found.all(f"{SELLER}/ram:SpecifiedTaxRegistration/ram:ID") == ["22/815/0815/4", "DE136695976"]
    assert found.one(f"{SELLER}/ram:SpecifiedLegalOrganization/ram:ID") == "HRB 1234"
    assert found.one(f"{SELLER}/ram:ID") is None
    assert found.one(".//ram:OccurrenceDateTime/udt:DateTimeString") == "20261121"
    found = invoiced(NORMAL, date_pointoftax="2026-11-19")
    assert found.one(".//ram:OccurrenceDateTime/udt:DateTimeString") == "20261119"


def test_a_seller_whose_vat_number_is_left_out_is_identified(admin, make, invoiced, constant, seller_of):
    """BR-O-02 leaves the VAT number out; BR-CO-26 wants another one."""
    outside = {"desc": "x", "qty": 1, "subprice": 10, "tva_tx": "0 (O)"}
    seller_of("DE", tva_intra="DE136695976")
    constant("INVOICE_FACTURX", "1")
    said = admin.refused("POST", f"/invoices/{make(outside, draft=True)}/validate", status=405)
    assert "missing the company's registration or tax number" in said
    seller_of("DE", tva_intra="DE136695976", idprof2="22/815/0815/4")
    found = invoiced(outside)
    assert found.one(f"{SELLER}/ram:ID") == "22/815/0815/4"
    assert found.one(f"{SELLER}/ram:SpecifiedTaxRegistration/ram:ID") is None


def test_the_mentions_of_the_pdf_are_notes(invoiced, constant):
    constant("INVOICE_DISCOUNT_TERMS", "2 % within 8 days")
    constant("INVOICE_VAT_ON_DEBITS", "1")
    found = invoiced(LINE, note_public="Thanks")
    notes = found.root.findall(".//ram:IncludedNote", PREFIXES)
    told = [
        (each.find("ram:Content", PREFIXES).text, each.findtext("ram:SubjectCode", None, PREFIXES)) for each in notes
    ]
    assert told[0] == ("Thanks", None)
    assert {subject: text.split(" ")[0] for text, subject in told if subject} == {
        "PMD": "Late", "PMT": "Fixed", "AAB": "2",
    }  # fmt: skip
    assert ("Option to pay VAT on the basis of debits.", None) in told
    assert found.one(f"{HEAD}/ram:ApplicableTradeTax/ram:DueDateTypeCode") == "5"
    assert found.one(".//ram:SpecifiedTradePaymentTerms/ram:Description") == "2 % within 8 days"


@pytest.mark.parametrize(
    ("mode", "code"), [(2, "58"), (6, "48"), (3, "59"), (7, "20"), (4, "10"), (105, "ZZZ"), (0, None)]
)
def test_modes_of_payment(invoiced, mode, code):
    found = invoiced(mode_reglement_id=mode)
    assert found.one(f"{MEANS}/ram:TypeCode") == code
    transfer = code == "58"
    assert found.one(f"{MEANS}//ram:IBANID") == (IBAN if transfer else None)
    assert found.one(f"{MEANS}//ram:BICID") == (BIC if transfer else None)
    assert found.one(f"{MEANS}//ram:AccountName") == ("Comptoir & Fils" if transfer else None)


def test_a_transfer_in_another_currency(invoiced, constant):
    constant("MAIN_MONNAIE", "CHF")
    constant("MAIN_BANK_OWNER", "Holding")
    found = invoiced()
    assert found.one(f"{HEAD}/ram:InvoiceCurrencyCode") == "CHF"
    assert found.one(f"{MEANS}/ram:TypeCode") == "30"
    assert found.one(f"{MEANS}//ram:AccountName") == "Holding"


def asked(found):
    """How an electronic invoice asks to be paid."""
    terms = f"{HEAD}/ram:SpecifiedTradePaymentTerms"
    return {
        "means": found.one(f"{MEANS}/ram:TypeCode"), "account": found.one(f"{MEANS}//ram:IBANID"),
        "day": found.one(f"{terms}/ram:DueDateDateTime/udt:DateTimeString"),
        "terms": found.one(f"{terms}/ram:Description"), "reference": found.one(f"{HEAD}/ram:PaymentReference"),
    }  # fmt: skip


def test_what_is_not_to_be_paid_names_neither_account_nor_day(admin, make, xml):
    nothing = dict.fromkeys(("means", "account", "day", "terms", "reference"))
    invoice = make(cond_reglement_id=2)
    assert None not in asked(xml(invoice)).values()
    admin.ask("POST", "/invoices/paymentsdistributed", {"arrayofamounts": {str(invoice): "72"}, **PAID})
    assert asked(xml(invoice)) == nothing
    # BR-CO-25: what leaves something to pay by its sums has a due day or words on the payment
    credit, abandoned = make(type=2, fk_facture_source=invoice, cond_reglement_id=2), make(cond_reglement_id=2)
    admin.ask("POST", f"/invoices/{abandoned}/settopaid", {"close_code": "badcustomer"})
    for each in (credit, abandoned):
        assert asked(xml(each)) == nothing | {"terms": "No payment is due."}
    # A credit note needs no account, as nobody pays into it
    assert b"IBANID" not in invoice_xml(read(credit), "fr_FR")
    assert "Aucun paiement n’est dû.".encode() in invoice_xml(read(credit), "fr_FR")


def test_terms_are_in_the_language_of_the_pdf(make):
    found = Xml(invoice_xml(read(make(cond_reglement_id=2)), "de_DE"))
    assert asked(found)["terms"] == "Zahlbar innerhalb von 30 Tagen; Kein Skonto bei vorzeitiger Zahlung."
    assert found.one(f"{MEANS}/ram:Information") == "Überweisung"


def test_what_is_retained_is_told_and_stays_due(invoiced):
    more = {"type": 5, "situation_cycle_ref": 3, "situation_counter": 1, "retained_warranty": "5"}
    found = invoiced(**more, retained_warranty_date_limit="2027-11-21", cond_reglement_id=2)
    # 5 % of 72.00
    assert asked(found)["terms"] == (
        "Due in 30 days; Retained warranty: €3.60 (Retained until Nov 21, 2027); No discount is granted for early payment."
    )
    assert found.sums()["DuePayableAmount"] == "72.00"


def test_goods_go_where_the_pdf_says(admin, make, xml):
    body = {"name": "Elsewhere", "client": 1, "country_id": GERMANY, "tva_intra": "DE123456789", "town": "Ort"}
    socid = admin.ask("POST", "/thirdparties", body)
    person = {"firstname": "Ada", "lastname": "Roy", "socid": socid, "address": "Kai 7", "zip": "20457"}
    contact = admin.ask("POST", "/contacts", person | {"town": "Hamburg"})
    identifier = make({"desc": "x", "qty": 1, "subprice": 10}, socid=socid)
    goes = ".//ram:ShipToTradeParty"
    assert xml(identifier).one(f"{goes}//ram:CityName") == "Ort"
    admin.ask("POST", f"/invoices/{identifier}/contact/{contact}/SHIPPING", {})
    found = xml(identifier)
    # A contact without a country lives in that of its company
    assert found.children(f"{goes}/ram:PostalTradeAddress") == [
        ("PostcodeCode", "20457"), ("LineOne", "Kai 7"), ("CityName", "Hamburg"), ("CountryID", "DE"),
    ]  # fmt: skip
    assert found.one(f"{goes}/ram:Name") == "Elsewhere, Ada Roy"


def test_texts_of_every_kind(invoiced):
    long = "Première ligne & <tag> ]]> \"quoted\" 'é' 😀\n" + "très long " * 2000
    found = invoiced(
        {"desc": long, "qty": 1, "subprice": 1},
        {"desc": "bell and tab\t", "label": "A & B", "qty": 1, "subprice": 1, "date_start": DAY, "date_end": DAY},
        note_public="note",
    )  # fmt: skip
    names, texts = found.all(".//ram:SpecifiedTradeProduct/ram:Name"), found.all(".//ram:Description")
    assert names == ["Première ligne & <tag> ]]> \"quoted\" 'é' 😀", "A & B"]
    assert texts[:2] == [long.strip(), "bell and tab"]
    assert found.all(".//ram:IncludedNote/ram:Content")[0] == "note"
    period = ".//ram:BillingSpecifiedPeriod"
    assert found.all(f"{period}//udt:DateTimeString") == ["20261121", "20261121"]


def test_the_business_rules_of_the_norm(xml, make, xmls):
    """All that the tests before have made, and one more."""
    xml(make())
    assert broken_rules(sorted(xmls.iterdir())) == ""
