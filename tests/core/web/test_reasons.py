"""The stable word in the body of every error, and where the words are listed."""

import ast
import re
from pathlib import Path

import pytest

from core.common.errors import ApiError, BadRequest, Refused, error_body, unknown_fields
from core.common.reasons import REASONS, reason_of_status, state_reasons
from core.contract.catalogue import catalogue

ROOT = Path(__file__).parents[3]
#: the states of proposals, orders, invoices and shipments, as the specification lists them
STATES = (
    "abandoned", "billed", "cancelled", "closed", "draft", "paid", "refused", "shipment_in_process", "signed",
    "validated",
)  # fmt: skip
STATE_WORDS = {f"{word}_{state}" for word in ("already", "not") for state in STATES}


def given():
    """Each place and word of ``reason="…"`` in a call of the native code."""
    for folder in ("core", "modules", "explorer"):
        for file in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.keyword) and node.arg == "reason":
                    word = getattr(node.value, "value", None)
                    if isinstance(word, str) and word:
                        yield f"{file}:{node.value.lineno}", word


def test_every_word_is_listed_and_every_listed_word_is_used():
    words = dict(given())
    assert [place for place, word in words.items() if word not in REASONS] == []
    of_status = {reason_of_status(status) for status in range(400, 600)}
    # What follows from the fields, and what several states make of it
    derived = {"invalid_value", "missing_field", "unknown_field", "wrong_state"}
    assert set(REASONS) - set(words.values()) - of_status - derived == set()
    assert of_status <= set(REASONS)


def test_the_document_and_the_guide_list_the_same_words(serve):
    client = serve().client()
    for path in ("/explorer/openapi.json", "/explorer/openapi/contacts.json"):
        schemas = client.get(path)["components"]["schemas"]
        reference = schemas["Error"]["properties"]["error"]["$ref"]
        error = schemas[reference.rpartition("/")[2]]
        assert error["properties"]["reason"] == {"$ref": "#/components/schemas/Reason"}
        listed = schemas["Reason"]["enum"]
        assert set(listed) == {*REASONS, *STATE_WORDS}
        assert len(listed) == len(set(listed))
        assert list(schemas["Reason"]["x-values"]) == listed
        assert schemas["Reason"]["x-values"]["not_draft"] == "the record must be in the state draft"
    page = client.simulate_get("/explorer/guide/reasons").text
    rows = [line.split("|")[1].strip(" `") for line in page.splitlines() if line.startswith("| `")]
    assert rows == ["already_…", "not_…", *REASONS]
    assert all(word.startswith(("already_", "not_")) for word in STATE_WORDS)


def test_the_words_of_states_follow_from_transitions():
    doors = [("open (1)", "shut", "shut (2)"), ("draft (0)", "shut", "walled up (3)"), ("shut (2)", "open", "open (1)")]
    words = dict(state_reasons([*doors, ("draft (0)", "open", "open (1)")]))
    states = ("open", "shut", "draft", "walled_up")
    assert set(words) == {f"{word}_{state}" for word in ("already", "not") for state in states}


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ([BadRequest.missing("a")], "missing_field"),
        ([BadRequest.missing("a"), BadRequest.missing("b", " because `c` is set")], "missing_field"),
        (unknown_fields(["a"], ["b"]), "unknown_field"),
        ([BadRequest.unknown("sortfield", "a")], "unknown_field"),
        ([BadRequest.unknown("sortfield", "a"), *unknown_fields(["a"], ["b"])], "unknown_field"),
        ([("a", 'expected a number, got "x"')], "invalid_value"),
        ([("a", "`a` is required by the text alone")], "invalid_value"),
        ([BadRequest.missing("a"), ("b", 'expected a number, got "x"')], "invalid_value"),
    ],
)
def test_wrong_fields_have_the_word_that_all_of_them_share(wrong, word):
    assert BadRequest(errors=wrong).body()["error"]["reason"] == word


def test_an_error_keeps_its_own_word_and_has_one_anyway():
    assert Refused("no", reason="in_use").body()["error"]["reason"] == "in_use"
    assert Refused("no").body()["error"]["reason"] == "refused"
    assert ApiError("no", status=418).body()["error"]["reason"] == "refused"
    assert error_body(503)["error"]["reason"] == "unavailable"
    assert error_body(599)["error"]["reason"] == "server_error"


