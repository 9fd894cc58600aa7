"""Operations that a module wraps."""

import pytest

from core.contract.catalogue import catalogue

APPROVAL = """
from core import Refused, warn

def approve(original, id, **values):
    if id == 404:
        raise Refused("not approved", reason="not_approved")
    warn("before")
    result = original(id=id, **values)
    warn("after")
    return result
"""
PATCH = "PATCH /warehouses/{id}"
MARK = """
def mark(original, id, request_data):
    request_data["description"] = (request_data.get("description") or "") + {mark!r}
    return original(id=id, request_data=request_data)
"""


@pytest.fixture
def wraps(served, write):
    """Write a module with wraps and a file, and return an administrator."""

    def put(module, named, text, more=""):
        write(f"{module}/module.toml", f"{more}\n[wraps]\n{named}\n")
        write(f"{module}/approval.py", text)
        served.server.reloader.check()
        return served.client()

    return put


def of(name):
    return next(each for each in catalogue().operations if f"{each.verb} {each.template}" == name)


@pytest.fixture
def warehouse(served):
    return served.client().ask("POST", "/warehouses", {"label": "W", "statut": 1})


def test_a_function_runs_around_an_operation(wraps, warehouse):
    admin = wraps("approval", f'"{PATCH}" = "approval:approve"', APPROVAL)
    assert [each.reason for each in catalogue().failures] == []
    response = admin.simulate_patch(f"/warehouses/{warehouse}", json={"lieu": "Oslo"})
    assert (response.status_code, response.json["lieu"]) == (200, "Oslo")
    assert [text in response.headers["warning"] for text in ("before", "after")] == [True, True]
    error = admin.ask("PATCH", "/warehouses/404", {"lieu": "Rome"}, status=405)["error"]
    assert error["reason"] == "not_approved"


def test_the_values_are_checked_before_and_the_permission_stays(wraps, warehouse, served):
    admin = wraps("approval", f'"{PATCH}" = "approval:approve"', APPROVAL)
    assert admin.ask("PATCH", f"/warehouses/{warehouse}", [1], status=400)
    assert served.user("warehouses.read").ask("PATCH", f"/warehouses/{warehouse}", {"lieu": "x"}, status=401)


def test_the_last_module_is_called_first_and_entries_of_a_batch_are_wrapped(wraps, warehouse):
    wraps("zebra", f'"{PATCH}" = "approval:mark"', MARK.format(mark="z"))
    admin = wraps("amber", f'"{PATCH}" = "approval:mark"', MARK.format(mark="a"), 'requires = ["zebra"]')
    admin.ask("PATCH", f"/warehouses/{warehouse}", {"description": ""})
    # amber was loaded after zebra: its function is outside
    assert admin.get(f"/warehouses/{warehouse}")["description"] == "az"
    entry = {"method": "PATCH", "id": warehouse, "body": {"description": "b"}}
    assert admin.ask("POST", "/warehouses/batch", {"entries": [entry]})["done"] == 1
    assert admin.get(f"/warehouses/{warehouse}")["description"] == "baz"
    assert of(PATCH).wrapped_by == ("zebra", "amber")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1 / 0\n", "module.toml: wraps: approval:approve: ZeroDivisionError: division by zero"),
        ("", "module.toml: wraps: approval:approve: approval.py has no function approve"),
        (
            "async def approve(original, **values): pass",
            "module.toml: wraps: approval:approve: approve is async; expected a plain function (def)",
        ),
        (
            "def approve(original): pass",
            f"module.toml: wraps: {PATCH}: expected a function with (original, id, request_data)",
        ),
    ],
)
def test_a_broken_function_disables_only_its_operation(wraps, warehouse, write, served, text, reason):
    admin = wraps("approval", f'"{PATCH}" = "approval:approve"', text)
    assert [each.reason for each in catalogue().failures] == [reason]
    told = admin.ask("PATCH", f"/warehouses/{warehouse}", {"lieu": "x"}, status=501)["error"]["message"]
    assert told == "the module approval wraps this operation but can't be loaded; an operator can run `comptoir check`"
    assert admin.get(f"/warehouses/{warehouse}")["lieu"] != "x"
    entry = {"method": "PATCH", "id": warehouse, "body": {"lieu": "x"}}
    assert admin.ask("POST", "/warehouses/batch", {"entries": [entry]}, status=501)
    write("approval/approval.py", APPROVAL)
    served.server.reloader.check()
    assert admin.ask("PATCH", f"/warehouses/{warehouse}", {"lieu": "y"})["lieu"] == "y"


def test_a_broken_module_toml_disables_what_it_names(wraps, warehouse, write, served):
    admin = wraps("approval", f'"{PATCH}" = "approval:approve"', APPROVAL, "versoin = 1")
    assert admin.ask("PATCH", f"/warehouses/{warehouse}", {"lieu": "x"}, status=501)
    write("approval/module.toml", "")
    served.server.reloader.check()
    assert admin.ask("PATCH", f"/warehouses/{warehouse}", {"lieu": "x"})["lieu"] == "x"


@pytest.mark.parametrize(
    ("named", "reason"),
    [
        (
            '"PATCH /warehouse/{id}" = "approval:approve"',
            "module.toml: wraps: unknown operation PATCH /warehouse/{id}; did you mean PATCH /warehouses/{id}?",
        ),
        (
            '"validate" = "approval:approve"',
            'wraps.validate: expected an operation such as "POST /orders/{id}/validate"',
        ),
        (f'"{PATCH}" = "approve"', 'expected a file and a function such as "approval:approve"'),
        (f'"{PATCH}" = "other:approve"', "module.toml: wraps: other:approve: there is no file approval/other.py"),
    ],
)
def test_what_is_named_wrongly_is_reported(wraps, named, reason):
    wraps("approval", named, APPROVAL)
    (failure,) = {each.reason for each in catalogue().failures}
    assert reason in failure


def test_an_operation_that_nobody_wraps_is_called_as_before(wraps, warehouse):
    before = {f"{each.verb} {each.template}": each.respond for each in catalogue().operations}
    wraps("approval", f'"{PATCH}" = "approval:approve"', APPROVAL)
    after = {f"{each.verb} {each.template}": each.respond for each in catalogue().operations}
    assert {name for name in before if after[name] is not before[name]} == {PATCH, "POST /warehouses/batch"}


def test_the_explorer_shows_who_wraps(wraps):
    admin = wraps("approval", f'"{PATCH}" = "approval:approve"', APPROVAL)
    described = admin.get("/explorer/openapi.json")["paths"]["/warehouses/{id}"]
    assert described["patch"]["x-wrapped-by"] == ["approval"]
    assert described["patch"]["description"].endswith("Wrapped by approval.")
    assert "x-wrapped-by" not in described["put"]
