"""Files of row rules: followed, refused with a reason, and closed while they cannot be loaded."""

from dataclasses import replace

import pytest

from core.contract.catalogue import catalogue, current_catalogue
from core.loading.file_status import file_statuses
from tests.core.records.timesheets import ROWS, number_of, write_timesheets

pytestmark = pytest.mark.slow


@pytest.fixture
def served(serve, folder):
    write_timesheets(folder)
    return serve(modules=str(folder))


@pytest.fixture
def anna(served):
    """A user with a sheet of her own, 1, besides one of somebody else."""
    user = served.user("timesheets.approve", "thirdparties.read", "thirdparties.all")
    for each in (number_of(user), served.administrator.id):
        served.client().ask("POST", "/timesheets", {"user": each})
    return user


def put(served, file, text):
    file.write_text(text)
    served.server.reloader.check()


def reason_of(name):
    return next((failure.reason for failure in catalogue().failures if failure.name == name), "")


def seen(client, path="/timesheets"):
    return [row["id"] for row in client.get(path, limit=0)]


def test_a_rule_is_followed_and_stands_among_the_files(served, anna, folder):
    assert seen(anna) == [1, 2]
    file = folder / "timesheets/rows.py"
    assert [each.state for each in file_statuses(catalogue()) if each.file == file] == ["loaded"]
    put(served, file, ROWS.replace("timesheets.approve", "timesheets.write"))
    assert seen(anna) == [1]
    file.unlink()
    served.server.reloader.check()
    assert seen(anna) == [1, 2]


BROKEN = {
    "syntax": ("def (", "SyntaxError"),
    "unclosed text": ('"""\nRULES = {}', "SyntaxError"),
    "import": ("import nothing_of_this_name", "ModuleNotFoundError"),
    "exit": ("raise SystemExit", "SystemExit"),
    "empty": ("", "expected a dictionary RULES"),
    "list": ("RULES = []", "expected a dictionary RULES"),
    "key": ("RULES = {'sheet': None}", "expected a model or 'thirdparty' as key, got 'sheet'"),
    "function": ("from .models import Sheet\nRULES = {Sheet: True}", "expected a function"),
    "raises": ("return 1 / 0", "ZeroDivisionError"),
    "nothing": ("return None", "own, for an internal user: expected Rows, got None"),
    "truth": ("return caller.socid is None and Rows('{user} = ?', 1)", "for an external user: expected Rows"),
    "field": ("return Rows('{usr} = ?', 1)", "Sheet has no field 'usr'"),
    "column": ("return Rows('{fk user} = ?', 1)", "expected a field name in each"),
    "step": ("return Rows('{user.nothing} = ?', 1)", "Account has no field 'nothing'"),
    "way": ("return Rows('{ref.x} = ?', 1)", "Sheet.ref is not a RecordField"),
    "tables": ("return Rows('{user.login} = ? OR {user} = ?', 1, 1)", "fields of several tables"),
    "few": ("return Rows('{user} = ?')", "in '{user} = ?', got 0 for 1"),
    "many": ("return Rows('{user} = ?', 1, 2)", "in '{user} = ?', got 2 for 1"),
    "no text": ("return Rows('')", "expected a condition, got empty text"),
    "number": ("return Rows(f'{{user}} = {caller.id}')", "contains the value '1'; write ? and pass"),
    "quoted": ("return Rows(f\"{{ref}} = '{caller.login}'\")", 'write ? and pass the value after the text'),
    "comment": ("return Rows('{user} = ? --', 1)", "write ? and pass the value after the text"),
}  # fmt: skip
OWN = "from core import Rows\nfrom .models import Sheet\ndef own(caller):\n    {}\nRULES = {{Sheet: own}}\n"


def test_each_broken_file_gives_its_reason(served, folder):
    for name, (text, reason) in BROKEN.items():
        put(served, folder / "timesheets/rows.py", OWN.format(text) if text.startswith("return") else text)
        assert reason in reason_of("timesheets/rows"), name
    put(served, folder / "timesheets/rows.py", ROWS)
    assert not reason_of("timesheets/rows")


