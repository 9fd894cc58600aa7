"""From files to services: what loads, what fails with which reason, and how a change is followed."""

import gc
import os
import socket
import sys
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from contextlib import chdir

import pytest

from core.contract.catalogue import catalogue
from tests.core.loading.services import reason_of

pytestmark = pytest.mark.usefixtures("without_natives")

GOOD = '''
class {name}:
    """Say a word.

    :access: public
    """

    def index(self) -> str:
        """The word."""
        return "{word}"
'''


def good(name="Words", word="one"):
    return GOOD.format(name=name, word=word)


def test_a_dropped_file_is_called_without_a_restart(served, write):
    client = served.client(None)
    assert client.get("/words", status=404)
    write("talk/class/api_words.py", good())
    assert client.get("/words") == "one"


def test_whoever_calls_a_file_that_is_just_being_loaded_waits_for_it(served, write, tmp_path, monkeypatch):
    begun, free = tmp_path / "begun", tmp_path / "free"
    wait = f"import pathlib, time\npathlib.Path({str(begun)!r}).touch()\n"
    wait += f"while not pathlib.Path({str(free)!r}).exists(): time.sleep(0.01)\n"
    reloader, asked = served.server.reloader, threading.Event()
    check = reloader._check_in_thread
    monkeypatch.setattr(reloader, "_check_in_thread", lambda since: asked.set() or check(since))
    reloader.patience = 60.0
    write("talk/class/api_words.py", wait + good())
    with ThreadPoolExecutor(2) as pool:
        loading = pool.submit(reloader.check)
        while not begun.exists():
            time.sleep(0.01)
        call = pool.submit(served.client(None).get, "/words")
        came = asked.wait(60)
        free.touch()
        assert loading.result() and came
        # It is a 404 if it doesn't wait
        assert call.result() == "one"


def test_edits_removal_and_return_are_followed(served, write):
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


def test_an_edit_of_equal_length_and_time_is_seen_by_its_inode(served, write, folder):
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


@pytest.mark.natives
def test_501_comes_before_authentication_with_its_words(served, write):
    write("talk/class/api_words.py", "raise RuntimeError('at import')")
    nobody, administrator = served.client(None), served.client()
    answer = nobody.get("/words", status=501)
    assert answer["error"]["message"] == "API not found (failed to include API file)"
    assert nobody.get("/words/1/anything", status=501)
    assert nobody.ask("POST", "/Words", {}, status=501)
    assert "at import" not in str(answer)
    assert "cause" not in served.user("setup.read").get("/words", status=501)["error"]
    told = administrator.get("/words", status=501)["error"]
    schemas = administrator.get("/explorer/openapi.json")["components"]["schemas"]
    described = schemas[schemas["Error"]["properties"]["error"]["$ref"].rpartition("/")[2]]
    assert told.keys() <= described["properties"].keys()
    assert told["reason"] == answer["error"]["reason"] == "not_loadable"
    assert told["cause"] == "RuntimeError: at import"
    assert "raise RuntimeError('at import')" in told["trace"]
    assert "importlib" not in told["trace"]
    assert administrator.get("/status")["success"]


