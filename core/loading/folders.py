"""Looking at the module folders: which files exist, in which state, which are skipped and why."""

from __future__ import annotations

import ast
import os
import re
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..common.profiles import PROFILE_NAMES
from ..common.runtime import active
from .ownership import Known, why_open, why_replaceable

#: bytes of a module's file at the most
LARGEST = 1_000_000

#: what a file looked like: modification time, size, inode
Print = tuple[int, int, int]

MODULE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
API_FILE = re.compile(r"api_([A-Za-z][A-Za-z0-9_]*)(\.class\.py|\.class|\.py)")

TEMPLATE_FOLDER = re.compile(r"[a-z]+templates")
TEMPLATE_FILE = re.compile(r"([a-z]+)_([A-Za-z0-9][A-Za-z0-9_]*)\.py")

TEXT_FILE = re.compile(r"([a-z]{2,3})\.po")

#: how the files end that are read wherever they lie in a module
READ = (".py", ".class", ".po")

#: how tables of keys end, which lie in a folder named like a profile
TABLE = ".tsv"

#: a file in a module that is not to be served yet
DRAFT = "DRAFT"

#: the folder of a module's tests: they are not served, and nothing is loaded anew when one of them changes
TESTS = "tests"

#: first path segments that are not a module's to take
RESERVED = ("api", "explorer", "health", "metrics")


@dataclass(frozen=True)
class ApiFile:
    """A file that holds an API class."""

    service: str
    path: Path
    #: name it is imported by; None where Python's own import does not know the file's ending
    dotted: str | None


@dataclass(frozen=True)
class ModuleFolder:
    """One module as it lies on the disk."""

    name: str
    path: Path
    prints: Mapping[str, Print]
    api_files: tuple[ApiFile, ...]
    #: files such as ``doctemplates/pdf_azur.py``, which other modules look for
    template_files: tuple[Path, ...] = ()
    #: files such as ``texts/sv.po``
    text_files: tuple[Path, ...] = ()
    #: files such as ``dolibarr16/Card.tsv``
    key_files: tuple[Path, ...] = ()
    skipped: tuple[tuple[Path, str], ...] = ()
    #: files that are never opened → why
    unreadable: Mapping[Path, str] = field(default_factory=dict)
    #: why nothing of it is loaded; empty when there is no reason
    refused: str = ""
    #: whether another folder of its name comes first
    is_second: bool = False


#: every module folder in path order, and what was passed over with the reason
Look = tuple[list[ModuleFolder], list[tuple[Path, str]]]


def service_name(stem: str) -> str:
    """The service of a file ``api_<stem>``: lower case, underscores dropped."""
    return stem.lower().replace("_", "")


def look(folders: Iterable[Path], *, drafts: bool = False) -> Look:
    """What lies in the folders now.

    :param drafts: also modules that are not to be served yet
    """
    drafts = drafts or active.runtime.loads_drafts
    found: list[ModuleFolder] = []
    skipped: list[tuple[Path, str]] = []
    first: dict[str, Path] = {}
    known: Known = {}
    for folder in folders:
        if not folder.is_dir():
            skipped.append((folder, "the folder doesn't exist"))
            continue
        above = why_replaceable(folder, known)
        for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
            path = Path(entry.path)
            if entry.name.startswith((".", "_")) or not entry.is_dir():
                continue
            if not MODULE_NAME.fullmatch(entry.name):
                skipped.append((path, "expected a folder name of letters, digits and underscores"))
                continue
            if not _stays_inside(path, folder):
                skipped.append((path, "links that lead out of the module folder are not followed"))
                continue
            if not drafts and os.path.lexists(f"{entry.path}/{DRAFT}"):
                skipped.append((path, f"a draft; to serve it, remove its file {DRAFT}"))
                continue
            key = entry.name.lower()
            wrong = above or (why_replaceable(path.resolve().parent, known) if path.is_symlink() else "")
            found.append(_look_into(path, first.get(key), wrong))
            first.setdefault(key, path)
    return found, skipped


