"""The file module.toml: settings, the modules and packages that a module needs, and what is wrong in it."""

import pytest

from core.contract.catalogue import catalogue
from tests.core.loading.services import reason_of

MANIFEST = """
version = "1.2"
description = "Loyalty cards"
server = "0.1"
requires = ["thirdparties"]
packages = ["peewee>=4"]

[settings.points_per_euro]
type = "number"
default = 1.5
min = 0
max = 100
help = "points for each euro"

[settings.level]
choices = ["silver", "gold"]
default = "silver"

[settings.is_open]
type = "switch"
default = true

[settings.first_day]
type = "day"
default = 2026-01-01

[settings.most]
type = "integer"
default = 10

[settings.api_code]
secret = true
help = "the code of the bank"
"""
API = """
from core import setting

class Points:
    ''':access: public'''

    def index(self, name: str = "points_per_euro"):
        value = setting(f"points.{name}")
        return [type(value).__name__, str(value)]
"""


@pytest.fixture
def points(served, write):
    write("points/module.toml", MANIFEST)
    write("points/class/api_points.py", API)
    served.server.reloader.check()
    assert [each.reason for each in catalogue().failures] == []
    return served


def test_a_setting_has_its_default_until_it_is_set(points):
    admin = points.client()
    assert admin.get("/points") == ["Decimal", "1.5"]
    assert admin.get("/setup/conf/points.points_per_euro") == "1.5"
    admin.ask("PUT", "/setup/conf/points.points_per_euro", {"value": "2.25"})
    assert admin.get("/points") == ["Decimal", "2.25"]
    assert admin.get("/setup/conf/points.points_per_euro") == "2.25"
    admin.ask("DELETE", "/setup/conf/points.points_per_euro")
    assert admin.get("/points") == ["Decimal", "1.5"]


@pytest.mark.parametrize(
    ("name", "sent", "read"),
    [
        ("level", "gold", ["str", "gold"]),
        ("is_open", "0", ["bool", "False"]),
        ("first_day", "2026-11-30", ["date", "2026-11-30"]),
        ("most", "12", ["int", "12"]),
        ("api_code", "4711", ["str", "4711"]),
    ],
)
def test_each_type_is_read_as_its_python_type(points, name, sent, read):
    points.client().ask("PUT", f"/setup/conf/points.{name}", {"value": sent})
    assert points.client().get(f"/points?name={name}") == read


@pytest.mark.parametrize(
    ("name", "sent", "field", "reason"),
    [
        ("points_per_euro", "many", "value", 'points.points_per_euro: expected a number, got "many"'),
        ("points_per_euro", "101", "value", 'points.points_per_euro: expected a number from 0 to 100, got "101"'),
        ("points_per_euro", "-1", "value", 'points.points_per_euro: expected a number from 0 to 100, got "-1"'),
        ("level", "bronze", "value", 'points.level: expected silver or gold, got "bronze"'),
        ("is_open", "maybe", "value", 'points.is_open: expected 0 or 1, got "maybe"'),
        ("first_day", "soon", "value", 'points.first_day: expected a date such as 2026-11-21, got "soon"'),
        ("levle", "gold", "constantname", 'unknown setting "points.levle"; did you mean points.level?'),
    ],
)
def test_a_value_or_name_that_is_wrong_is_refused(points, name, sent, field, reason):
    error = points.client().ask("PUT", f"/setup/conf/points.{name}", {"value": sent}, status=400)["error"]
    assert error["errors"] == [{"field": field, "message": reason}]


def test_a_secret_is_never_shown(points):
    admin = points.client()
    admin.ask("PUT", "/setup/conf/points.api_code", {"value": "hush-4711"})
    assert admin.ask("GET", "/setup/conf/points.api_code", status=403)
    listed = {each["name"]: each for each in admin.get("/setup/settings")}
    assert listed["points.api_code"].items() >= {"value": None, "default": None, "is_set": True}.items()
    assert "hush" not in str(admin.get("/setup/conf")) + str(admin.get("/audit?limit=50"))
    error = admin.ask("PUT", "/setup/conf/points.api_code", {"value": "hush\0"}, status=400)["error"]
    assert "hush" not in str(error)


def test_a_secret_stays_one_when_its_module_is_broken_or_gone(points, write):
    admin = points.client()
    admin.ask("PUT", "/setup/conf/points.api_code", {"value": "hush-4711"})
    for text in ("versoin = 1", ""):
        write("points/module.toml", text)
        points.server.reloader.check()
        assert admin.ask("GET", "/setup/conf/points.api_code", status=403)
        assert "hush" not in str(admin.get("/setup/conf"))
    admin.ask("DELETE", "/setup/conf/points.api_code")
    assert "hush" not in str(admin.get("/audit?limit=50"))


