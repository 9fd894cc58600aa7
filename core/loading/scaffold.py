"""A new module to start from: a table, an API class and a test, as the guide shows them."""

from __future__ import annotations

import builtins
import keyword
import re
from dataclasses import dataclass
from pathlib import Path

from ..crud import plural_of
from .folders import DRAFT, RESERVED, service_name

_NAME = re.compile(r"[a-z][a-z0-9_]{0,30}")
#: names that the templates use themselves
_USED = {"AutoField", "CharField", "Crud", "IntegerField", "Model", "Records"}


class WrongName(ValueError):
    """A name that no module can have; says what was expected."""


class NameTaken(Exception):
    """Files that exist already."""

    def __init__(self, files: list[Path]) -> None:
        super().__init__(", ".join(str(file) for file in files))
        self.files = files


@dataclass(frozen=True)
class Names:
    """Every name of a new module, made from two.

    :param module: the folder, such as ``loyalty``
    :param plural: the objects it keeps, such as ``cards``
    """

    module: str
    plural: str

    @classmethod
    def read(cls, module: str, plural: str) -> Names:
        """Check the two names.

        :raises WrongName: one of them cannot be used
        """
        for name in (module, plural):
            if not _NAME.fullmatch(name) or keyword.iskeyword(name):
                raise WrongName(f"{name!r}: expected lower-case letters, digits and underscores, such as loyalty")
        names = cls(module, plural)
        if names.service in RESERVED:
            raise WrongName(f"/{names.service} is reserved for the server; choose another name")
        if {names.record, names.records} & (_USED | set(dir(builtins))) or plural in dir(builtins):
            raise WrongName(f"{plural!r} already has a meaning in Python or in the template; choose another word")
        return names

    @property
    def service(self) -> str:
        """The path, such as ``loyaltycards``; a module called like what it keeps is not named twice."""
        return service_name(self._named)

    @property
    def _named(self) -> str:
        return self.plural if self.plural == self.module else f"{self.module}_{self.plural}"

    @property
    def singular(self) -> str:
        """One of the objects: ``card``."""
        if self.plural.endswith("ies"):
            return self.plural[:-3] + "y"
        if self.plural.endswith(("xes", "ches", "shes", "sses")):
            return self.plural[:-2]
        return self.plural[:-1] if self.plural.endswith("s") and not self.plural.endswith("ss") else self.plural

    @property
    def record(self) -> str:
        """The model: ``Card``."""
        return _camel(self.singular)

    @property
    def records(self) -> str:
        """The class of all records: ``Cards``."""
        return _camel(self.plural) if self.plural != self.singular else self.record + "List"

    @property
    def _api(self) -> str:
        """The API class: ``LoyaltyCards``."""
        return _camel(self._named)

    @property
    def values(self) -> dict[str, str]:
        """What the templates are filled with."""
        noun, nouns = self.singular.replace("_", " "), self.plural.replace("_", " ")
        return {
            "module": self.module,
            "plural": self.plural,
            "service": self.service,
            "record": self.record,
            "records": self.records,
            "table": f"{self.module}_{self.singular}",
            "api": self._api,
            "singular": self.singular,
            "nouns": nouns,
            "title": self._named.replace("_", " "),
            "A_noun": f"{'An' if noun[0] in 'aeiou' else 'A'} {noun}",
            "Noun": noun.capitalize(),
            "irregular": "" if plural_of(noun) == nouns else f'\n    nouns = "{nouns}"',
        }


def _camel(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def write(names: Names, folder: Path, *, draft: bool = False) -> list[Path]:
    """Write the module into a folder of modules, all of it or nothing; answers the files.

    :param draft: a server that looks on does not serve it yet, nor makes its table
    :raises NameTaken: a file of it exists already
    """
    home = folder / names.module
    # The API file comes last: a server that looks on finds everything it imports
    texts = {
        home / "models.py": _MODELS,
        home / "tests" / f"test_{names.service}.py": _TEST,
        home / "class" / f"api_{names.service}.py": _API,
    }
    if draft and not (home / DRAFT).exists():
        # It comes first
        texts = {home / DRAFT: _DRAFT, **texts}
    taken = [file for file in texts if file.exists()]
    if taken:
        raise NameTaken(taken)
    written: list[Path] = []
    try:
        for file, text in texts.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("x", encoding="utf-8") as opened:
                written.append(file)
                opened.write(_fill(text, names.values))
            # A file that everybody may write is not loaded
            file.chmod(0o644)
    except OSError:
        for file in written:
            file.unlink(missing_ok=True)
        raise
    return written


def _fill(text: str, values: dict[str, str]) -> str:
    return re.sub(r"<(\w+)>", lambda match: values[match[1]], text).lstrip("\n")


_DRAFT = """
While this file exists, no server serves this module or creates its table.
"""

_MODELS = '''
"""The records of <title>."""

from peewee import AutoField, CharField, IntegerField

from core import Model, Records


class <record>(Model):
    """<A_noun>."""

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
    noun = "<Noun>"


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
    """<A_noun> can be created, changed and deleted."""
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
