"""From files to services: what loads, what fails with which reason, and how a change is followed (design.md 4)."""

from __future__ import annotations

import gc
import os
import sys
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.contract.catalogue import catalogue
from core.storage.database import database, ensure_connected
from core.testing import Served

Write = Callable[[str, str], Path]

GOOD = '''
class {name}:
    """Say a word.

    :access: public
    """

    def index(self) -> str:
        """The word."""
        return "{word}"
'''


def good(name: str = "Words", word: str = "one") -> str:
    return GOOD.format(name=name, word=word)


@pytest.fixture
def served(serve: Any, folder: Path) -> Served:
    return serve(modules=str(folder))  # type: ignore[no-any-return]


def reason_of(served: Served, name: str) -> str:
    served.server.reloader.check()
    return next(failure.reason for failure in catalogue().failures if failure.name == name)


def test_a_dropped_file_is_called_without_a_restart(served: Served, write: Write) -> None:
    client = served.client(None)
    assert client.get("/words", status=404)
    write("talk/class/api_words.py", good())
    assert client.get("/words") == "one"


def test_edits_removal_and_return_are_followed(served: Served, write: Write) -> None:
    client = served.client(None)
    file = write("talk/class/api_words.py", good(word="one"))
    assert client.get("/words") == "one"
    file.write_text(good(word="two"))
    assert served.server.reloader.check()
    assert client.get("/words") == "two"
    file.write_text("class Words(")
    assert served.server.reloader.check()
    assert client.get("/words", status=501)
    file.write_text(good(word="six"))
    assert served.server.reloader.check()
    assert client.get("/words") == "six"
    file.unlink()
    assert served.server.reloader.check()
    assert client.get("/words", status=404)
    assert not served.server.reloader.check()


def test_an_edit_of_equal_length_and_time_is_seen_by_its_inode(served: Served, write: Write, folder: Path) -> None:
    client = served.client(None)
    file = write("talk/class/api_words.py", good(word="one"))
    assert client.get("/words") == "one"
    status = file.stat()
    other = folder / "other"
    other.write_text(good(word="two"))
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
    os.replace(other, file)
    assert served.server.reloader.check()
    assert client.get("/words") == "two"


def test_501_comes_before_authentication_with_its_words(served: Served, write: Write) -> None:
    write("talk/class/api_words.py", "raise RuntimeError('at import')")
    nobody, administrator = served.client(None), served.client()
    answer = nobody.get("/words", status=501)
    assert answer["error"]["message"] == "API not found (failed to include API file)"
    assert nobody.get("/words/1/anything", status=501)
    assert nobody.ask("POST", "/Words", {}, status=501)
    assert "at import" not in str(answer)
    assert "reason" not in served.user("setup.read").get("/words", status=501)["error"]
    told = administrator.get("/words", status=501)["error"]
    assert told["reason"] == "RuntimeError: at import"
    assert "raise RuntimeError('at import')" in told["trace"]
    assert "importlib" not in told["trace"]
    assert administrator.get("/status")["success"]


