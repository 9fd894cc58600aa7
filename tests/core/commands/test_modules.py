"""`comptoir modules`, `install`, `disable` and `enable`, with a server that runs meanwhile."""

import json
import os
import stat
import sys
import zipfile

import pytest

from core.contract.catalogue import catalogue
from core.storage.database import execute, query, transaction

pytestmark = pytest.mark.usefixtures("without_natives")

API = """
from peewee import CharField
from core import Crud, Model, Records, Refused, on

class Trip(Model):
    label = CharField(null=True)

class Trips(Crud):
    records = Records(Trip)

@on("trips.deleted", when="before")
def keep(record):
    raise Refused("trips stay")
"""


@pytest.fixture
def variables(folder):
    return {"COMPTOIR_MODULES": str(folder)}


@pytest.fixture
def served(serve, folder):
    folder.mkdir(exist_ok=True)
    return serve(modules=str(folder))


@pytest.fixture
def files(tmp_path):
    """Write a version of the module into a folder."""

    def put(version="1.0", api=API, more=""):
        home = tmp_path / "source/trips"
        (home / "class").mkdir(parents=True, exist_ok=True)
        (home / "module.toml").write_text(f'version = "{version}"\ndescription = "Trips"\n{more}')
        (home / "class/api_trips.py").write_text(api)
        return home

    return put


@pytest.fixture
def archive(tmp_path):
    """Make a ZIP file of texts by path; a text that begins with → is a link."""

    def make(texts):
        file = tmp_path / "trips.zip"
        with zipfile.ZipFile(file, "w") as made:
            for path, text in texts.items():
                entry = zipfile.ZipInfo(path)
                entry.external_attr = (stat.S_IFLNK if text.startswith("→") else stat.S_IFREG | 0o644) << 16
                made.writestr(entry, text)
        return str(file)

    return make


def listed(run):
    return {each["name"]: each for each in json.loads(run("modules", "--json").output)}


def test_a_folder_is_installed_and_replaced_by_a_newer_version(served, run, files, folder):
    told = run("install", str(files())).output
    assert told == f"Installed trips in {folder}; a running server loads it now.\n"
    served.server.reloader.check()
    admin = served.client()
    made = admin.ask("POST", "/trips", {"label": "Oslo"})
    run(
        "install",
        str(files("1.1", API.replace("label = CharField", "note = CharField(null=True)\n    label = CharField"))),
    )
    served.server.reloader.check()
    assert admin.get(f"/trips/{made}").items() >= {"label": "Oslo", "note": None}.items()
    assert listed(run)["trips"].items() >= {"state": "loaded", "version": "1.1", "services": ["trips"]}.items()
    assert sorted(each.name for each in folder.iterdir()) == [".install.lock", "trips"]


@pytest.mark.parametrize("mask", [0o000, 0o077])
def test_only_the_owner_can_write_what_is_installed(served, run, files, folder, mask):
    before = os.umask(mask)
    try:
        run("install", str(files()))
    finally:
        os.umask(before)
    modes = {
        each.relative_to(folder).as_posix(): stat.S_IMODE(each.stat().st_mode) for each in (folder / "trips").rglob("*")
    }
    assert modes == {"trips/class": 0o755, "trips/class/api_trips.py": 0o644, "trips/module.toml": 0o644}
    served.server.reloader.check()
    assert served.client().get("/trips") == []


def test_an_older_version_is_refused(run, files, served):
    run("install", str(files("2.0")))
    told = run("install", str(files("1.9")), code=1).output
    assert told == "Error: trips 1.9 is older than the installed version 2.0; nothing was changed\n"
    assert listed(run)["trips"]["version"] == "2.0"