def _look_into(path: Path, other: Path | None, above: str) -> ModuleFolder:
    api_files: list[ApiFile] = []
    templates: list[Path] = []
    texts: list[Path] = []
    skipped: list[tuple[Path, str]] = []
    unreadable: dict[Path, str] = {}
    refused = f"{other.parent} already has a module of this name" if other else ""
    files, folders = _entries(path)
    # Who may write tests is looked at all the same: nothing keeps a module from importing them
    prints = {str(file): _print(status) for file, status in files if path / TESTS not in file.parents}
    refused = refused or above
    for folder, status in folders:
        refused = refused or why_open(folder[len(str(path.parent)) + 1 :], status)
    for file, status in files:
        wrong = _why_unreadable(status)
        if not wrong and file.is_symlink() and not _stays_inside(file, path.parent):
            skipped.append((file, "links that lead out of the module folder are not followed"))
            refused = refused or f"{file.name} is a link that leads out of the module folder"
            continue
        if wrong:
            unreadable[file] = wrong
        else:
            refused = refused or why_open(str(file.relative_to(path.parent)), status)
        if file.parent == path / "texts" and file.suffix == ".po":
            known = TEXT_FILE.fullmatch(file.name)
            texts += [file] if known else []
            skipped += [] if known else [(file, "expected a name such as sv.po (<language>.po)")]
        if file.parent.parent == path and TEMPLATE_FOLDER.fullmatch(file.parent.name) and file.suffix != ".po":
            if TEMPLATE_FILE.fullmatch(file.name):
                templates.append(file)
            elif not file.name.startswith(("_", ".")):
                skipped.append((file, "expected a name such as <kind>_<name>.py"))
        if file.parent != path / "class":
            continue
        match = API_FILE.fullmatch(file.name)
        if match is None:
            if file.suffix in (".py", ".class") and not file.name.startswith(("_", ".")):
                skipped.append((file, "expected a name such as api_<module><object>.py"))
            continue
        plain = match[2] == ".py"
        dotted = f"modules.{path.name}.class.{file.stem}" if plain else None
        api_files.append(ApiFile(service_name(match[1]), file, dotted))
    tables = tuple(file for file, _ in files if file.suffix == TABLE and file.parent.parent == path)
    found = tuple(api_files), tuple(templates), tuple(texts), tables, tuple(skipped)
    return ModuleFolder(path.name, path, prints, *found, unreadable, refused, is_second=other is not None)


def _entries(path: Path) -> tuple[list[tuple[Path, os.stat_result]], list[tuple[str, os.stat_result]]]:
    """Every Python file, file of texts and table of keys below a module, in path order, and every folder that Python
    reads.
    """
    found: list[tuple[Path, os.stat_result]] = []
    folders: list[tuple[str, os.stat_result]] = []
    pending = [str(path)]
    while pending:
        folder = pending.pop()
        wanted = (*READ, TABLE) if os.path.basename(folder) in PROFILE_NAMES else READ
        try:
            entries = list(os.scandir(folder))
            folders.append((folder, os.stat(folder)))
        except OSError:
            continue
        for entry in entries:
            if entry.name.startswith("."):
                continue
            try:
                if entry.name == "__pycache__":
                    folders.append((entry.path, entry.stat()))
                    continue
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                elif entry.name.endswith(wanted):
                    found.append((Path(entry.path), _status(entry)))
            except OSError:
                continue
    return sorted(found, key=lambda each: str(each[0])), folders


def _print(status: os.stat_result) -> Print:
    return status.st_mtime_ns, status.st_size, status.st_ino


def _status(entry: os.DirEntry[str]) -> os.stat_result:
    """What a file is; of a link that leads nowhere, what the link is."""
    try:
        return entry.stat()
    except OSError:
        return entry.stat(follow_symlinks=False)


