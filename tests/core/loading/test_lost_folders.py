"""A module that can't be read any more keeps its services and guards, until it is deleted or can be read again."""

import os
import shutil

import pytest

from core.contract.catalogue import catalogue
from core.loading.folders import look
from core.loading.import_guard import ImportGuard
from core.loading.reload import Reloader
from core.testing import serving
from tests.files import write_files

pytestmark = pytest.mark.usefixtures("without_natives")

MODELS = """
from peewee import AutoField, CharField
from core import Model, Records

class Item(Model):
    id = AutoField()
    name = CharField(default="")

class Items(Records[Item]):
    model = Item

items = Items(service="items")
"""
SERVICE = """
from core import Crud
from ..models import items

class Items(Crud):
    '''Items.'''

    records = items
"""
ROWS = """
from core import Rows
from ..shop.models import Item

RULES = {Item: lambda caller: Rows("{name} <> ?", "secret")}
"""
EVENTS = """
from core import Refused

def before_items_created(record):
    if record["name"].startswith("x"):
        raise Refused("no x")
"""
NOTES = """
class Notes:
    def index(self) -> str:
        ''':access: public'''
        return "{}"

    def get_fall(self) -> str:
        ''':access: protected'''
        return 1 / 0
"""


def release(folder, word="one", *, events=EVENTS):
    """A folder whose module `notes` guards the items."""
    return write_files(
        folder, {"notes/rows.py": ROWS, "notes/events.py": events, "notes/class/api_notes.py": NOTES.format(word)}
    )


@pytest.fixture
def mods(tmp_path):
    """The folder of the guards; the items are in another one."""
    write_files(tmp_path / "shop", {"shop/models.py": MODELS, "shop/class/api_items.py": SERVICE})
    release(tmp_path / "r1")
    (tmp_path / "current").symlink_to("r1")
    return tmp_path / "current"


@pytest.fixture
def served(tmp_path, mods):
    with serving(tmp_path, modules=f"{tmp_path / 'shop'}:{mods}") as made:
        assert not catalogue().failures
        for name in ("secret", "open"):
            made.client().ask("POST", "/items", {"name": name})
        yield made


def check(served):
    """What /health/ready says after the next look."""
    served.server.reloader.check()
    ready = served.client(None).get("/health/ready")
    assert ready["parts"]["modules"] == ("degraded" if ready["degraded"] else "ok")
    return ready


def assert_guarded(served, word="one"):
    user = served.user("items.read", "items.write")
    assert [each["name"] for each in user.get("/items")] == ["open"]
    user.ask("POST", "/items", {"name": "x1"}, status=405)
    assert served.client(None).get("/notes") == word


def move(served, mods):
    mods.resolve().rename(mods.parent / "away")


def remove(served, mods):
    shutil.rmtree(mods.resolve())


def unlink(served, mods):
    mods.unlink()


def loop(served, mods):
    mods.unlink()
    mods.symlink_to(mods.name)


def file(served, mods):
    mods.unlink()
    mods.write_text("")


def hide_module_link(served, mods):
    (mods / "notes").rename(mods / "_notes")
    (mods / "notes").symlink_to("gone")


def lead_module_out(served, mods):
    (mods / "notes").rename(mods.parent / "notes")
    (mods / "notes").symlink_to("../notes")


LOSSES = [move, remove, unlink, loop, file, hide_module_link, lead_module_out]


def loop_module(served, mods):
    (mods / "notes").rename(mods / "_notes")
    (mods / "notes").symlink_to("notes")


LOSSES.append(loop_module)


@pytest.mark.parametrize("lose", LOSSES)
def test_what_vanishes_keeps_its_guards(served, mods, lose, caplog):
    assert check(served)["degraded"] == []
    lose(served, mods)
    assert check(served)["degraded"] == ["notes"]
    assert_guarded(served)
    # Once, with the path
    told = [each for each in caplog.messages if "can't be loaded" in each]
    assert len(told) == 1
    assert str(mods) in told[0]
    assert str(mods) not in str(served.client(None).get("/health/ready"))
    # An unexpected error has its line, whatever the folder is now
    assert served.client().get("/notes/fall", status=500)["error"]["raised"]["line"] == 9
    assert 'comptoir_modules{state="failed"} 1.0' in served.client().simulate_get("/metrics").text
    # Nothing is loaded again while nothing changes
    number = catalogue().number
    assert (check(served)["degraded"], catalogue().number) == (["notes"], number)


def test_each_cause_of_an_unreadable_folder(served, mods, monkeypatch):
    # Root reads any folder, so the system's refusal is imitated
    usual = os.scandir
    for hidden in (mods, mods / "notes", mods / "notes/class"):

        def refuse(path=".", hidden=hidden):
            if str(path) == str(hidden):
                raise PermissionError(13, "Permission denied")
            return usual(path)

        monkeypatch.setattr(os, "scandir", refuse)
        assert check(served)["degraded"] == ["notes"]
        assert_guarded(served)
        monkeypatch.setattr(os, "scandir", usual)
        assert check(served)["degraded"] == []