@pytest.mark.parametrize(
    ("api", "more", "reason"),
    [
        ("1 / 0\n", "", "trips/class/api_trips.py:1: ZeroDivisionError: division by zero"),
        (API, 'requires = ["tours"]', "trips/class/api_trips.py: module.toml: requires: there is no module tours"),
        (
            API.replace("trips.deleted", "trips.delted"),
            "",
            "trips doesn't send the event delted; did you mean deleted?",
        ),
    ],
)
def test_a_module_that_cannot_be_loaded_changes_nothing(served, run, files, api, more, reason):
    run("install", str(files("1.0")))
    served.server.reloader.check()
    result = run("install", str(files("1.1", api, more)), code=1)
    assert reason in result.output
    assert "can't be loaded; nothing was changed" in result.output
    served.server.reloader.check()
    assert served.client().get("/trips") == []
    assert listed(run)["trips"]["version"] == "1.0"


def test_a_package_is_installed_from_its_wheel(served, run, tmp_path):
    about = {
        "WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "METADATA": "Metadata-Version: 2.1\nName: comptoir-trips\nVersion: 1.0\n",
        "RECORD": "",
    }
    with zipfile.ZipFile(tmp_path / "comptoir_trips-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("trips/class/api_trips.py", API)
        for name, text in about.items():
            wheel.writestr(f"comptoir_trips-1.0.dist-info/{name}", text)
    environment = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    told = run("install", "comptoir-trips>=1", **environment).output
    assert told.startswith("Installed trips in ")
    served.server.reloader.check()
    assert served.client().get("/trips") == []
    told = run("install", "comptoir-tours", code=1, **environment).output
    assert told.startswith(
        "Error: there is no folder or file comptoir-tours, and no package that pip finds: No matching"
    )
    assert run("install", "nowhere/trips.zip", code=1).output == "Error: there is no folder or file nowhere/trips.zip\n"


def test_a_zip_file_is_installed_by_the_name_of_its_folder(served, run, archive):
    run("install", archive({"trips/module.toml": 'version = "3"', "trips/class/api_trips.py": API, "__MACOSX/x": ""}))
    served.server.reloader.check()
    assert served.client().get("/trips") == []


@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        ({"../evil.py": ""}, "'../evil.py' leads out of the module"),
        ({"trips/../../evil.py": ""}, "'trips/../../evil.py' leads out of the module"),
        ({"/etc/evil.py": ""}, "'/etc/evil.py' leads out of the module"),
        ({"trips\\evil.py": ""}, "leads out of the module"),
        ({"trips/link": "→/etc/passwd"}, "'trips/link' is a link; a module may have none"),
        ({"my-trips/class/api_trips.py": API}, "got 'my-trips'"),
        ({}, "contains no files"),
        ({f"trips/{number}.txt": "" for number in range(5001)}, "expected a module of at most 5000 files and 64 MB"),
        ({"trips/big.txt": "a" * (65 * 1024 * 1024)}, "expected a module of at most 5000 files and 64 MB"),
    ],
)
def test_a_zip_file_that_is_unsafe_is_refused(served, run, archive, folder, texts, reason):
    assert reason in run("install", archive(texts), code=1).output
    assert {each.name for each in folder.iterdir()} <= {".install.lock"}
    assert not (folder.parent / "evil.py").exists()


def test_what_is_no_zip_file_is_refused(served, run, tmp_path):
    (tmp_path / "trips.zip").write_text("no archive")
    assert "can't be read as a ZIP file" in run("install", str(tmp_path / "trips.zip"), code=1).output


def test_a_link_in_a_folder_is_refused(served, run, files):
    home = files()
    (home / "secrets.py").symlink_to("/etc/passwd")
    assert "secrets.py is a link" in run("install", str(home), code=1).output


