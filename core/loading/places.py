"""The places of a module: which files have a meaning, how they are read, and what replaces one that can't be loaded."""

from __future__ import annotations

import ast
import codecs
import logging
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

from ..common.authors_code import default_context
from ..common.plain_functions import line_in, why_not_plain
from ..common.profiles import PROFILE_NAMES, read_points
from ..contract.catalogue import Template, Texts
from ..jobs.functions import read_jobs
from ..records.events import MAY_REFUSE, EventHandler, read_handlers, stand_ins, unheard
from ..records.key_tables import read_key_table
from ..records.module_settings import Setting
from ..records.row_rules import ClosedRule, read_rules, words_of
from ..storage.model import Model
from .importing import LoadError
from .manifest import NAME, read_manifest
from .module_files import ModuleFile, ModuleFolder, read_source, read_text
from .services import read_service, unguarded, unlike_hooks

_PO_LINE = re.compile(r'\s*(#.*|((msgctxt|msgid|msgid_plural|msgstr(\[\d+\])?)\s*)?"([^"\\]|\\.)*"\s*|)')


# The workers' reloads and the servers of tests parse the same text again
@lru_cache(maxsize=256)
def parse_texts(content: str, name: str) -> Mapping[tuple[str, str], str]:
    """Return the texts of a file: context and English text → translation. Untranslated ones are left out.

    :param name: the file's name
    :raises LoadError: the file isn't named after a language, or has a line that gettext's tools would not accept
    """
    # Takes a tenth of a second
    from babel import localedata
    from babel.messages.pofile import PoFileError, read_po

    if not localedata.exists(name.removesuffix(".po")):
        raise LoadError(f"expected the file to be named after a known language code, such as sv.po; got {name}")
    lines = content.splitlines()
    for number, line in enumerate(lines, 1):
        # Babel would shorten a text without its last quote
        if not _PO_LINE.fullmatch(line):
            raise LoadError(f"line {number}: expected a keyword such as msgid and text in quotes, got {line:.60}")
    try:
        read = read_po(lines, abort_invalid=True)
        codecs.lookup(read.charset or "utf-8")
    except PoFileError as error:
        raise LoadError(f"line {error.lineno + 1}: {str(error).rpartition(' on ')[0]}") from error
    except LookupError as error:
        raise LoadError(str(error)) from error
    # A text with a plural has a pair as its ID
    texts = [each for each in read if isinstance(each.id, str) and each.id and each.string]
    return {(each.context or "", str(each.id)): str(each.string) for each in texts}


#: the place of the files that hold an API class
API = "api"
#: the place of the files that change tables once
MIGRATIONS = "migrations"

#: ending of the tables of keys, which are in a folder named after a profile
TABLE = ".tsv"

_log = logging.getLogger("comptoir.loader")


@dataclass(frozen=True)
class Source:
    """A file that is being loaded.

    :param content: the imported file, or None if the place is not one of Python files
    :param models: the models of the module
    :param notes: gets what its author may want to change
    """

    folder: ModuleFolder
    file: ModuleFile
    content: Any
    models: Sequence[type[Model]]
    notes: list[str]


@dataclass(frozen=True)
class Place:
    """A place in a module.

    :param pattern: regular expression of the path of a file inside its module
    :param gives: the attribute of `Loaded` that collects the results
    :param read: returns the result of a file, a list or dictionary
    :param needs: ``folder``: the module may be read; ``tables``: its tables are also right; ``models``: its models are
        also loaded
    :param replace: returns the result for a file that can't be loaded, from the module and the text of the file
    :param folder: regular expression of paths where each file should match `pattern`; empty: other files are fine
    :param example: how such a file should be named
    """

    pattern: str
    gives: str
    read: Callable[[Source], Any]
    needs: str = "tables"
    replace: Callable[[ModuleFolder, str], Any] = lambda folder, text: ()
    folder: str = ""
    example: str = ""

    @property
    def is_imported(self) -> bool:
        """True if its files are Python."""
        return self.gives not in ("texts", "key_tables", "settings")


def _services(source: Source) -> list[Any]:
    service = read_service(source.folder, source.file, source.content)
    for line in unguarded(service):
        _log.warning("%s", line)
    source.notes.extend(unlike_hooks(service))
    return [service]


def _event_handlers(source: Source) -> list[EventHandler]:
    found = read_handlers(source.content)
    source.notes.extend(unheard(source.content, read_source(source.file.path), found))
    return found


def declared_handlers(source: Source) -> list[EventHandler]:
    """Return the handlers of an API file: its functions with `@on`."""
    return read_handlers(source.content, declared_only=True)


