"""`/explorer/modules`: what became of every file that lies in the module folders now."""

import json
from pathlib import Path

import pytest

from core.contract.catalogue import catalogue
from core.loading.file_status import file_statuses
from tests.core.loading.test_check import GOOD

PATH = "/explorer/modules"


@pytest.fixture
def admin(serve, folder):
    served = serve(modules=str(folder))
    client = served.client()
    client.clerk = served.user("thirdparties.read")
    return client


def told(client, module):
    """What became of the files of a module, by the file's name."""
    return {Path(each["file"]).name: each for each in client.get(PATH)["files"] if f"/{module}/" in each["file"]}


def test_every_file_is_told_as_check_tells_it(admin, write, folder):
    good = write("talk/class/api_words.py", GOOD.format(name="Words"))
    write("talk/class/notes.py", "")
    write("talk/class/api_bad.py", "def early():\n    return 1 / 0\n\n\nearly()")
    files = told(admin, "talk")
    assert files["api_words.py"] == {
        **{"file": str(good), "state": "loaded", "module": "talk", "service": "words", "reason": "", "trace": ""},
        "line": None,
        "notes": [],
        "routes": [{"verb": "GET", "path": "/words", "permission": "public", "summary": "The word."}],
    }
    bad = files["api_bad.py"]
    assert (bad["state"], bad["service"], bad["routes"]) == ("failed", "bad", [])
    assert bad["reason"] == "ZeroDivisionError: division by zero"
    assert "return 1 / 0" in bad["trace"]
    assert bad["line"] == 2
    assert files["notes.py"]["state"] == "skipped"
    assert (
        files["notes.py"]["reason"] == "expected a name such as api_<module><object>.py, unless other files import it"
    )
    whole = admin.get(PATH)
    assert whole.keys() == {"modules", "files", "loaded", "failed", "skipped"}
    assert sum(whole[state] for state in ("loaded", "failed", "skipped")) == len(whole["files"])
    assert (whole["failed"], whole["skipped"]) == (1, 1)
    assert [each["file"] for each in whole["files"]] == [str(each.file) for each in file_statuses(catalogue())]


def test_each_module_is_listed_with_what_it_adds(admin, write, folder):
    write("talk/class/api_words.py", GOOD.format(name="Words"))
    write(
        "talk/module.toml",
        'version = "1.2"\ndescription = "Words"\nrequires = ["thirdparties"]\n[settings.most]\ntype = "integer"\ndefault = 1\n'
        '[fields.thirdparties.word]\ntype = "int"\nlabel = "Word"\n[permissions]\nthirdparties.greet = "greet them"\n[wraps]\n"GET /orders" = "wrap:wrap"\n',
    )
    write("talk/wrap.py", "def wrap(original, **values): return original(**values)")
    write("idle/class/api_idle.py", GOOD.format(name="Idle"))
    write("idle/DISABLED", "")
    for client in (admin, admin.clerk):
        rows = {each["name"]: each for each in client.get(PATH)["modules"]}
        assert rows["talk"] == {
            "name": "talk", "state": "loaded", "version": "1.2", "description": "Words", "native": False,
            "services": ["words"], "settings": ["talk.most"], "fields": ["thirdparties.word"], "permissions": ["thirdparties.greet"], "wraps": ["GET /orders"],
            "requires": ["thirdparties"], "needed_by": [],
        }  # fmt: skip
        assert rows["idle"].items() >= {"state": "disabled", "services": []}.items()
        assert rows["thirdparties"].items() >= {"native": True, "needed_by": ["talk"]}.items()


def test_it_follows_the_disk(admin, write):
    file = write("talk/class/api_words.py", GOOD.format(name="Words"))
    assert told(admin, "talk")["api_words.py"]["state"] == "loaded"
    file.write_text("1 / 0  # broken")
    assert told(admin, "talk")["api_words.py"]["state"] == "failed"
    file.unlink()
    assert told(admin, "talk") == {}


def test_others_are_told_neither_paths_nor_reasons(admin, write, folder):
    write("talk/class/api_words.py", GOOD.format(name="Words"))
    write("talk/class/jottings.py", "")
    write("talk/class/api_bad.py", "import there_is_no_such_thing")
    write("talk/class/api_contacts.py", GOOD.format(name="Contacts"))
    write("talk/doctemplates/pdf_secretly.py", "import there_is_no_such_thing")
    clerk = admin.clerk
    whole = clerk.get(PATH)
    assert {frozenset(each) for each in whole["files"]} == {frozenset(("service", "module", "state", "routes"))}
    assert [each for each in whole["files"] if each["module"] == "talk"] == [
        {"state": "failed", "module": "talk", "service": "bad", "routes": []},
        {
            **{"state": "loaded", "module": "talk", "service": "words"},
            "routes": [{"verb": "GET", "path": "/words", "permission": "public", "summary": "The word."}],
        },
    ]
    assert whole.keys() == {"modules", "files", "loaded", "failed"}
    assert whole["failed"] == 1
    text = json.dumps(whole)
    for word in (str(folder), ".py", "there_is_no_such_thing", "jottings", "secretly", "Traceback"):
        assert word not in text
    assert admin.get(PATH)["failed"] == 3


def test_event_handlers_are_told(admin, write):
    file = write("ear/events.py", "def after_contacts_created(record): ...\n")
    declared = '@on("contacts.created", when="after")'
    assert told(admin, "ear") == {
        "events.py": {
            **{"file": str(file), "state": "loaded", "module": "ear", "service": "", "reason": "", "trace": ""},
            "line": None,
            "notes": [f"line 1: after_contacts_created has no @on; add {declared} above it"],
            "routes": [],
        }
    }
    file.write_text("def after_contracts_created(record): ...\n")
    [failed] = [each for each in admin.get(PATH)["files"] if each["module"] == "ear"]
    assert (failed["state"], failed["reason"]) == (
        "failed",
        "after_contracts_created: unknown service contracts; did you mean contacts?",
    )
    clerk = admin.clerk
    assert [each for each in clerk.get(PATH)["files"] if each["module"] == "ear"] == []