BROKEN = {
    "raises": ("raise ValueError('no')", "ValueError: no"),
    "exits": ("import sys\nsys.exit(3)", "SystemExit: 3"),
    "interrupts": ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    "syntax": ("def (", "SyntaxError: invalid syntax"),
    "imports": ("import nothing_of_this_name", "ModuleNotFoundError: No module named 'nothing_of_this_name'"),
    "empty": ("", "expected a class named after the file"),
    "named": ("class Other:\n    pass", "expected a class named after the file"),
    "made": ("class Made:\n    def __init__(self, x): pass", "expected the class Made to take no arguments"),
    "zero": ("class Zero:\n    x = 1 / 0", "ZeroDivisionError: division by zero"),
    "doc": ('class Doc:\n    def get(self):\n        """A.\n\n        :param broken\n        """', "Doc.get: "),
    "limit": ('class Limit:\n    def get(self, n: int):\n        """A.\n\n        :param n: n {@minn 2}\n        """', "minn"),
    "raising": ('class Raising:\n    def get(self):\n        """A.\n\n        :raises Nothing: x\n        """', ":raises Nothing"),
    "url": ('class Url:\n    def get(self):\n        """A.\n\n        :url: GET {id}\n        """', "expected a parameter for each of the variables ['id']"),
    "verb": ('class Verb:\n    def get(self):\n        """A.\n\n        :url: FETCH x\n        """', "FETCH"),
    "right": ('class Right:\n    def get(self):\n        """A.\n\n        :permission: right.spnd\n        """', "unknown permission right.spnd"),
    "foreign": ('class Foreign:\n    def get(self):\n        """A.\n\n        :permission: nosuch.read\n        """', "unknown permission nosuch.read"),
    "words": ('class Words:\n    def get(self):\n        """A.\n\n        :permission: everybody else\n        """', "expected permissions"),
    "open": ('class Open:\n    """A.\n\n    :access: public\n    """\n    def get(self):\n        """A.\n\n        :permission: open.read\n        """', ":permission: needs a key, but :access: is public"),
    "type": ("class Type:\n    def get(self, n: object.__class__): pass\n    def post(self, n: complex): pass", "a value of a request can't be converted to"),
    "name": ("class Name:\n    def get(self, n: 'Nowhere'): pass", "the type annotations can't be resolved"),
    "many": ("class Many:\n    def get(self, *all): pass", "can't be read from a request"),
    "twice": ("class Twice:\n    def get(self, id: int): pass\n    def other(self, n: int):\n        ''':url: GET {n}'''", "is served by both twice.get and twice.other"),
    "described": ('class Described:\n    def get(self, n: int):\n        """A.\n\n        :param m: m\n        """', ":param m: describes a parameter that"),
    "keys": ("from typing import TypedDict\nclass Row(TypedDict):\n    n: 'Nowhere'\nclass Keys:\n    def index(self) -> Row: pass", "the keys of Row can't be read: NameError"),
    "rows": ("from typing import TypedDict\nclass Row(TypedDict):\n    n: 'Nowhere'\nclass Rows:\n    def index(self) -> list[Row]: pass", "the keys of Row can't be read: NameError"),
    "selfless": ("class Selfless:\n    def index(): pass", "Selfless.index: expected self as the first parameter, got ()"),
    "near": ('class Near:\n    def get(self):\n        """A.\n\n        :permission: neaar.read\n        """', "Near.get: unknown permission neaar.read; did you mean near.read?"),
    "explorer": ("class Explorer: pass", "is reserved for the server"),
}  # fmt: skip


def test_a_broken_file_disables_only_its_own_service(served, write):
    for name, (text, _) in BROKEN.items():
        write(f"bad/class/api_{name}.py", text)
    write("bad/class/api_fine.py", good("Fine"))
    served.server.reloader.check()
    reasons = {failure.name: failure.reason for failure in catalogue().failures}
    assert {
        name: reasons.get(name) for name, (_, reason) in BROKEN.items() if reason not in reasons.get(name, "")
    } == {}
    client = served.client(None)
    assert client.get("/fine") == "one"
    for name in BROKEN.keys() - {"explorer"}:
        client.get(f"/{name}", status=501)


def test_the_methods_of_a_broken_file_are_read_from_its_text(served, write):
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
def test_the_spellings_of_a_file_name(served, write, file):
    write(f"talk/class/{file}", good("WordsApi") if file == "api_words.py" else good("W_ords"))
    served.server.reloader.check()
    assert served.client(None).get("/words") == "one"


def test_names_that_are_passed_over_are_told(served, write, folder):
    for path in ("talk/class/words.py", "talk/class/api_.py", "talk/class/api_wörds.py", "da-sh/class/api_x.py"):
        write(path, good())
    write(".hidden/class/api_words.py", good())
    write("talk/class/api___init__.py", good())
    served.server.reloader.check()
    skipped = {path.name: reason for path, reason in catalogue().skipped}
    assert set(skipped) == {"words.py", "api_.py", "api_wörds.py", "da-sh", "api___init__.py"}
    assert served.client(None).get("/words", status=404)


def test_a_folder_that_does_not_exist_is_told_and_found_later(serve, tmp_path):
    served = serve(modules=str(tmp_path / "later"))
    assert (tmp_path / "later", "the folder doesn't exist") in catalogue().skipped
    (tmp_path / "later/talk/class").mkdir(parents=True)
    (tmp_path / "later/talk/class/api_words.py").write_text(good())
    served.server.reloader.check()
    assert served.client(None).get("/words") == "one"


@pytest.mark.natives
def test_the_native_file_serves_then_the_first_in_path_order(served, write):
    write("a/class/api_words.py", good(word="first"))
    write("b/class/api_words.py", good(word="second"))
    write("b/class/api_status.py", good("Status", "mine"))
    served.server.reloader.check()
    assert served.client(None).get("/words") == "first"
    assert served.client().get("/status") != "mine"
    shadowed = {failure.name: failure.reason for failure in catalogue().failures}
    assert "is already served by" in shadowed["words"]
    assert "modules/setup/class/api_status.py" in shadowed["status"]