def test_a_name_or_value_that_looks_like_a_secret_is_one(points, write):
    url = "https://ada:hush@example.org/"
    write("points/module.toml", f"[settings.password]\n\n[settings.place]\ndefault = '{url}'")
    points.server.reloader.check()
    admin = points.client()
    admin.ask("PUT", "/setup/conf/points.password", {"value": "hush"})
    listed = [each for each in admin.get("/setup/settings") if each["name"].startswith("points.")]
    assert [(each["value"], each["default"]) for each in listed] == [(None, None), (None, None)]
    assert "hush" not in str(admin.get("/setup/conf")) + str(admin.get("/audit?limit=50"))


def test_all_settings_are_listed_with_what_they_accept(points):
    admin = points.client()
    admin.ask("PUT", "/setup/conf/points.most", {"value": "12"})
    listed = {each.pop("name"): each for each in admin.get("/setup/settings")}
    assert listed["points.most"] == {
        "module": "points", "type": "integer", "value": "12", "default": "10", "choices": [], "min": None, "max": None, "is_set": True, "help": "",
    }  # fmt: skip
    assert listed["points.level"].items() >= {"choices": ["silver", "gold"], "value": "silver", "is_set": False}.items()
    assert (
        listed["points.points_per_euro"].items() >= {"min": "0", "max": "100", "help": "points for each euro"}.items()
    )


def test_a_changed_file_changes_the_settings(points, write):
    admin = points.client()
    admin.ask("PUT", "/setup/conf/points.most", {"value": "12"})
    write("points/module.toml", MANIFEST.replace("default = 10", "default = 3\nmax = 5"))
    points.server.reloader.check()
    # 12 is too much now
    assert admin.get("/points?name=most") == ["int", "3"]
    write("points/module.toml", 'version = "1.3"\n')
    points.server.reloader.check()
    assert (
        "no loaded module has the setting points.most"
        in admin.ask("GET", "/points?name=most", status=501)["error"]["message"]
    )


CONSTANTS = """
[settings.POINTS_PREFIX]
max = 5
check = "prefixes:check_prefix"

[settings."*_POINTS_PREFIX"]
check = "prefixes:check_prefix"

[settings.POINTS_LIMIT]
type = "integer"
default = 10
min = 1
max = 20
"""
CHECK = """
def check_prefix(name, text):
    if not text.isupper():
        raise ValueError(f"expected capitals for {name}")
"""


@pytest.fixture
def constants(points, write):
    write("points/module.toml", CONSTANTS)
    write("points/prefixes.py", CHECK)
    points.server.reloader.check()
    assert [each.reason for each in catalogue().failures] == []
    return points.client()


@pytest.mark.parametrize(
    ("name", "sent", "reason"),
    [
        ("POINTS_PREFIX", "ab", 'POINTS_PREFIX: expected capitals for POINTS_PREFIX, got "ab"'),
        ("POINTS_PREFIX", "ABCDEF", 'POINTS_PREFIX: expected at most 5 characters, got "ABCDEF"'),
        ("OLD_POINTS_PREFIX", "ab", 'OLD_POINTS_PREFIX: expected capitals for OLD_POINTS_PREFIX, got "ab"'),
        ("POINTS_LIMIT", "21", 'POINTS_LIMIT: expected a number from 1 to 20, got "21"'),
    ],
)
def test_a_constant_has_no_module_in_its_name_and_is_checked(constants, name, sent, reason):
    error = constants.ask("PUT", f"/setup/conf/{name}", {"value": sent}, status=400)["error"]
    assert error["errors"] == [{"field": "value", "message": reason}]
    constants.get(f"/setup/conf/{name}", status=404)


@pytest.mark.parametrize(
    "name", ["lower_POINTS_PREFIX", "A B_POINTS_PREFIX", "*_POINTS_PREFIX", "X" * 180 + "_POINTS_PREFIX"]
)
def test_the_name_of_a_constant_has_capitals_only(constants, name):
    error = constants.ask("PUT", f"/setup/conf/{name}", {"value": "AB"}, status=400)["error"]
    assert error["errors"][0]["field"] == "constantname"


