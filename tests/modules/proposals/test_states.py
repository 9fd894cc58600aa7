"""The moves of a proposal from state to state, and its reference."""

import pytest

from core.common.clock import as_if
from modules.setup.constants import set_constant
from tests.modules.proposals.proposals import DAY, put, read
from tests.moments import LEAP_DAY_END

# Numbering ----------------------------------------------------------------------------------------------------------


def validated(admin, identifier):
    return str(admin.ask("POST", f"/proposals/{identifier}/validate")["ref"])


def test_marbre_counts_on_under_todays_month(admin, make):
    # 1 May 2027, midnight UTC
    with as_if(1809129600):
        refs = [validated(admin, make(date=day)) for day in ("2025-01-05", DAY, "2031-07-01")]
    first = int(refs[0].removeprefix("PR2705-"))
    assert refs == [f"PR2705-{first + step:04d}" for step in range(3)]


@pytest.mark.parametrize(
    ("mask", "refs"),
    [
        ("P{yy}{mm}-{000@1}", ["P2611-001", "P2611-002", "P2603-003", "P2501-001"]),
        ("Q{yy}-{000@1}", ["Q26-001", "Q26-002", "Q26-003", "Q25-001"]),
        ("R{yy}{mm}-{000@99}", ["R2611-001", "R2611-002", "R2603-001", "R2501-001"]),
        ("S{yyyy}-{0000+100}", ["S2026-0101", "S2026-0102", "S2026-0103", "S2025-0104"]),
        ("T{yy}{mm}{dd}-{000}", ["T261121-001", "T261121-002", "T260301-003", "T250101-004"]),
        ("V{cccc000}", ["VCU26001", "VCU26002", "VCU26003", "VCU26004"]),
    ],
)
def test_saphir_counts_by_its_mask_and_the_proposals_date(admin, make, constant, mask, refs):
    constant("PROPALE_ADDON", "mod_propale_saphir")
    constant("PROPALE_SAPHIR_MASK", mask)
    socid = admin.ask("POST", "/thirdparties", {"name": "Coded", "client": 1, "code_client": f"CU26{mask[0]}1-00002"})
    days = ("2026-11-21", "2026-11-21", "2026-03-01", "2025-01-01")
    assert [validated(admin, make(date=day, socid=socid)) for day in days] == refs


@pytest.mark.parametrize(
    ("mask", "reason"),
    [
        ("", "has no numbering mask"), ("PR", "ErrorBadMask"), ("{000@1}", "ErrorCantUseRazIfNoYearInMask"),
        ("{000@13}{yy}{mm}", "ErrorBadMaskBadRazMonth"), ("A/{0000}", "/"), ("L" * 27 + "{0000}", "30"),
    ],
)  # fmt: skip
def test_a_mask_that_cannot_be_used_changes_nothing(admin, make, constant, mask, reason):
    numbered = make()
    validated(admin, numbered)
    constant("PROPALE_ADDON", "mod_propale_saphir")
    constant("PROPALE_SAPHIR_MASK", "P{0000}")
    if mask:
        message = admin.refused("PUT", "/setup/conf/PROPALE_SAPHIR_MASK", {"value": mask}, status=400)
        assert "PROPALE_SAPHIR_MASK: " in message
        assert reason in message
    # Written past the server
    set_constant("PROPALE_SAPHIR_MASK", mask)
    identifier = make()
    assert reason in admin.refused("POST", f"/proposals/{identifier}/validate", status=405)
    record = read(admin, identifier)
    assert (record["ref"], record["statut"], record["user_valid_id"]) == (f"(PROV{identifier})", 0, None)
    # What has its reference does not need the mask
    admin.ask("POST", f"/proposals/{numbered}/settodraft")
    admin.ask("POST", f"/proposals/{numbered}/validate")
    admin.ask("DELETE", f"/proposals/{numbered}")


# States -------------------------------------------------------------------------------------------------------------
ACTIONS = {
    "validate": ("validate", None),
    "sign": ("close", {"status": 2}),
    "refuse": ("close", {"status": 3}),
    "bill": ("setinvoiced", None),
    "settodraft": ("settodraft", None),
}
#: how each state is reached
WAYS = {0: [], 1: ["validate"], 2: ["validate", "sign"], 3: ["validate", "refuse"],
                              4: ["validate", "sign", "bill"]}  # fmt: skip


def act(admin, identifier, action, status=200):
    name, body = ACTIONS[action]
    return admin.ask("POST", f"/proposals/{identifier}/{name}", body, status=status)


def test_closing_notes_who_when_and_why(admin, make, server):
    seller = server.user("proposals.close", "thirdparties.all")
    identifier = make(note_private="private note")
    act(admin, identifier, "validate")
    path = f"/proposals/{identifier}/close"
    with as_if(LEAP_DAY_END):
        record = seller.ask("POST", path, {"status": 2, "note_private": "signed by phone"})
    assert record["note_private"] == "private note\nsigned by phone"
    assert record["user_signature_id"] == seller.user_id
    assert record["date_signature"] == LEAP_DAY_END
    assert record["statut_libelle"] == "signed"
    with as_if(LEAP_DAY_END + 1):
        billed = seller.ask("POST", f"/proposals/{identifier}/setinvoiced")
    assert (billed["user_close_id"], billed["date_cloture"]) == (seller.user_id, LEAP_DAY_END + 1)
    other = make()
    act(admin, other, "validate")
    for body in ({}, {"status": 1}, {"status": 4}, {"status": "agreed"}, {"note_private": "x"}):
        admin.refused("POST", f"/proposals/{other}/close", body, status=400)
    assert act(admin, other, "refuse")["note_private"] is None
    assert read(admin, other)["date_signature"] is not None
    # What the signature was stays when it is made a draft
    assert act(admin, other, "settodraft")["user_signature_id"] == 1


@pytest.mark.parametrize(("client", "signed", "refused"), [(0, 1, 0), (2, 3, 2), (1, 1, 1), (3, 3, 3)])
def test_who_signs_is_a_customer(admin, make, client, signed, refused):
    body = {"name": f"Prospect {client}", "client": client}
    for action, expected in (("refuse", refused), ("sign", signed)):
        socid = admin.ask("POST", "/thirdparties", body)
        identifier = make(socid=socid)
        act(admin, identifier, "validate")
        act(admin, identifier, action)
        assert admin.get(f"/thirdparties/{socid}")["client"] == expected


@pytest.mark.parametrize("state", WAYS)
def test_fields_change_in_every_state_and_what_is_not_agreed_on_is_deleted(admin, make, state):
    identifier = make({"qty": 1, "subprice": 1})
    for step in WAYS[state]:
        act(admin, identifier, step)
    assert put(admin, identifier, {"note_public": "new"})["note_public"] == "new"
    if state in (2, 4):
        assert "can't delete commercial proposal" in admin.refused("DELETE", f"/proposals/{identifier}", status=405)
        for body in ({"date": "2026-11-20"}, {"socid": admin.ask("POST", "/thirdparties", {"name": "Other"})}):
            assert "agreed to the document" in admin.refused("PATCH", f"/proposals/{identifier}", body, status=405)
        return
    answer = admin.ask("DELETE", f"/proposals/{identifier}")
    assert answer == {"success": {"code": 200, "message": "Commercial Proposal deleted"}}
    assert (
        admin.refused("GET", f"/proposals/{identifier}", status=404)
        == f"Not Found: Commercial Proposal {identifier} not found"
    )