def test_what_a_client_meets(admin, server):
    def reason(client, verb, path, sent=None, **options):
        if sent is not None:
            options["json"] = sent
        answer = client.simulate_request(verb, path, **options)
        return answer.status_code, answer.json["error"]["reason"]

    customer = admin.ask("POST", "/thirdparties", {"name": "Reasons", "client": 1, "code_client": "CU2611-00901"})
    where, stranger, clerk = f"/thirdparties/{customer}", server.client(None), server.user("contacts.read")
    assert reason(stranger, "GET", where) == (401, "missing_key")
    assert reason(server.client("wrong"), "GET", where) == (401, "invalid_key")
    assert reason(clerk, "GET", where) == (401, "missing_permission")
    assert reason(admin, "GET", "/thirdparties/999999") == (404, "not_found")
    assert reason(admin, "GET", "/nothing") == (404, "unknown_path")
    assert reason(admin, "GET", f"{where}/nothing/here") == (404, "unknown_path")
    assert reason(admin, "PUT", "/thirdparties") == (405, "wrong_method")
    assert reason(admin, "POST", "/explorer") == (405, "wrong_method")
    assert reason(admin, "POST", "/contacts", {}) == (400, "missing_field")
    assert reason(admin, "PATCH", where, {"client": "x"}) == (400, "invalid_value")
    assert reason(admin, "GET", "/thirdparties", params={"sortfield": "t.nam"}) == (400, "unknown_field")
    assert reason(admin, "PATCH", where, {"name": "B"}, headers={"If-Match": '"old"'}) == (412, "changed_meanwhile")
    assert reason(admin, "GET", where, headers={"Accept": "image/png"}) == (406, "not_acceptable")
    assert reason(admin, "PATCH", where, body=b"x", headers={"Content-Type": "text/html"}) == (415, "unsupported_type")
    twice = {"name": "Twice", "client": 1, "code_client": "CU2611-00901"}
    assert reason(admin, "POST", "/thirdparties", twice) == (405, "value_taken")
    admin.ask("POST", "/contacts", {"lastname": "Doe", "socid": customer})
    order = admin.ask("POST", "/orders", {"socid": customer, "date": "2026-11-21"})
    assert reason(admin, "DELETE", where) == (405, "in_use")
    once = {"headers": {"Idempotency-Key": "reasons"}}
    admin.ask("POST", "/contacts", {"lastname": "Once"}, **once)
    assert reason(admin, "POST", "/contacts", {"lastname": "Other"}, **once) == (422, "key_reused")
    assert reason(admin, "POST", f"/orders/{order}/close") == (405, "wrong_state")
    assert reason(stranger, "POST", "/login", {"login": "nobody", "password": "wrong"}) == (403, "login_rejected")


def test_every_word_that_a_client_meets_is_in_the_schema(admin):
    """A status that no method raises by itself has a word of the list, too."""
    document = admin.get("/explorer/openapi.json")
    words = set(document["components"]["schemas"]["Reason"]["enum"])
    examples = document["components"]["examples"]
    shown = {each["value"]["error"]["reason"] for name, each in examples.items() if name.startswith("Error")}
    assert shown <= words


def test_allow_lists_the_verbs_of_every_path(admin):
    """A path without variables belongs to one template; `Allow` alone has the verbs, not the body."""
    served = {}
    for operation in catalogue().operations:
        if "{" not in operation.template and not operation.template.endswith("*"):
            served.setdefault(operation.template.lower(), set()).add(operation.verb)
    refused = 0
    for path, verbs in served.items():
        matched = set().union(*(_verbs_at(path)))
        assert verbs <= matched
        listed = sorted(matched | {"OPTIONS"} | ({"HEAD"} if "GET" in matched else set()))
        for verb in {"GET", "POST", "PUT", "PATCH", "DELETE"} - matched:
            answer = admin.simulate_request(verb, path)
            assert answer.status_code in (400, 405), f"{verb} {path}: {answer.text}"
            if answer.status_code == 405:
                assert answer.headers["Allow"] == ", ".join(listed), f"{verb} {path}"
                assert answer.json["error"].keys() == {"code", "message", "reason", "request_id"}
                refused += 1
    # Each service has a list, which takes no PUT, PATCH or DELETE
    assert refused > 3 * len(catalogue().services) / 2


def _verbs_at(path):
    """Yield the verb of each operation whose template a path matches."""
    for operation in catalogue().operations:
        pattern = re.sub(r"\{\w+\}", "[^/]+", operation.template.lower())
        if re.fullmatch(pattern, path):
            yield {operation.verb}