@pytest.mark.parametrize("name", ["syntax", "exit", "raises", "number"])
def test_while_a_file_cannot_be_loaded_only_administrators_see(served, anna, folder, name):
    text, _ = BROKEN[name]
    file = folder / "timesheets/rows.py"
    put(served, file, OWN.format(text) if text.startswith("return") else text)
    assert [each.state for each in file_statuses(catalogue()) if each.file == file] == ["failed"]
    third = served.client().ask("POST", "/thirdparties", {"name": "Acme"})
    others = (
        anna, served.client(None), served.user(admin=True, only=["timesheets.approve"]),
        served.user("timesheets.approve", admin=True, socid=third),
    )  # fmt: skip
    for client in others:
        assert seen(client) == seen(client, "/sheetentries") == []
        client.refused("GET", "/timesheets/1", status=404)
        client.refused("DELETE", "/timesheets/1", status=404)
        client.refused("POST", "/sheetbills", {"sheet": 1}, status=404)
    assert seen(served.client()) == [1, 2]
    # What the file has no say in goes on
    assert seen(anna, "/thirdparties") == [third]
    put(served, file, ROWS)
    assert not reason_of("timesheets/rows")
    assert seen(anna) == [1, 2]


FOREIGN = """
from core import Rows
{imports}
RULES = {{{key}: lambda caller: Rows("{{id}} = ?", 1)}}
"""


@pytest.mark.parametrize(
    ("imports", "key", "broken"),
    [
        ("from ..timesheets.models import Sheet as Other", "Other", "nowhere()"),
        ("from ..timesheets import models", "models.Sheet", "def ("),
    ],
)
def test_a_rule_over_another_module_s_model_is_closed_likewise(served, anna, write, imports, key, broken):
    text = FOREIGN.format(imports=imports, key=key)
    file = write("club/rows.py", text)
    served.server.reloader.check()
    assert not reason_of("club/rows")
    # Both rules hold: the one of the module opens all to her, the club's the first
    assert seen(anna) == [1]
    assert seen(served.client()) == [1]
    put(served, file, text + broken)
    assert seen(anna) == []
    assert seen(served.client()) == [1, 2]
    assert seen(anna, "/thirdparties") == []
    served.client().ask("POST", "/thirdparties", {"name": "Acme"})
    assert len(seen(anna, "/thirdparties")) == 1


def test_the_rule_over_third_parties_is_closed_for_every_model_that_leads_there(served, anna, write, folder):
    third = served.client().ask("POST", "/thirdparties", {"name": "Acme"})
    assert seen(anna, "/thirdparties") == [third]
    file = write("club/rows.py", 'from core import Rows\nRULES = {"thirdparty": lambda caller: Rows.ALL}\n1 / 0\n')
    served.server.reloader.check()
    assert seen(anna, "/thirdparties") == []
    assert seen(anna) == [1, 2]
    put(served, file, 'from core import Rows\nRULES = {"thirdparty": lambda caller: Rows("{socid} = ?", 1)}\n')
    assert "expected only {thirdparty}, the field that all these models have" in reason_of("club/rows")
    assert seen(anna, "/thirdparties") == []
    put(served, file, 'from core import Rows\nRULES = {"thirdparty": lambda caller: Rows.ALL}\n')
    assert seen(anna, "/thirdparties") == [third]


def test_without_any_rule_over_third_parties_they_are_closed(served, anna, monkeypatch):
    served.client().ask("POST", "/thirdparties", {"name": "Acme"})
    others = tuple(each for each in catalogue().rules if each.covered != "thirdparty")
    monkeypatch.setattr(current_catalogue, "value", replace(catalogue(), rules=others))
    assert seen(anna, "/thirdparties") == []
    assert len(seen(served.client(), "/thirdparties")) == 1


def test_a_folder_that_another_keeps_out_closes_nothing_of_that(served, anna, serve, folder, tmp_path):
    second = tmp_path / "second/timesheets/rows.py"
    second.parent.mkdir(parents=True)
    second.write_text("RULES = {}")
    other = serve(modules=f"{folder}:{second.parents[1]}")
    user = other.user("timesheets.approve")
    made = other.client().ask("POST", "/timesheets", {"user": other.administrator.id})
    assert "already has a module of this name" in reason_of("timesheets/rows")
    assert seen(user) == [made]


def test_what_one_writes_for_others_is_told_to_those_who_may_refuse(served, write):
    """Or a row that its writer does not see would get past them."""
    write(
        "ear/events.py",
        "from core import Refused\ndef before_timesheets_created(record):\n"
        "    if record['ref'] == 'bad':\n        raise Refused('no bad sheets')\n",
    )
    served.server.reloader.check()
    user = served.user()
    body = {"user": served.administrator.id, "ref": "bad"}
    assert "no bad sheets" in user.refused("POST", "/timesheets", body, status=405)
    assert user.ask("POST", "/timesheets", body | {"ref": "good"})
    assert seen(user) == []
