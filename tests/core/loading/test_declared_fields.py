"""Extra fields of other records that a module declares in module.toml."""

import os
import shutil
import subprocess
import sys

import pytest

from core.contract.catalogue import catalogue
from core.records.extra_fields import ExtraField
from core.storage.database import database, execute
from core.testing import serving

FIELDS = """
[fields.thirdparties.club_level]
type = "int"
label = "Club level"
default = 1

[fields.thirdparties.club_colour]
type = "select"
label = "Colour"
options = { red = "Red", blue = "Blue" }

[fields.thirdparties.club_share]
type = "double"
label = "Share"
default = 1.5
"""
CUSTOMER = {"name": "Customer", "client": 1}


def options(record):
    names = ("options_club_level", "options_club_colour")
    return {name: value for name, value in (record["array_options"] or {}).items() if name in names}


@pytest.fixture
def club(kind, folder, tmp_path, write):
    """A server with the native modules and a module that declares fields."""
    write("club/module.toml", FIELDS)
    write("club/class/api_club.py", "class Club:\n    def index(self): return 1\n")
    with serving(tmp_path, kind, modules=str(folder)) as served:
        assert [each.reason for each in catalogue().failures] == []
        yield served


@pytest.mark.every_database
def test_records_have_the_fields_of_a_module_while_it_is_there(club, write, folder):
    admin = club.client()
    customer = admin.ask("POST", "/thirdparties", {**CUSTOMER, "array_options": {"options_club_colour": "red"}})
    path = f"/thirdparties/{customer}"
    assert options(admin.get(path)) == {"options_club_level": 1, "options_club_colour": "red"}
    admin.ask("PATCH", path, {"array_options": {"options_club_level": 7}})
    assert len(admin.get("/thirdparties", sqlfilters="(ef.club_level:=:7)")) == 1
    error = admin.ask("PATCH", path, {"array_options": {"options_club_colour": "green"}}, status=400)["error"]
    assert error["errors"][0]["field"] == "array_options.options_club_colour"

    (folder / "club/DISABLED").touch()
    club.server.reloader.check()
    assert options(admin.get(path)) == {}
    admin.get("/thirdparties", sqlfilters="(ef.club_level:=:7)", status=400)
    # A replacing PUT clears only fields that are in force
    admin.ask("PUT", path, {"name": "Other", "array_options": {}})
    (folder / "club/DISABLED").unlink()
    club.server.reloader.check()
    assert options(admin.get(path)) == {"options_club_level": 7, "options_club_colour": "red"}

    write("club/module.toml", 'description = "No fields"')
    club.server.reloader.check()
    assert options(admin.get(path)) == {}


def test_a_changed_declaration_changes_the_field(club, write):
    admin = club.client()
    write("club/module.toml", FIELDS.replace("Club level", "Level").replace('blue = "Blue"', 'green = "Green"'))
    club.server.reloader.check()
    assert admin.get("/setup/extrafields/societe/club_level")["label"] == "Level"
    customer = admin.ask("POST", "/thirdparties", {**CUSTOMER, "array_options": {"options_club_colour": "green"}})
    assert options(admin.get(f"/thirdparties/{customer}"))["options_club_colour"] == "green"


def test_only_its_module_changes_a_field(club):
    admin, path = club.client(), "/setup/extrafields/societe/club_level"
    for verb, body in (("PUT", {"label": "Mine", "type": "int"}), ("DELETE", None)):
        message = admin.ask(verb, path, body, status=405)["error"]["message"]
        assert "the module club declares the extra field club_level; change its module.toml" in message


def test_a_field_that_somebody_has_defined_stays_theirs(club, write, folder):
    admin = club.client()
    own = {"label": "Old", "type": "select", "param": {"options": {"a": "A", "b": "B"}}, "required": 1}
    admin.ask("POST", "/setup/extrafields/societe/old_level", own)
    customer = admin.ask("POST", "/thirdparties", {**CUSTOMER, "array_options": {"options_old_level": "a"}})
    write("club/module.toml", FIELDS.replace("club_colour", "old_level"))
    club.server.reloader.check()
    (folder / "club/DISABLED").touch()
    club.server.reloader.check()
    assert admin.get(f"/thirdparties/{customer}")["array_options"]["options_old_level"] == "a"
    shown = admin.get("/setup/extrafields/societe/old_level")
    assert (shown["label"], shown["required"], [*shown["param"]["options"]]) == ("Old", 1, ["a", "b"])


def test_a_table_that_is_made_again_has_the_fields(club, write):
    bikes = "from peewee import CharField\nfrom core import Crud, Model, Records\n\n\nclass Bike(Model):\n    name = CharField()\n\n    class Meta:\n        table_name = 'bikes_bike'\n        extrafields = 'bike'\n\n\nclass Bikes(Crud):\n    records = Records(Bike)\n"
    write("bikes/class/api_bikes.py", bikes)
    write("club/module.toml", FIELDS.replace("thirdparties", "bikes"))
    club.server.reloader.check()
    admin = club.client()
    assert options(admin.get(f"/bikes/{admin.ask('POST', '/bikes', {'name': 'A'})}"))["options_club_level"] == 1
    write("bikes/class/api_bikes.py", "")
    club.server.reloader.check()
    for table in ("bikes_bike", "bikes_bike_extrafields"):
        execute(f"DROP TABLE {table}")
    write("bikes/class/api_bikes.py", bikes)
    club.server.reloader.check()
    assert options(admin.get(f"/bikes/{admin.ask('POST', '/bikes', {'name': 'A'})}"))["options_club_level"] == 1