def test_a_secret_constant_stays_one_when_its_module_is_gone(points, write):
    admin = points.client()
    write("points/module.toml", "[settings.CLUB_DOOR]\nsecret = true")
    points.server.reloader.check()
    admin.ask("PUT", "/setup/conf/CLUB_DOOR", {"value": "4711"})
    write("points/module.toml", "")
    points.server.reloader.check()
    admin.ask("GET", "/setup/conf/CLUB_DOOR", status=403)
    assert "4711" not in str(admin.get("/setup/conf")) + str(admin.get("/audit?limit=50"))


def test_the_constants_of_an_earlier_module_take_precedence(points, write, constants):
    write("xpoints/module.toml", "[settings.'*_PREFIX']\n\n[settings.'*_OLD_POINTS_PREFIX']")
    points.server.reloader.check()
    constants.ask("PUT", "/setup/conf/MY_OLD_POINTS_PREFIX", {"value": "ab"}, status=400)
    constants.ask("PUT", "/setup/conf/MY_PREFIX", {"value": "ab"})


def test_an_empty_value_unsets_a_constant(points, write, constants):
    write("points/class/api_points.py", API.replace('f"points.{name}"', "name"))
    points.server.reloader.check()
    for value, read in (("12", "12"), ("", "10"), (" 7 ", "7")):
        constants.ask("PUT", "/setup/conf/POINTS_LIMIT", {"value": value})
        assert constants.get("/points?name=POINTS_LIMIT") == ["int", read]
    write("points/module.toml", CONSTANTS.replace("max = 5", 'default = "NONE"'))
    points.server.reloader.check()
    constants.ask("PUT", "/setup/conf/POINTS_PREFIX", {"value": ""})
    assert constants.get("/points?name=POINTS_PREFIX") == ["str", "NONE"]
    (listed,) = (each for each in constants.get("/setup/settings") if each["name"] == "POINTS_PREFIX")
    assert listed["value"] == "NONE"
    constants.ask("PUT", "/setup/conf/OLD_POINTS_PREFIX", {"value": "AB"})
    assert constants.get("/points?name=OLD_POINTS_PREFIX") == ["str", "AB"]
    constants.get("/points?name=OLD_PREFIX", status=501)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("def check", "SyntaxError"),
        ("", "prefixes.py has no function check_prefix"),
        ("async def check_prefix(name, text): ...", "check_prefix is async"),
    ],
)
def test_a_check_that_cannot_be_loaded_refuses_its_constants_only(points, write, constants, text, reason):
    write("points/prefixes.py", text)
    points.server.reloader.check()
    assert reason in str([each.reason for each in catalogue().failures])
    constants.ask("PUT", "/setup/conf/POINTS_PREFIX", {"value": "AB"}, status=501)
    constants.ask("PUT", "/setup/conf/POINTS_LIMIT", {"value": "5"})


def test_a_constant_belongs_to_one_module(points, write, constants):
    write("second/module.toml", "[settings.POINTS_LIMIT]\ntype = 'switch'\ndefault = true")
    points.server.reloader.check()
    reason = "module.toml: settings.POINTS_LIMIT: the module points already declares it"
    assert [(each.module, each.reason) for each in catalogue().failures] == [("second", reason)]
    constants.ask("PUT", "/setup/conf/POINTS_LIMIT", {"value": "12"})