def _why_unreadable(status: os.stat_result) -> str:
    """Why a file is never opened; empty when there is no reason. A pipe would hold up whoever opens it."""
    if stat.S_ISLNK(status.st_mode):
        return "the target of the link doesn't exist"
    if not stat.S_ISREG(status.st_mode):
        return "expected a regular file"
    if status.st_size > LARGEST:
        return f"expected at most {LARGEST} bytes, got {status.st_size}"
    return ""


def read_source(file: Path) -> bytes:
    """The bytes of a module's file, without running it.

    :raises OSError: it cannot be read, or is none that may be
    """
    # Whatever lies there by now: opening a pipe must not wait for its other end
    with os.fdopen(os.open(file, os.O_RDONLY | os.O_NONBLOCK), "rb") as opened:
        if wrong := _why_unreadable(os.fstat(opened.fileno())):
            raise OSError(wrong)
        return opened.read(LARGEST)


def fingerprint(folders: Iterable[ModuleFolder]) -> dict[str, object]:
    """What a look has seen: the same as long as nothing has to be loaded anew, nor may be loaded that might not."""
    seen: dict[str, object] = {}
    for folder in folders:
        seen |= folder.prints
        seen[str(folder.path)] = folder.refused
    return seen


def _stays_inside(path: Path, folder: Path) -> bool:
    return not path.is_symlink() or path.resolve().is_relative_to(folder.resolve())


def glance(folders: Iterable[Path]) -> tuple[tuple[str, int], ...]:
    """When the folders that hold API files last gained or lost one: a cheap look, for a service nobody knows."""
    seen: list[tuple[str, int]] = []
    for folder in folders:
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            try:
                seen.append((entry.path, os.stat(entry.path + "/class").st_mtime_ns))
            except OSError:
                continue
    return tuple(seen)


def imported_modules(module: ModuleFolder) -> set[str]:
    """The other modules that a module's files import, read from their text."""
    names: set[str] = set()
    for file in module.prints:
        depth = file.count(os.sep, len(str(module.path)))
        try:
            text = read_source(Path(file))
            # Parsing is most of the cost of a thousand modules, and few import another one
            if b"modules" not in text and b"from " + b"." * (depth + 1) not in text:
                continue
            imports = _plain_imports(text) or _parsed_imports(text)
        except (SyntaxError, ValueError, OSError, RecursionError, MemoryError):
            continue
        for level, source, imported in imports:
            first, _, rest = source.partition(".")
            if level == depth + 1:
                names.update([first] if first else imported)
            elif level == 0 and first == "modules":
                names.update([rest.partition(".")[0]] if rest else imported)
    return names - {"", module.name}


#: how many dots, of what, which names: ``from ..orders.models import Order``; a plain ``import`` names nothing
_Import = tuple[int, str, list[str]]

_IMPORT = re.compile(
    rb"^[ \t]*(?:from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+(\([\w\s,]*\)|[\w, \t]+)|import[ \t]+([\w., \t]+))$",
    re.MULTILINE,
)


def _plain_imports(text: bytes) -> list[_Import]:
    """What a file imports, where each time it says `import` a line tells it plainly; else nothing.

    Parsing takes twenty times as long, and would be a third of what loading all modules takes.
    """
    found = _IMPORT.findall(text)
    if b"\\\n" in text or len(found) != len(re.findall(rb"\bimport\b", text)):
        return []
    imports: list[_Import] = []
    for dots, source, names, plain in found:
        imports += [(0, each, []) for each in _first_words(plain)]
        imports += [(len(dots), source.decode(), _first_words(names.strip(b"()")))] if names else []
    return imports


def _first_words(listed: bytes) -> list[str]:
    """The names of a list: ``a as b, c``."""
    return [each.split()[0].decode() for each in listed.split(b",") if each.strip()]


def _parsed_imports(text: bytes) -> list[_Import]:
    imports: list[_Import] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            imports += [(0, alias.name, []) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            imports.append((node.level, node.module or "", [alias.name for alias in node.names]))
    return imports