BROKEN = {
    "raises": ("raise ValueError('no')", "ValueError: no"),
    "exits": ("import sys\nsys.exit(3)", "SystemExit: 3"),
    "interrupts": ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    "syntax": ("def (", "SyntaxError: invalid syntax"),
    "imports": ("import nothing_of_this_name", "ModuleNotFoundError: No module named 'nothing_of_this_name'"),
    "empty": ("", "there is no class named like the file"),
    "named": ("class Other:\n    pass", "there is no class named like the file"),
    "made": ("class Made:\n    def __init__(self, x): pass", "class Made must be made without arguments"),
    "zero": ("class Zero:\n    x = 1 / 0", "ZeroDivisionError: division by zero"),
    "doc": ('class Doc:\n    def get(self):\n        """A.\n\n        :param broken\n        """', "Doc.get: "),
    "limit": ('class Limit:\n    def get(self, n: int):\n        """A.\n\n        :param n: n {@minn 2}\n        """', "minn"),
    "raising": ('class Raising:\n    def get(self):\n        """A.\n\n        :raises Nothing: x\n        """', ":raises Nothing"),
    "url": ('class Url:\n    def get(self):\n        """A.\n\n        :url: GET {id}\n        """', "names ['id']"),
    "verb": ('class Verb:\n    def get(self):\n        """A.\n\n        :url: FETCH x\n        """', "FETCH"),
    "right": ('class Right:\n    def get(self):\n        """A.\n\n        :permission: right.spnd\n        """', "no right right.spnd"),
    "foreign": ('class Foreign:\n    def get(self):\n        """A.\n\n        :permission: nosuch.read\n        """', "no right nosuch.read"),
    "words": ('class Words:\n    def get(self):\n        """A.\n\n        :permission: everybody else\n        """', "expected rights"),
    "open": ('class Open:\n    """A.\n\n    :access: public\n    """\n    def get(self):\n        """A.\n\n        :permission: open.read\n        """', "a permission needs a key"),
    "type": ("class Type:\n    def get(self, n: object.__class__): pass\n    def post(self, n: complex): pass", "no value of a request"),
    "name": ("class Name:\n    def get(self, n: 'Nowhere'): pass", "cannot be resolved"),
    "many": ("class Many:\n    def get(self, *all): pass", "cannot be taken from a request"),
    "twice": ("class Twice:\n    def get(self, id: int): pass\n    def other(self, n: int):\n        ''':url: GET {n}'''", "is served by get and by other"),
    "described": ('class Described:\n    def get(self, n: int):\n        """A.\n\n        :param m: m\n        """', ":param m: is described"),
    "explorer": ("class Explorer: pass", "taken by the server itself"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_costs_only_itself_and_says_why(served: Served, write: Write, name: str) -> None:
    text, reason = BROKEN[name]
    write(f"bad/class/api_{name}.py", text)
    write("bad/class/api_fine.py", good("Fine"))
    assert reason in reason_of(served, name)
    client = served.client(None)
    assert client.get("/fine") == "one"
    if name != "explorer":
        assert client.get(f"/{name}", status=501)


def test_the_methods_of_a_broken_file_are_read_from_its_text(served: Served, write: Write) -> None:
    write(
        "bad/class/api_cards.py",
        "import nothing\n\nclass Cards:\n    def get(self, id):\n        '''Read one.'''\n"
        "    def spend(self, id, points):\n        '''Spend.\n\n        :url: POST {id}/spend\n        '''\n"
        "    def _inner(self): pass\n    def getOwner(self, id, x=1): pass\n",
    )
    served.server.reloader.check()
    failure = catalogue().failed("cards")
    assert failure is not None
    assert [(each.verb, each.template, each.summary) for each in failure.methods] == [
        ("GET", "/cards/{id}", "Read one."),
        ("POST", "/cards/{id}/spend", "Spend."),
        ("GET", "/cards/owner/{id}", ""),
    ]


@pytest.mark.parametrize("file", ["api_words.py", "api_words.class.py", "api_words.class", "api_Wo_rds.py"])
def test_the_spellings_of_a_file_name(served: Served, write: Write, file: str) -> None:
    write(f"talk/class/{file}", good("WordsApi") if file == "api_words.py" else good("W_ords"))
    served.server.reloader.check()
    assert served.client(None).get("/words") == "one"


def test_names_that_are_passed_over_are_told(served: Served, write: Write, folder: Path) -> None:
    for path in ("talk/class/words.py", "talk/class/api_.py", "talk/class/api_wörds.py", "da-sh/class/api_x.py"):
        write(path, good())
    write(".hidden/class/api_words.py", good())
    write("talk/class/api___init__.py", good())
    served.server.reloader.check()
    skipped = {path.name: reason for path, reason in catalogue().skipped}
    assert set(skipped) == {"words.py", "api_.py", "api_wörds.py", "da-sh", "api___init__.py"}
    assert served.client(None).get("/words", status=404)


def test_a_folder_that_does_not_exist_is_told_and_found_later(serve: Any, tmp_path: Path) -> None:
    served = serve(modules=str(tmp_path / "later"))
    assert (tmp_path / "later", "there is no such folder") in catalogue().skipped
    (tmp_path / "later/talk/class").mkdir(parents=True)
    (tmp_path / "later/talk/class/api_words.py").write_text(good())
    served.server.reloader.check()
    assert served.client(None).get("/words") == "one"


def test_the_native_file_serves_then_the_first_in_path_order(served: Served, write: Write) -> None:
    write("a/class/api_words.py", good(word="first"))
    write("b/class/api_words.py", good(word="second"))
    write("b/class/api_status.py", good("Status", "mine"))
    served.server.reloader.check()
    assert served.client(None).get("/words") == "first"
    assert served.client().get("/status") != "mine"
    shadowed = {failure.name: failure.reason for failure in catalogue().failures}
    assert "a/class/api_words.py already" in shadowed["words"]
    assert "modules/status/class/api_status.py already" in shadowed["status"]


def test_a_second_folder_of_a_name_is_a_failure(serve: Any, tmp_path: Path) -> None:
    for number in ("1", "2"):
        file = tmp_path / number / "talk" / "class" / f"api_words{number}.py"
        file.parent.mkdir(parents=True)
        file.write_text(good(f"Words{number}", number))
    served = serve(modules=f"{tmp_path}/1:{tmp_path}/2")
    assert served.client(None).get("/words1") == "1"
    assert served.client(None).get("/words2", status=501)
    assert "a module of this name lies in" in reason_of(served, "words2")


def test_links_that_lead_out_and_files_anybody_may_write_are_refused(
    served: Served, write: Write, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere.py").write_text(good("Linked"))
    (folder / "x/class").mkdir(parents=True)
    (folder / "x/class/api_linked.py").symlink_to(tmp_path / "elsewhere.py")
    (tmp_path / "away/class").mkdir(parents=True)
    (tmp_path / "away/class/api_away.py").write_text(good("Away"))
    (folder / "away").symlink_to(tmp_path / "away")
    write("y/class/api_loose.py", good("Loose")).chmod(0o666)
    served.server.reloader.check()
    client = served.client(None)
    assert client.get("/linked", status=404)
    assert client.get("/away", status=404)
    assert client.get("/loose", status=501)
    assert "chmod o-w api_loose.py" in reason_of(served, "loose")
    assert "leads out" in str(catalogue().skipped)


def test_what_imports_a_changed_module_is_loaded_anew(served: Served, write: Write) -> None:
    write("base/words.py", "WORD = 'one'")
    write("user/class/api_words.py", "from ...base.words import WORD\n" + good().replace('"one"', "WORD"))
    write("third/class/api_other.py", good("Other"))
    served.server.reloader.check()
    before = catalogue().services["other"]
    assert served.client(None).get("/words") == "one"
    write("base/words.py", "WORD = 'two'")
    served.server.reloader.check()
    assert served.client(None).get("/words") == "two"
    assert catalogue().services["other"] is before


def test_a_reload_leaves_no_old_generation_behind(served: Served, write: Write) -> None:
    models = (
        "from peewee import AutoField, CharField\nfrom core import Model, Records, RecordField\n"
        "class Thing(Model):\n    id = AutoField()\n    name = CharField(default='')\n"
        "class Part(Model):\n    id = AutoField()\n    thing = RecordField(Thing)\n"
        "things = Records(Thing, service='things')\n"
    )
    api = (
        "from ..models import things\nclass Things:\n    ''':access: public'''\n"
        "    def index(self): return things.page()\n    def post(self, request_data: dict): return things.create(request_data)\n"
    )
    file = write("store/models.py", models)
    write("store/class/api_things.py", api)
    client = served.client(None)
    assert client.ask("POST", "/things", {"name": "a"}) == 1
    old = weakref.ref(sys.modules["modules.store.models"].Thing)
    for number in range(3):
        file.write_text(models + f"# {number}")
        assert served.server.reloader.check()
        assert client.get("/things") == [{"id": 1, "name": "a"}]
    gc.collect()
    assert old() is None


def test_tables_are_made_and_columns_added(served: Served, write: Write) -> None:
    head = "from peewee import *\nfrom core import Model\nclass Box(Model):\n    id = AutoField()\n"
    write("store/models.py", head)
    write("store/class/api_boxes.py", "from ..models import Box\nclass Boxes:\n    def get(self): return 1\n")
    served.server.reloader.check()
    ensure_connected()
    assert [column.name for column in database.get_columns("box")] == ["id"]
    database.execute_sql("INSERT INTO box DEFAULT VALUES")
    write("store/models.py", head + "    size = IntegerField(default=7)\n    note = CharField(null=True)\n")
    served.server.reloader.check()
    ensure_connected()
    assert database.execute_sql("SELECT id, size, note FROM box").fetchall() == [(1, 7, None)]


def test_a_migration_runs_once_and_not_on_a_first_load(served: Served, write: Write) -> None:
    head = "from peewee import *\nfrom core import Model\nclass Box(Model):\n    id = AutoField()\n"
    api = "from ..models import Box\nclass Boxes:\n    def get(self): return 1\n"
    migration = "def migrate(database):\n    database.execute_sql('UPDATE box SET {column} = 5')\n"
    write("store/migrations/0001_first.py", migration.format(column="nothing"))
    write("store/models.py", head + "    size = IntegerField(default=1)\n")
    write("store/class/api_boxes.py", api)
    served.server.reloader.check()
    ensure_connected()
    database.execute_sql("INSERT INTO box (size) VALUES (1)")
    write("store/migrations/0002_second.py", migration.format(column="size"))
    served.server.reloader.check()
    ensure_connected()
    assert database.execute_sql("SELECT size FROM box").fetchall() == [(5,)]
    assert "boxes" in catalogue().services
    database.execute_sql("UPDATE box SET size = 2")
    write("store/class/api_boxes.py", api + "#")
    served.server.reloader.check()
    ensure_connected()
    assert database.execute_sql("SELECT size FROM box").fetchall() == [(2,)]


def test_events_run_before_and_after_and_a_reload_replaces_them(served: Served, write: Write) -> None:
    write(
        "store/models.py",
        "from peewee import *\nfrom core import Model, Records\nclass Box(Model):\n    id = AutoField()\n"
        "    name = CharField(default='')\nboxes = Records(Box, service='boxes')\nseen = []\n",
    )
    write(
        "store/class/api_boxes.py",
        "from ..models import boxes, seen\nclass Boxes:\n    ''':access: public'''\n"
        "    def index(self): return boxes.page()\n    def seen(self): return seen\n"
        "    def post(self, request_data: dict): return boxes.create(request_data)\n",
    )
    write(
        "listener/events.py",
        "from core import Refused\nfrom ..store.models import seen\n"
        "def before_boxes_created(record):\n    if record['name'] == 'bad': raise Refused('no bad boxes')\n"
        "def after_boxes_created(record):\n    seen.append(record['name'])\n    if record['name'] == 'late': 1 / 0\n",
    )
    client = served.client(None)
    assert client.ask("POST", "/boxes", {"name": "good"}) == 1
    assert client.refused("POST", "/boxes", {"name": "bad"}, status=405) == "Method Not Allowed: no bad boxes"
    answer = client.simulate_post("/boxes", json={"name": "late"})
    assert answer.status_code == 200
    assert "after_boxes_created failed: ZeroDivisionError" in answer.headers["Warning"]
    assert client.get("/boxes/seen") == ["good", "late"]
    assert [box["name"] for box in client.get("/boxes")] == ["good", "late"]
    write("listener/events.py", "")
    served.server.reloader.check()
    assert client.ask("POST", "/boxes", {"name": "bad"}) == 3


STORE = (
    "from peewee import *\nfrom core import Model, Records\nclass Box(Model):\n    id = AutoField()\n"
    "    name = CharField(default='')\n{more}boxes = Records(Box, service='boxes')\n"
)
BOXES = (
    "from ..models import boxes\nclass Boxes:\n    ''':access: public'''\n"
    "    def post(self, request_data: dict): return boxes.create(request_data)\n"
)


@pytest.mark.parametrize("broken", ["syntax error (", "import nothing\n", "raise SystemExit\n"])
def test_events_that_cannot_be_loaded_refuse_what_they_might_have_refused(
    served: Served, write: Write, broken: str
) -> None:
    write("store/models.py", STORE.format(more=""))
    write("store/class/api_boxes.py", BOXES)
    write("listener/events.py", broken + "\ndef before_boxes_created(record):\n    pass\n")
    client = served.client(None)
    message = client.refused("POST", "/boxes", {"name": "x"}, status=405)
    assert "listener/events.py cannot be loaded" in message
    write("listener/events.py", "def before_boxes_created(record):\n    pass\n")
    served.server.reloader.check()
    assert client.ask("POST", "/boxes", {"name": "x"}) == 1


def test_a_handler_that_nobody_will_call_is_a_failure(served: Served, write: Write) -> None:
    write("listener/events.py", "def before_bxoes_created(record):\n    pass\n")
    assert reason_of(served, "listener/events") == "before_bxoes_created: there is no service bxoes"


@pytest.mark.parametrize(
    ("option", "reason"),
    [
        ("mangaed = ('id',)", "there is no option 'mangaed'"),
        ("required = ('nmae',)", "required names 'nmae', and there is no such field"),
        ("secret = ('pass',)", "secret names 'pass'"),
        ("aliases = {'ref': 'idd'}", "aliases names 'idd'"),
        ("thirdparty = 'soc'", "thirdparty names 'soc'"),
        ("thirdparty = 'name.socid'", "leads to no field"),
    ],
)
def test_a_typing_error_in_meta_is_a_failure(served: Served, write: Write, option: str, reason: str) -> None:
    write("store/models.py", STORE.format(more=f"    class Meta:\n        {option}\n"))
    write("store/class/api_boxes.py", BOXES)
    assert reason in reason_of(served, "boxes")


def test_a_column_that_cannot_be_added_is_named(served: Served, write: Write) -> None:
    write("store/models.py", STORE.format(more=""))
    write("store/class/api_boxes.py", BOXES)
    served.server.reloader.check()
    write("store/models.py", STORE.format(more="    size = IntegerField()\n"))
    assert reason_of(served, "boxes") == "ColumnError: Box.size: a field that is added needs null=True or a default"


def test_a_column_left_behind_is_the_authors_mistake_and_logged(
    served: Served, write: Write, caplog: pytest.LogCaptureFixture
) -> None:
    write("store/models.py", STORE.format(more="    label = CharField()\n"))
    write("store/class/api_boxes.py", BOXES)
    client = served.client(None)
    assert client.ask("POST", "/boxes", {"label": "x"})
    write("store/models.py", STORE.format(more=""))
    served.server.reloader.check()
    assert "box.label: Box has no such field" in caplog.text
    assert client.ask("POST", "/boxes", {"name": "x"}, status=500)["error"]["message"] == "Internal Server Error"
    assert "NOT NULL constraint failed: box.label" in caplog.text


def test_a_file_that_ended_the_process_is_passed_over_until_it_changes(
    serve: Any, write: Write, folder: Path, tmp_path: Path
) -> None:
    file = write("bad/class/api_killer.py", good("Killer"))
    importing = tmp_path / "importing"
    importing.mkdir()
    (importing / "999999.importing").write_text(f"{file}\n{file.stat().st_mtime_ns}")
    served = serve(modules=str(folder))
    assert served.client(None).get("/killer", status=501)
    assert "ended the process" in reason_of(served, "killer")
    file.write_text(good("Killer", "tamed"))
    served.server.reloader.check()
    assert served.client(None).get("/killer") == "tamed"


def test_an_uploaded_name_of_the_standard_library_is_harmless(served: Served, write: Write) -> None:
    write("json/class/api_json.py", good("Json"))
    served.server.reloader.check()
    assert served.client(None).get("/json") == "one"
    import json

    assert json.loads("1") == 1