WRONG = {
    "no TOML": ("version = 1.2.3", "module.toml: Expected newline or end of document after a statement (at line 1, column 14)", 1),
    "an unknown key": ("\nversoin = '1'", "module.toml: versoin: unknown key; did you mean version?; known: version, description, server, requires, packages, first_data, wraps, settings, fields", 2),
    "a wrong type": ("version = 1", "module.toml: version: expected text, got a whole number", 1),
    "no version": ("version = 'one'", "module.toml: version: expected a version such as 1.2, got 'one'", 1),
    "a newer server": ("server = '99'", "module.toml: server: the module needs version 99 of the server or newer; this is 0.1.0", 1),
    "no package": ("packages = ['no-such-package>=1']", "module.toml: packages: the Python package no-such-package>=1 is not installed; install it, then restart the server", 1),
    "an old package": ("packages = ['peewee>=99']", None, 1),
    "no name of a package": ("packages = ['>=1']", "module.toml: packages: expected a package such as 'qrcode>=7', got '>=1'", 1),
    "no module": ("requires = ['thirdpartys']", "module.toml: requires: there is no module thirdpartys; did you mean thirdparties?", None),
    "no name": ("requires = [1]", "module.toml: requires: expected names of modules, got 1", 1),
    "an unknown type": ("[settings.a]\ntype = 'float'", "module.toml: settings.a.type: expected text, integer, number, switch, day, got 'float'", 2),
    "an unknown key of a setting": ("[settings.a]\ndefualt = 'x'", "module.toml: settings.a.defualt: unknown key; did you mean default?; known: type, default, secret, help, check, max, choices", 2),
    "no default": ("[settings.a]\ntype = 'integer'", "module.toml: settings.a: expected a default", 1),
    "a default of another type": ("[settings.a]\ntype = 'switch'\ndefault = 1", "module.toml: settings.a.default: expected true or false, got a whole number", 3),
    "a default that is no choice": ("[settings.a]\nchoices = ['x', 'y']\ndefault = 'z'", "module.toml: settings.a.default: expected x or y, got 'z'", 3),
    "a name with one capital": ("[settings.Ab]", "module.toml: settings.Ab: expected a name of lower-case letters, digits and _, such as points_per_euro", 1),
    "any constant": ("[settings.'*']", "module.toml: settings.*: expected a name of lower-case letters, digits and _, such as points_per_euro", None),
    "a day in quotes": ("[settings.a]\ntype = 'day'\ndefault = '2026-01-01'", "module.toml: settings.a.default: expected a date, got text", 3),
    "a day with a time": ("[settings.a]\ntype = 'day'\ndefault = 2026-01-01T10:00:00", "module.toml: settings.a.default: expected a date, got another type", 3),
    "a type that is a list": ("[settings.a]\ntype = ['text']", "module.toml: settings.a.type: expected text, integer, number, switch, day, got ['text']", 2),
    "too deep": ("a = " + "[" * 9000, "module.toml: the values are nested too deeply", None),
    "a huge number": ("version = 0x" + "f" * 5000, "module.toml: version: expected text, got a whole number", 1),
    "limits the wrong way round": ("[settings.a]\ntype = 'integer'\nmin = 10\nmax = 5\ndefault = 10", "module.toml: settings.a.max: expected at least 10, which is `min`, got 5", 4),
    "a choice beyond the limits": ("[settings.a]\ntype = 'integer'\nmin = 1\nmax = 5\nchoices = [1, 99]\ndefault = 1", "module.toml: settings.a.choices: expected a number from 1 to 5, got 99", 5),
    "choices of another type": ("[settings.a]\nchoices = ['x', 1]", "module.toml: settings.a.choices: expected values of the type text", 2),
    "the second of two": ("[settings.a]\ntype = 'text'\n\n[settings.b]\ntype = 'float'", "module.toml: settings.b.type: expected text, integer, number, switch, day, got 'float'", 5),
    "a secret default": ("[settings.a]\ntype = 'integer'\nsecret = true\nmax = 5\ndefault = 4711", "module.toml: settings.a.default: expected a number of at most 5", 5),
    "no table": ("[settings]\na = 1", "module.toml: settings.a: expected a table [settings.a]", 2),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_file_disables_the_module_with_key_and_line(points, write, case):
    text, reason, line = WRONG[case]
    write("points/module.toml", text)
    write(
        "points/events.py", 'from core import on\n\n@on("warehouses.created", when="before")\ndef see(record): pass\n'
    )
    points.server.reloader.check()
    failures = {each.file.name: each for each in catalogue().failures}
    assert failures.keys() == {"api_points.py", "events.py"} | ({"module.toml"} if case != "no module" else set())
    for each in failures.values():
        assert each.reason.startswith(reason or "module.toml: packages: the module needs peewee>=99; installed is 4.")
    if line:
        assert failures["module.toml"].line == line
    assert points.client().ask("GET", "/points", status=501)
    assert points.client().ask("POST", "/warehouses", {"label": "W", "statut": 1}, status=405)


def test_modules_that_need_each_other_are_refused(points, write):
    write("points/module.toml", "requires = ['tours']")
    write("tours/module.toml", "requires = ['points']")
    reason = reason_of(points, "points")
    assert reason == "module.toml: requires: the modules need each other: points → tours → points"


def test_handlers_run_in_the_order_of_what_modules_require(points, write):
    handler = (
        'from core import on\n\n@on("warehouses.created", when="checking")\ndef add(record, values):\n'
        "    values['description'] = (values.get('description') or '') + {name!r}\n"
    )
    write("amber/module.toml", "requires = ['zebra']")
    for name in ("amber", "middle", "zebra"):
        write(f"{name}/events.py", handler.format(name=name[0]))
    points.server.reloader.check()
    admin = points.client()
    made = admin.ask("POST", "/warehouses", {"label": "W", "statut": 1})
    assert admin.get(f"/warehouses/{made}")["description"] == "zam"