def test_a_second_folder_of_a_name_is_a_failure(serve, tmp_path):
    for number in ("1", "2"):
        file = tmp_path / number / "talk" / "class" / f"api_words{number}.py"
        file.parent.mkdir(parents=True)
        file.write_text(good(f"Words{number}", number))
    served = serve(modules=f"{tmp_path}/1:{tmp_path}/2")
    assert served.client(None).get("/words1") == "1"
    assert served.client(None).get("/words2", status=501)
    assert "already has a module of this name" in reason_of(served, "words2")


def test_links_that_lead_out_and_files_anybody_may_write_are_refused(served, write, folder, tmp_path):
    (tmp_path / "elsewhere.py").write_text(good("Linked"))
    (folder / "x/class").mkdir(parents=True)
    (folder / "x/class/api_linked.py").symlink_to(tmp_path / "elsewhere.py")
    (tmp_path / "away/class").mkdir(parents=True)
    (tmp_path / "away/class/api_away.py").write_text(good("Away"))
    (folder / "away").symlink_to(tmp_path / "away")
    write("y/class/api_loose.py", good("Loose"))
    (folder / "y").chmod(0o777)
    served.server.reloader.check()
    client = served.client(None)
    assert client.get("/linked", status=404)
    assert client.get("/away", status=404)
    assert client.get("/loose", status=501)
    assert f"chmod go-w {folder}/y" in reason_of(served, "loose")
    assert "links that lead out" in str(catalogue().skipped)


def test_what_imports_a_changed_module_is_loaded_anew(served, write):
    write("base/words.py", "WORD = 'one'")
    write("user/class/api_words.py", "from ...base.words import WORD\n" + good().replace('"one"', "WORD"))
    served.server.reloader.check()
    assert served.client(None).get("/words") == "one"
    write("base/words.py", "WORD = 'two'")
    served.server.reloader.check()
    assert served.client(None).get("/words") == "two"


def test_a_reload_leaves_no_old_generation_behind(served, write):
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


# Files that must not be opened, or not be read to the end -------------------------------------------------------------


def make_pipe(file):
    os.mkfifo(file)


def make_socket(file):
    # The system takes short names only
    with chdir(file.parent), socket.socket(socket.AF_UNIX) as made:
        made.bind(file.name)


def make_dangling(file):
    file.symlink_to(file.parent / "nothing.py")


def make_device(file):
    file.symlink_to("/dev/zero")


def make_large(file):
    file.write_text("#" * 1_000_001)


UNREADABLE = {
    make_pipe: "expected a regular file",
    make_socket: "expected a regular file",
    make_device: "expected a regular file",
    make_dangling: "the target of the link doesn't exist",
    make_large: "expected at most 1000000 bytes, got 1000001",
}


@pytest.mark.fault("A special or oversized file is dropped into each folder", "only its own service fails")
@pytest.mark.parametrize("make", UNREADABLE)
def test_what_is_no_regular_file_costs_itself_alone(serve, write, folder, make, seen):
    write("odd/class/api_good.py", good("Good"))
    for name in ("class/api_odd.py", "class/api_old.class.py", "rows.py", "events.py", "texts/sv.po", "helper.py"):
        (folder / "odd" / name).parent.mkdir(exist_ok=True)
        make(folder / "odd" / name)
    (folder / "odd/doctemplates").mkdir()
    make(folder / "odd/doctemplates/pdf_odd.py")
    (folder / "odd/migrations").mkdir()
    make(folder / "odd/migrations/0001_odd.py")
    served = serve(modules=str(folder))
    assert served.client(None).get("/good") == "one"
    for name in ("odd", "old"):
        assert served.client(None).get(f"/{name}", status=501)
        assert UNREADABLE[make] in reason_of(served, name)
    failed = {each.file.name: each.reason for each in catalogue().failures}
    expected = {"api_odd.py", "api_old.class.py", "rows.py", "events.py", "sv.po", "0001_odd.py", "pdf_odd.py"}
    assert {name for name in failed if UNREADABLE[make] in failed[name]} == expected
    seen(f"501 with {UNREADABLE[make]!r}, other services work")
    (folder / "odd/class/api_odd.py").unlink()
    write("odd/class/api_odd.py", good("Odd"))
    served.server.reloader.check()
    assert served.client(None).get("/odd") == "one"


def test_an_uploaded_name_of_the_standard_library_is_harmless(served, write):
    write("json/class/api_json.py", good("Json"))
    served.server.reloader.check()
    assert served.client(None).get("/json") == "one"
    import json

    assert json.loads("1") == 1
