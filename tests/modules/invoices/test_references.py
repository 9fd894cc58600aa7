"""References of invoices: their series, and what may be deleted."""

import pytest

from tests.modules.invoices.invoices import LINE, act, number, read

pytestmark = pytest.mark.every_database


@pytest.fixture
def numbered(admin, validated):
    def numbered(kind=0, day="2026-11-21", **fields):
        return read(admin, validated(type=kind, date=day, **fields))["ref"]

    return numbered


def test_terre_has_a_series_for_each_prefix(numbered):
    """As release 16 numbers them: FA2611-0002 FA2501-0003 FA2611-0004; deposits and credit notes apart."""
    first = numbered()
    assert first.startswith("FA2611-")
    assert numbered(day="2025-01-15") == f"FA2501-{number(first) + 1:04d}"
    assert numbered() == f"FA2611-{number(first) + 2:04d}"
    assert (numbered(2)[:7], numbered(3)[:7], numbered(5)[:7], numbered(4)[:7]) == (
        "AV2611-", "AC2611-", "FA2611-", "FA2611-",
    )  # fmt: skip


def test_prefixes_abroad_and_forced(numbered, constant):
    constant("MAIN_INFO_SOCIETE_COUNTRY", "5:DE:Germany")
    assert (numbered()[:7], numbered(2)[:7], numbered(3)[:7]) == ("IN2611-", "IC2611-", "ID2611-")
    constant("INVOICE_NUMBERING_TERRE_FORCE_PREFIX", "RE")
    assert (numbered(), numbered(2)[:7]) == ("RE2611-0001", "IC2611-")
    constant("FACTURE_ADDON", "mod_facture_mars")
    assert (numbered()[:7], numbered(2)[:7], numbered(3)[:7]) == ("IN2611-", "IC2611-", "ID2611-")


def test_mars_has_a_prefix_for_replacements(admin, make, numbered, constant):
    constant("FACTURE_ADDON", "mod_facture_mars")
    assert (numbered()[:7], numbered(2)[:7], numbered(3)[:7]) == ("FA2611-", "AV2611-", "AC2611-")
    source = make(LINE)
    act(admin, source, "validate")
    assert numbered(1, fk_facture_source=source) == "FR2611-0001"
    constant("FACTURE_ADDON", "")
    source = make(LINE)
    act(admin, source, "validate")
    assert numbered(1, fk_facture_source=source)[:7] == "FA2611-"


def test_mercure_has_masks(admin, make, validated, numbered, constant):
    constant("FACTURE_ADDON", "mod_facture_mercure")
    identifier = make(LINE)
    assert "has no numbering mask" in admin.refused("POST", f"/invoices/{identifier}/validate", {}, status=405)
    # As release 16 numbers them: INV2611-0001 INV2611-0002 INV2501-0001
    constant("FACTURE_MERCURE_MASK_INVOICE", "INV{yy}{mm}-{0000@1}")
    assert [numbered(), numbered(day="2026-11-22"), numbered(day="2025-01-15")] == [
        "INV2611-0001", "INV2611-0002", "INV2501-0001",
    ]  # fmt: skip
    source = validated()
    assert numbered(1, fk_facture_source=source) == "INV2611-0004"
    constant("FACTURE_MERCURE_MASK_REPLACEMENT", "REP{yy}-{000}")
    assert numbered(1, fk_facture_source=validated()) == "REP26-001"
    credit = make(LINE, type=2)
    assert "FACTURE_MERCURE_MASK_CREDIT" in admin.refused("POST", f"/invoices/{credit}/validate", {}, status=405)
    constant("FACTURE_MERCURE_MASK_CREDIT", "CRE{yy}-{000}")
    constant("FACTURE_MERCURE_MASK_DEPOSIT", "DEP{yy}-{000}")
    assert (numbered(2), numbered(3)) == ("CRE26-001", "DEP26-001")
    # One mask for two types: one series, as the references share a column
    constant("FACTURE_MERCURE_MASK_DEPOSIT", "CRE{yy}-{000}")
    assert (numbered(3), numbered(2)) == ("CRE26-002", "CRE26-003")


def test_a_final_reference_goes_only_from_the_end_of_its_series(admin, validated):
    ids = [validated() for _ in range(4)]
    references = [read(admin, each)["ref"] for each in ids]
    for identifier in ids[:3]:
        reason = admin.refused("DELETE", f"/invoices/{identifier}", status=405)
        assert "last of its series" in reason
        assert read(admin, identifier)["ref"] in references
    act(admin, ids[3], "settopaid")
    assert admin.ask("DELETE", f"/invoices/{ids[3]}")["success"]["message"] == "Invoice deleted"
    # The counter has stepped back, again and again
    assert admin.ask("DELETE", f"/invoices/{ids[2]}")["success"]["code"] == 200
    admin.refused("GET", f"/invoices/{ids[2]}", status=404)
    assert [read(admin, validated())["ref"] for _ in range(2)] == references[2:]
    # Another series does not matter, nor does an invoice of an earlier day
    validated(type=3)
    last = validated(date="2025-01-15")
    admin.refused("DELETE", f"/invoices/{ids[1]}", status=405)
    admin.ask("DELETE", f"/invoices/{last}")


def test_a_draft_with_a_final_reference(admin, validated):
    first, second = validated(), validated()
    for identifier in (first, second):
        act(admin, identifier, "settodraft")
    admin.refused("DELETE", f"/invoices/{first}", status=405)
    for identifier in (second, first):
        admin.ask("DELETE", f"/invoices/{identifier}")


def test_a_series_that_is_no_longer_in_force_keeps_its_invoices(admin, validated, constant):
    identifier = validated()
    constant("INVOICE_NUMBERING_TERRE_FORCE_PREFIX", "XX")
    admin.refused("DELETE", f"/invoices/{identifier}", status=405)
