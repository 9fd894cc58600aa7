"""A new module to start from: a table, an API class and a test, as in the tutorial `modules/README.md`."""

from __future__ import annotations

import builtins
import keyword
import re
from pathlib import Path

from ..crud import plural_of
from .folders import DRAFT
from .module_files import RESERVED, service_name

_TEMPLATES = Path(__file__).parent / "new_module"
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
    """The names in a new module; the files in `new_module` contain them as ``<record>`` and so on.

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
    templates = {home / DRAFT: "draft.txt"} if draft and not (home / DRAFT).exists() else {}
    templates |= {
        home / "models.py": "models.txt",
        home / "tests" / f"test_{names.service}.py": "test.txt",
        home / "class" / f"api_{names.service}.py": "api.txt",
    }
    taken = [file for file in templates if file.exists()]
    if taken:
        raise NameTaken(taken)
    written: list[Path] = []
    try:
        for file, template in templates.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("x", encoding="utf-8") as opened:
                written.append(file)
                text = (_TEMPLATES / template).read_text(encoding="utf-8")
                opened.write(re.sub(r"<(\w+)>", lambda match: vars(names)[match[1]], text))
            # A file that other users can write would not be loaded
            file.chmod(0o644)
    except OSError:
        for file in written:
            file.unlink(missing_ok=True)
        raise
    return written