def test_a_disabled_module_is_not_served_until_it_is_enabled(served, run, files, folder):
    run("install", str(files()))
    served.server.reloader.check()
    admin = served.client()
    made = admin.ask("POST", "/trips", {"label": "Oslo"})
    told = run("disable", "trips").output
    assert "No longer checked by trips: trips.deleted." in told
    served.server.reloader.check()
    assert admin.ask("GET", f"/trips/{made}", status=404)
    assert catalogue().failures == ()
    assert listed(run)["trips"].items() >= {"state": "disabled", "services": []}.items()
    # A new version stays disabled
    run("install", str(files("1.1")))
    served.server.reloader.check()
    assert admin.ask("GET", f"/trips/{made}", status=404)
    run("enable", "trips")
    served.server.reloader.check()
    assert admin.get(f"/trips/{made}")["label"] == "Oslo"
    assert run("enable", "trips", code=1).output == "Error: trips isn't disabled\n"


def test_row_rules_of_a_disabled_module_stay_in_force(served, run, write, files, folder):
    run("install", str(files()))
    write(
        "trips/models.py",
        "from peewee import CharField\nfrom core import Model\n\nclass Trip(Model):\n    label = CharField()\n",
    )
    api = (
        "from core import Crud, Records\nfrom ..models import Trip\n\nclass Trips(Crud):\n    records = Records(Trip)\n"
    )
    write("trips/class/api_trips.py", api)
    rows = "from core import Rows\nfrom .models import Trip\n\nRULES = {Trip: lambda caller: Rows.ALL if caller.admin else Rows.NONE}\n"
    write("trips/rows.py", rows)
    write(
        "tours/class/api_tours.py",
        "from ...trips.models import Trip\nfrom core import Records\n\ntrips = Records(Trip, service='trips')\n\nclass Tours:\n    ''':access: protected'''\n    def index(self): return trips.count()\n",
    )
    served.server.reloader.check()
    served.client().ask("POST", "/trips", {"label": "Oslo"})
    run("disable", "trips")
    served.server.reloader.check()
    assert served.client().get("/tours") == 1
    assert served.user().get("/tours") == 0


def test_a_module_that_another_one_requires_cannot_be_disabled(served, run, write, files):
    run("install", str(files()))
    write("tours/module.toml", 'requires = ["trips"]')
    assert run("disable", "trips", code=1).output == "Error: tours requires trips; disable it first\n"
    assert listed(run)["trips"]["needed_by"] == ["tours"]


def test_unknown_and_native_modules_are_refused(served, run, files):
    run("install", str(files()))
    for name in ("tripz", "setup"):
        told = run("disable", name, code=1).output
        assert told == f"Error: unknown module {name}; modules that can be disabled: trips\n"


@pytest.mark.every_database
def test_a_module_is_uninstalled_with_its_data(kind, serve, run, write, files, folder):
    folder.mkdir(exist_ok=True)
    served = serve(kind, modules=str(folder))
    environment = {"COMPTOIR_DATABASE": served.settings.database}
    run("install", str(files()))
    stops = "from core import Crud, Model, RecordField, Records, Account\nfrom peewee import CharField\n\nclass Stop(Model):\n    trip = RecordField('self', 'Stop', null=True)\n    user = RecordField(Account, 'User', null=True)\n    town = CharField()\n    class Meta:\n        searched = ('town',)\n        extrafields = 'stop'\n\nclass Stops(Crud):\n    records = Records(Stop)\n"
    write("trips/class/api_stops.py", stops)
    served.server.reloader.check()
    admin, member = served.client(), served.user("trips.read")
    first = admin.ask("POST", "/stops", {"town": "Oslo"})
    admin.ask("POST", "/stops", {"town": "Bergen", "trip": first})
    assert run("uninstall", "trips", input="n\n", code=1, **environment)
    assert member.get("/trips") == []
    # The data stays
    run("uninstall", "trips", "--yes", **environment)
    served.server.reloader.check()
    assert admin.ask("GET", "/stops", status=404)
    run("install", str(files()))
    write("trips/class/api_stops.py", stops)
    served.server.reloader.check()
    assert [each["town"] for each in admin.get("/stops?sortfield=id")] == ["Oslo", "Bergen"]
    # The data goes
    told = run("uninstall", "trips", "--data", "--yes", **environment).output
    assert told == "Removed the module trips and 3 tables: stop, stop_extrafields, trip.\n"
    served.server.reloader.check()
    run("install", str(files()))
    write("trips/class/api_stops.py", stops)
    served.server.reloader.check()
    assert [each.reason for each in catalogue().failures] == []
    assert admin.get("/stops") == []
    assert member.ask("GET", "/trips", status=401)
    assert admin.ask("POST", "/stops", {"town": "Rome"}) == 1