def declared_handlers_that_refuse(folder: ModuleFolder, file: ModuleFile, text: str) -> list[EventHandler]:
    """Return handlers that reject the events of an API file that can't be loaded."""
    found = (each[2:] for each in MAY_REFUSE.findall(text) if each[2])
    return stand_ins(found, f"{folder.name}/class/{file.path.name}")


def _handlers_that_refuse(folder: ModuleFolder, text: str) -> list[EventHandler]:
    # Each name in the text, even if it is only imported
    found = (tuple(filter(None, each)) for each in MAY_REFUSE.findall(text))
    return stand_ins(((service, event) for service, event in found), f"{folder.name}/events.py")


def _rules(source: Source) -> list[Any]:
    table = getattr(source.content, "RULES", None)
    for rule in table.values() if isinstance(table, dict) else ():
        if wrong := why_not_plain(rule):
            raise LoadError(f"{rule.__name__} {wrong}", line_in(rule, str(source.file.path)))
    rules = list(read_rules(table))
    if source.folder.is_native:
        return rules
    return [replace(each, rule=default_context(each.rule)) for each in rules]


def _rules_that_refuse(folder: ModuleFolder, text: str) -> list[Any]:
    # A second folder of the same name does not own the models of the first
    return [ClosedRule("" if folder.is_second else folder.name, words_of(text))]


def _templates(source: Source) -> list[Template]:
    file = source.file.path
    kind, _, name = file.stem.partition("_")
    return [Template(file.parent.name, kind, name, source.folder.name, file, source.content)]


def _migrations(source: Source) -> list[Texts]:
    file = source.file.path
    # It is run when it is due
    nodes = ast.walk(ast.parse(read_source(file), str(file)))
    if "migrate" not in {getattr(each, "name", getattr(each, "id", "")) for each in nodes}:
        raise LoadError("expected a function migrate(tables)")
    return []


def _settings(source: Source) -> Mapping[str, Setting]:
    return read_manifest(source.file.path, source.folder.name).settings


def _key_tables(source: Source) -> dict[tuple[str, type[Model]], Any]:
    file = source.file.path
    model = next((each for each in source.models if each.__name__ == file.stem), None)
    if model is None:
        raise LoadError(f"models.py has no model {file.stem}")
    return {(file.parent.name, model): read_key_table(read_text(file))}


def _texts(source: Source) -> list[Texts]:
    file = source.file.path
    messages = partial(parse_texts, read_text(file), file.name)
    if not source.folder.is_native:
        # An error in it disables it now; the tests parse the native ones
        messages()
    return [Texts(file.stem, source.folder.name, file, messages)]


#: in the order in which they are loaded
PLACES = {
    API: Place(
        r"class/api_[A-Za-z][A-Za-z0-9_]*(\.class\.py|\.class|\.py)", "services", _services, "models",
        folder=r"class/[^/._][^/]*\.(py|class)", example="api_<module><object>.py",
    ),
    "events": Place(
        r"events\.py", "event_handlers", _event_handlers, replace=_handlers_that_refuse
    ),
    "rows": Place(r"rows\.py", "rules", _rules, replace=_rules_that_refuse),
    # Without its value, a point responds with 501
    "profile": Place(r"profile\.py", "points", lambda source: read_points(getattr(source.content, "POINTS", None))),
    # Jobs wait until their function can be loaded
    "jobs": Place(r"jobs\.py", "jobs", lambda source: read_jobs(source.content)),
    "templates": Place(
        r"[a-z]+templates/[a-z]+_[A-Za-z0-9][A-Za-z0-9_]*\.py", "templates", _templates,
        folder=r"[a-z]+templates/[^/._][^/]*(?<!\.po)", example="<kind>_<name>.py",
    ),
    "texts": Place(
        r"texts/[a-z]{2,3}\.po", "texts", _texts, "folder",
        folder=r"texts/[^/]*\.po", example="sv.po (<language>.po)",
    ),
    # Only checked here: it gives nothing to the catalogue
    MIGRATIONS: Place(
        r"migrations/[0-9][^/]*\.py", "texts", _migrations, "folder",
        folder=r"migrations/[^/._][^/]*\.py", example="0001_<change>.py",
    ),
    # Its error also disables the module's services
    "manifest": Place(re.escape(NAME), "settings", _settings, "folder"),
    "keys": Place(rf"({'|'.join(PROFILE_NAMES)})/[^/]+\{TABLE}", "key_tables", _key_tables, "models"),
}  # fmt: skip

#: what a disabled module keeps: who sees which of its rows, its settings, and texts
OF_DISABLED = ("rows", "manifest", "texts")

#: the files directly in a module's folder that have a meaning
ROOT_FILES = ("models.py", "events.py", "rows.py", "profile.py", "jobs.py", NAME)
