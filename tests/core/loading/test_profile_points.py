"""Points of the profile that modules have: one object answers them all, and a mistake is told with its reason."""

import ast
import re
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

from core import Refused
from core.common.errors import Unchanged
from core.contract.catalogue import catalogue
from core.for_natives import settings
from core.loading.check import examine
from core.loading.file_status import file_statuses

ROOT = Path(__file__).parents[3]

POINTS = """
from core import Point

POINTS = {{"greeting": Point("what one says first", {values})}}
"""
API = '''
from core.for_natives import settings


class Greetings:
    """Greet.

    :access: public
    """

    def index(self) -> str:
        """Say it."""
        return settings().profile.greeting
'''


def reasons():
    return [failure.reason for failure in catalogue().failures if failure.name.endswith("/profile")]


@pytest.mark.parametrize(("profile", "answered"), [("specification", "Hello"), ("dolibarr16", "Bonjour")])
def test_an_outsider_s_point_is_answered_and_followed(serve, folder, write, profile, answered):
    write("talk/class/api_greetings.py", API)
    file = write("talk/profile.py", POINTS.format(values="specification='Hello', dolibarr16='Bonjour'"))
    served = serve(modules=str(folder), profile_name=profile)
    client = served.client(None)
    assert client.get("/greetings") == answered
    assert [each.state for each in file_statuses(catalogue()) if each.file == file] == ["loaded"]
    file.write_text(POINTS.format(values="specification='Good day', dolibarr16='Bonsoir'"))
    served.server.reloader.check()
    assert client.get("/greetings") == {"Hello": "Good day", "Bonjour": "Bonsoir"}[answered]
    file.write_text("1 / 0")
    served.server.reloader.check()
    assert "the profile has no point 'greeting'" in client.refused("GET", "/greetings", status=501)
    assert reasons() == ["ZeroDivisionError: division by zero"]


NATIVE = {
    "put_replaces": (True, False),
    "validity_days": (None, 15),
    "new_product_status": (1, 0),
    "new_product_price_base": ("HT", ""),
    "administrator_entity": (None, 0),
    "margins_as_text": (True, False),
    "builddoc_shows_used": (True, False),
    "repeated_action": (Refused, Unchanged),
    "text_values": (False, True),
}


@pytest.mark.parametrize(("profile", "place"), [("specification", 0), ("dolibarr16", 1)])
def test_one_frozen_object_holds_the_points_of_core_and_of_modules(serve, profile, place):
    serve(profile_name=profile)
    held = settings().profile
    assert {name: getattr(held, name) for name in NATIVE} == {name: values[place] for name, values in NATIVE.items()}
    assert all(point.meaning for point in catalogue().points.values())
    with pytest.raises(FrozenInstanceError):
        held.put_replaces = True
    with pytest.raises(TypeError):
        held.points["put_replaces"] = True
    assert not hasattr(held, "nothing")
    assert hash(held) == hash(settings().profile)


CODE = [file for folder in ("core", "modules", "explorer") for file in (ROOT / folder).rglob("*.py")]


def test_every_point_that_is_asked_for_exists_and_every_one_is_asked_for(serve):
    """To a type checker a module's point is anything: this is what notices a typo."""
    serve()
    held = settings().profile
    asked = {name for file in CODE for name in re.findall(r"\bprofile(?:\(\))?\.(?!py\b)(\w+)", file.read_text())}
    assert [name for name in asked if not hasattr(held, name)] == []
    assert set(catalogue().points) <= asked


def test_nothing_asks_which_profile_is_on():
    assert {"core", "modules", "explorer"} <= {part for file in CODE for part in file.parts}
    for file in CODE:
        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, ast.Compare):
                named = {each.value for each in ast.walk(node) if isinstance(each, ast.Constant)}
                assert not named & {"specification", "dolibarr16"}, f"{file}:{node.lineno}"


WRONG = {
    "missing": (POINTS.format(values="specification=1"), "expected a value for each profile; the one for dolibarr16 is missing"),
    "unknown": (POINTS.format(values="specification=1, dolibarr16=1, dolibarr17=1"), "unknown profile dolibarr17; expected specification or dolibarr16"),
    "of core": ("from core import Point\nPOINTS = {'text_values': Point('', specification=1, dolibarr16=1)}", "is reserved by the profile"),
    "the name": ("from core import Point\nPOINTS = {'name': Point('', specification=1, dolibarr16=1)}", "is reserved by the profile"),
    "no name": ("POINTS = {'two words': 1}", "expected a name such as validity_days, got 'two words'"),
    "private": ("POINTS = {'_private': 1}", "expected a name"),
    "no point": ("POINTS = {'greeting': 1}", "expected a Point for greeting, got 1"),
    "no table": ("POINTS = ['greeting']", "expected a dictionary POINTS"),
    "nothing": ("", "expected a dictionary POINTS"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_is_told_with_its_reason(serve, folder, write, name):
    text, reason = WRONG[name]
    write("talk/profile.py", text)
    serve(modules=str(folder))
    (told,) = reasons()
    assert reason in told
    assert settings().profile.put_replaces is True


def test_two_modules_with_one_point_are_told_and_the_first_is_answered(serve, folder, write):
    write("talk/profile.py", POINTS.format(values="specification='first', dolibarr16=''"))
    write("walk/profile.py", POINTS.format(values="specification='second', dolibarr16=''"))
    thief = "from core import Point\nPOINTS = {'validity_days': Point('', specification=3, dolibarr16=3)}"
    write("thief/profile.py", thief)
    serve(modules=str(folder))
    expected = [
        "the point greeting is already defined in talk/profile.py",
        "the point validity_days is already defined in proposals/profile.py",
    ]
    assert sorted(reasons()) == expected
    assert (settings().profile.greeting, settings().profile.validity_days) == ("first", None)
    found = examine(settings().module_folders, wanted=lambda each: each.name in ("talk", "walk"))
    assert [each.reason for each in found.failures] == expected[:1]