def test_data_that_another_module_refers_to_stays(served, run, write, files, folder):
    run("install", str(files()))
    write(
        "trips/models.py",
        "from peewee import CharField\nfrom core import Model\n\nclass Trip(Model):\n    label = CharField()\n",
    )
    write(
        "trips/class/api_trips.py",
        "from core import Crud, Records\nfrom ..models import Trip\n\nclass Trips(Crud):\n    records = Records(Trip)\n",
    )
    write(
        "tours/models.py",
        "from core import Model, RecordField\nfrom ..trips.models import Trip\n\nclass Tour(Model):\n    trip = RecordField(Trip, 'Trip')\n",
    )
    served.server.reloader.check()
    environment = {"COMPTOIR_DATABASE": served.settings.database}
    told = run("uninstall", "trips", "--data", "--yes", code=1, **environment).output
    assert told == "Error: tour.trip refers to trip; remove that module first; nothing was changed\n"
    assert (folder / "trips/models.py").exists()


def test_the_data_of_other_modules_stays(serve, run, write, folder):
    folder.mkdir(exist_ok=True)
    served = serve(modules=str(folder))
    environment = {"COMPTOIR_DATABASE": served.settings.database}
    setting = '[settings.level]\ndefault = "low"\n'
    for module, service in (("a_b", "boats"), ("axb", "boats"), ("c", "cars")):
        write(f"{module}/module.toml", setting)
        write(
            f"{module}/class/api_{service}.py", API.replace("Trip", service[:-1].capitalize()).replace("trips", service)
        )
    served.server.reloader.check()
    member = served.user("boats.read")
    stored = "INSERT INTO llx_const (name, entity, value, visible) VALUES (?, 1, 'x', 1)"
    with transaction():
        execute("CREATE TABLE IF NOT EXISTS llx_const (name TEXT, entity INTEGER, value TEXT, visible INTEGER)")
        for module in ("a_b", "axb"):
            execute(stored, (f"{module}.level",))
    run("uninstall", "a_b", "--data", "--yes", **environment)
    served.server.reloader.check()
    assert [name for (name,) in query("SELECT name FROM llx_const WHERE name LIKE '%.level'")] == ["axb.level"]
    # The other module's service has the name, so its permissions stay
    assert member.get("/boats") == []


def test_a_failed_removal_keeps_the_module(served, run, files, folder, monkeypatch):
    run("install", str(files()))

    def fail(*values):
        raise OSError("no database")

    monkeypatch.setattr(sys.modules["core.commands.modules"], "remove_data", fail)
    with pytest.raises(OSError, match="no database"):
        run("uninstall", "trips", "--data", "--yes", COMPTOIR_DATABASE=served.settings.database)
    assert (folder / "trips/module.toml").exists()


def test_a_second_module_of_a_name_cannot_be_removed_with_the_data_of_the_first(served, run, files, folder, tmp_path):
    run("install", str(files()))
    second = tmp_path / "more"
    (second / "trips").mkdir(parents=True)
    (second / "trips/module.toml").write_text("")
    environment = {"COMPTOIR_MODULES": f"{folder}:{second}", "COMPTOIR_DATABASE": served.settings.database}
    served.server.reloader.check()
    run("uninstall", "trips", "--yes", **environment)
    assert not (folder / "trips").exists()
    assert (second / "trips").exists()
