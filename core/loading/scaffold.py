"""A new module to start from: a table, an API class and a test, as in the tutorial `modules/README.md`."""

from __future__ import annotations

import builtins
import keyword
import re
from pathlib import Path

from ..crud import plural_of
from .folders import DRAFT
from .module_files import RESERVED, service_name

_NAME = re.compile(r"[a-z][a-z0-9_]{0,30}")
#: names that the templates use themselves
_USED = {"AutoField", "CharField", "Crud", "IntegerField", "Model", "Records", *dir(builtins)}


class WrongName(ValueError):
    """A module can't have this name."""


class NameTaken(Exception):
    """Files of the module already exist."""

    def __init__(self, files: list[Path]) -> None:
        super().__init__(", ".join(str(file) for file in files))
        self.files = files


class Names:
    """The names in a new module; the templates contain them as ``<record>`` and so on.

    :param module: the folder, such as ``loyalty``
    :param plural: its objects, such as ``cards``
    :raises WrongName: one of the two can't be used
    """

    def __init__(self, module: str, plural: str) -> None:
        for name in (module, plural):
            if not _NAME.fullmatch(name) or keyword.iskeyword(name):
                raise WrongName(f"{name!r}: expected lower-case letters, digits and underscores, such as loyalty")
        both = plural if plural == module else f"{module}_{plural}"
        self.module, self.plural, self.singular = module, plural, _singular(plural)
        self.service = service_name(both)
        self.record = _camel(self.singular)
        self.records = _camel(plural) if plural != self.singular else self.record + "List"
        self.api, self.table, self.title = _camel(both), f"{module}_{self.singular}", both.replace("_", " ")
        noun, self.nouns = self.singular.replace("_", " "), plural.replace("_", " ")
        self.noun = noun.capitalize()
        self.a_noun = f"{'An' if noun[0] in 'aeiou' else 'A'} {noun}"
        self.irregular = "" if plural_of(noun) == self.nouns else f'\n    nouns = "{self.nouns}"'
        if self.service in RESERVED:
            raise WrongName(f"/{self.service} is reserved for the server; choose another name")
        if _USED & {self.record, self.records, plural}:
            raise WrongName(f"{plural!r} already has a meaning in Python or in the template; choose another word")


def _singular(plural: str) -> str:
    if plural.endswith("ies"):
        return plural[:-3] + "y"
    if plural.endswith(("xes", "ches", "shes", "sses")):
        return plural[:-2]
    return plural[:-1] if plural.endswith("s") and not plural.endswith("ss") else plural


def _camel(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def write(names: Names, folder: Path, *, draft: bool = False) -> list[Path]:
    """Write the module into a folder of modules, all of it or nothing; return the files.

    :param draft: True to let servers ignore it until its file DRAFT is deleted
    :raises NameTaken: a file of it exists already
    """
    home = folder / names.module
    # A running server may load the module at any moment: DRAFT comes first, the API file last
    texts = {home / DRAFT: _DRAFT} if draft and not (home / DRAFT).exists() else {}
    texts |= {
        home / "models.py": _MODELS,
        home / "tests" / f"test_{names.service}.py": _TEST,
        home / "class" / f"api_{names.service}.py": _API,
    }
    taken = [file for file in texts if file.exists()]
    if taken:
        raise NameTaken(taken)
    written: list[Path] = []
    try:
        for file, text in texts.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("x", encoding="utf-8") as opened:
                written.append(file)
                opened.write(re.sub(r"<(\w+)>", lambda match: vars(names)[match[1]], text).lstrip("\n"))
            # A file that other users can write would not be loaded
            file.chmod(0o644)
    except OSError:
        for file in written:
            file.unlink(missing_ok=True)
        raise
    return written


_DRAFT = """
While this file exists, no server serves this module or creates its table.
"""

_MODELS = '''
"""The records of <title>."""

from peewee import AutoField, CharField, IntegerField

from core import Model, Records


class <record>(Model):
    """<a_noun>."""

    id = AutoField()
    label = CharField(max_length=128, help_text="the name that users see")
    position = IntegerField(default=0, help_text="the position in lists")

    class Meta:
        table_name = "<table>"
        required = ("label",)


class <records>(Records[<record>]):
    """The rules for all <nouns>."""

    model = <record>
    service = "<service>"
    noun = "<noun>"


<plural> = <records>()
'''

_API = '''
"""The API of <title>."""

from core import Crud

from ..models import <plural>


class <api>(Crud):
    """Records of <nouns>."""

    records = <plural><irregular>
'''

_TEST = '''
"""Tests of <title>.

In a checkout of Comptoir, run `make test ARGS=modules/<module>`.
With an installed Comptoir, run `pip install pytest` once, then `python -m pytest modules/<module>/tests`.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.testing import Served, serving

MODULES = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with this module and an empty database."""
    with serving(tmp_path_factory.mktemp("data"), modules=str(MODULES)) as served:
        yield served


def test_a_<singular>_is_created_changed_and_deleted(server: Served) -> None:
    """<a_noun> can be created, changed and deleted."""
    client = server.client()
    made = client.ask("POST", "/<service>", {"label": "first"})
    assert client.get(f"/<service>/{made}") == {"id": made, "label": "first", "position": 0}
    assert client.ask("PUT", f"/<service>/{made}", {"position": 3})["position"] == 3
    assert [each["id"] for each in client.get("/<service>")] == [made]
    client.ask("DELETE", f"/<service>/{made}")
    client.refused("GET", f"/<service>/{made}", status=404)


def test_reading_needs_a_permission(server: Served) -> None:
    """Reading needs the permission <service>.read."""
    server.user().refused("GET", "/<service>", status=401)
    assert server.user("<service>.read").get("/<service>") == []
'''