def test_a_field_of_a_module_that_is_gone_can_be_deleted(club, folder):
    admin, path = club.client(), "/setup/extrafields/societe/club_level"
    shutil.rmtree(folder / "club")
    club.server.reloader.check()
    admin.ask("DELETE", path)
    admin.ask("POST", path, {"label": "Mine", "type": "int"})


def test_a_module_that_is_refused_makes_no_field(club, write):
    write("thirdparties/module.toml", "[fields.orders.evil]\ntype = 'int'\nlabel = 'Evil'\nrequired = true")
    club.server.reloader.check()
    assert [each.module for each in catalogue().failures] == ["thirdparties"]
    assert ExtraField.get_or_none(name="evil") is None


WRONG = {
    "no such service": ("[fields.thirdpartys.a]\ntype = 'int'\nlabel = 'A'", "fields.thirdpartys.a: unknown service thirdpartys; did you mean thirdparties?"),
    "a service without them": ("[fields.status.a]\ntype = 'int'\nlabel = 'A'", "fields.status.a: the records of status have no extra fields"),
    "another type": ("[fields.thirdparties.club_level]\ntype = 'date'\nlabel = 'A'", "fields.thirdparties.club_level: there is already an extra field club_level of societe, with another type or size"),
    "no such type": ("[fields.thirdparties.a]\ntype = 'integer'\nlabel = 'A'", "fields.thirdparties.a.type: expected one of varchar, text,"),
    "no label": ("[fields.thirdparties.a]\ntype = 'int'", "fields.thirdparties.a: `label` is required"),
    "a reserved name": ("[fields.thirdparties.rowid]\ntype = 'int'\nlabel = 'A'", "fields.thirdparties.rowid: expected a name of lower-case letters, digits and _ that isn't reserved"),
    "a default that doesn't fit": ("[fields.thirdparties.a]\ntype = 'int'\nlabel = 'A'\ndefault = 'x'", "fields.thirdparties.a: `default`: expected a whole number"),
    "no options": ("[fields.thirdparties.a]\ntype = 'select'\nlabel = 'A'", "fields.thirdparties.a: expected {\"options\""),
    "an unknown key": ("[fields.thirdparties.a]\ntype = 'int'\nlable = 'A'", "fields.thirdparties.a.lable: unknown key; did you mean label?"),
    "no table of a service": ("[fields]\nthirdparties = 1", "fields.thirdparties: expected tables such as [fields.thirdparties.level]"),
    "no table": ("[fields.thirdparties]\na = 1", "fields.thirdparties.a: expected a table [fields.thirdparties.a]"),
}  # fmt: skip


def test_a_wrong_declaration_is_a_failure_of_its_module(club, write):
    # One server: each start takes a second
    for case, (text, reason) in WRONG.items():
        write("club/module.toml", text)
        club.server.reloader.check()
        found = {(each.module, each.reason[: len(reason) + 13]) for each in catalogue().failures}
        assert found == {("club", f"module.toml: {reason}")}, case
        # It disables nothing else
        assert club.client().get("/club") == 1
    club.client().ask("POST", "/thirdparties", CUSTOMER)


def test_a_field_belongs_to_one_module(club, write):
    write("second/module.toml", FIELDS)
    club.server.reloader.check()
    reasons = [each.reason for each in catalogue().failures if each.module == "second"]
    assert reasons == [
        f"module.toml: fields.thirdparties.{name}: the module club already declares it"
        for name in ("club_level", "club_colour", "club_share")
    ]


@pytest.mark.every_database
def test_uninstalling_takes_the_fields_along(club, folder):
    """But only with `--data`."""
    admin = club.client()
    admin.ask("POST", "/setup/extrafields/societe/kept", {"label": "Kept", "type": "int"})
    # The check doesn't need a database
    subprocess.run(
        [sys.executable, "-m", "core", "check"], env=os.environ | {"COMPTOIR_MODULES": str(folder)}, check=True
    )
    environment = os.environ | {"COMPTOIR_MODULES": str(folder), "COMPTOIR_DATABASE": club.settings.database}
    command = [sys.executable, "-m", "core", "uninstall", "club", "--data", "--yes"]
    told = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert (
        told
        == "Removed the module club and the extra fields societe.club_level, societe.club_colour, societe.club_share.\n"
    )
    club.server.reloader.check()
    assert list(admin.get("/setup/extrafields")["societe"]) == ["kept"]
    columns = {each.name for each in database.get_columns("llx_societe_extrafields")}
    assert "kept" in columns and not columns & {"club_level", "club_colour"}