def test_an_unmounted_disk_leaves_an_empty_folder_of_another_file_system(served, mods, monkeypatch):
    shutil.rmtree(mods / "notes")
    usual = os.stat

    def other_device(path, **more):
        status = usual(path, **more)
        if str(path) != str(mods):
            return status
        values = list(status)
        values[2] += 1
        return os.stat_result(values)

    monkeypatch.setattr(os, "stat", other_device)
    assert check(served)["degraded"] == ["notes"]
    assert_guarded(served)
    monkeypatch.setattr(os, "stat", usual)
    # Of the same file system, the module was deleted
    assert check(served)["degraded"] == []
    served.client(None).get("/notes", status=404)


def test_a_deleted_module_is_removed_with_its_guards(served, mods):
    shutil.rmtree(mods / "notes")
    assert check(served)["degraded"] == []
    served.client(None).get("/notes", status=404)
    assert len(served.user("items.read").get("/items")) == 2


def test_a_switched_link_is_followed(served, mods, tmp_path):
    release(tmp_path / "r2", "two")
    (tmp_path / "next").symlink_to("r2")
    (tmp_path / "next").replace(mods)
    assert check(served)["degraded"] == []
    assert_guarded(served, "two")
    shutil.rmtree(tmp_path / "r1")
    assert check(served)["degraded"] == []
    assert_guarded(served, "two")
    # A link to a link
    (tmp_path / "r3").symlink_to("r4")
    release(tmp_path / "r4", "four")
    (tmp_path / "next").symlink_to("r3")
    (tmp_path / "next").replace(mods)
    check(served)
    assert_guarded(served, "four")


def test_what_comes_back_is_followed(served, mods, tmp_path):
    move(served, mods)
    assert check(served)["degraded"] == ["notes"]
    (tmp_path / "away").rename(tmp_path / "r1")
    assert check(served)["degraded"] == []
    assert_guarded(served)
    move(served, mods)
    assert check(served)["degraded"] == ["notes"]
    write_files(tmp_path / "r1", {"other/class/api_other.py": NOTES.replace("Notes", "Other").format("other")})
    assert check(served)["degraded"] == []
    served.client(None).get("/notes", status=404)
    assert served.client(None).get("/other") == "other"


def test_the_parent_vanishes(tmp_path):
    release(tmp_path / "disk/mods")
    write_files(tmp_path / "shop", {"shop/models.py": MODELS, "shop/class/api_items.py": SERVICE})
    with serving(tmp_path, modules=f"{tmp_path / 'shop'}:{tmp_path / 'disk/mods'}") as served:
        served.client().ask("POST", "/items", {"name": "open"})
        (tmp_path / "disk").rename(tmp_path / "away")
        assert check(served)["degraded"] == ["notes"]
        assert_guarded(served)


def test_a_lost_module_guards_what_is_loaded_again(served, mods, tmp_path):
    """Its rules are those of the classes that it imported."""
    move(served, mods)
    file = tmp_path / "shop/shop/models.py"
    file.write_text(MODELS.replace('default=""', 'default="new"'))
    assert check(served)["degraded"] == ["notes"]
    assert_guarded(served)
    client = served.client()
    new = client.ask("POST", "/items", {})
    assert client.get(f"/items/{new}")["name"] == "new"
    client.ask("DELETE", f"/items/{new}")
    (tmp_path / "away").rename(tmp_path / "r1")
    assert check(served)["degraded"] == []
    assert_guarded(served)


def test_the_first_of_two_modules_of_one_name_stays_the_first(tmp_path, served, mods):
    release(tmp_path / "shop", "second")
    assert check(served)["degraded"] == ["notes"]
    (tmp_path / "shop/notes").rename(tmp_path / "notes")
    loaded = look((mods,))[0]
    move(served, mods)
    found, _ = look((mods, tmp_path), loaded=loaded)
    assert [(each.path, bool(each.lost), each.is_second) for each in found if each.name == "notes"] == [
        (mods / "notes", True, False),
        (tmp_path / "notes", False, True),
    ]


@pytest.mark.parametrize("spoil", ["link", "pipe", "large"])
def test_guards_whose_file_cannot_be_read_refuse(served, mods, spoil):
    for name in ("events.py", "rows.py"):
        file = mods / "notes" / name
        file.unlink()
        if spoil == "link":
            file.symlink_to("gone")
        elif spoil == "pipe":
            os.mkfifo(file)
        else:
            file.write_text("#" * 1_000_001)
    assert check(served)["degraded"] == ["notes"]
    user = served.user("items.read", "items.write")
    assert user.get("/items") == []
    user.ask("POST", "/items", {"name": "y"}, status=405)


def test_a_new_process_ends_if_it_has_missed_modules_that_are_gone(served, mods, monkeypatch, caplog):
    began = []
    monkeypatch.setattr(Reloader, "start", lambda reloader: began.append(reloader))
    loader, records = served.server.reloader.loader, mods.parent / "importing"
    ImportGuard(records, 60).record(loader.look()[0], {})
    new = Reloader(loader, ImportGuard(records, 60))
    move(served, mods)
    new.begin()
    assert began == [new]
    (mods.parent / "away").rename(mods.parent / "r1")
    check(served)
    # Another process has tried a newer state
    write_files(mods.resolve(), {"notes/more.py": ""})
    ImportGuard(records, 60).record(look(loader.folders)[0], {})
    move(served, mods)
    with pytest.raises(SystemExit):
        new.begin()
    assert began == [new]
    assert str(mods) in caplog.messages[-1]
