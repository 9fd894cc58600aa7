"""The module folders on the disk: which files exist, in which state, and which are skipped."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path

from ..common.profiles import PROFILE_NAMES
from .module_files import ModuleFile, ModuleFolder, service_name, why_open, why_unreadable
from .places import API, PLACES, TABLE

MODULE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")

#: endings of the files that are read in any folder of a module
READ = (".py", ".class", ".po", ".toml")

#: while a module has a file of this name, it is not served
DRAFT = "DRAFT"

#: while a module has a file of this name, it is switched off
DISABLED = "DISABLED"

#: the folder of a module's tests; a change there reloads nothing
TESTS = "tests"

#: names of API files
_API_FILE = re.compile(PLACES[API].pattern.removeprefix("class/"))
_OUTSIDE = "links that lead out of the module folder are not followed"
_PLACE = re.compile("|".join(f"(?P<{name}>{place.pattern})" for name, place in PLACES.items()))
_MISNAMED = re.compile("|".join(f"(?P<{name}>{place.folder})" for name, place in PLACES.items() if place.folder))

#: the modules in the order of their paths, and what was skipped, with the reason
Look = tuple[list[ModuleFolder], list[tuple[Path, str]]]


def look(folders: Iterable[Path], *, drafts: bool = False, loaded: Collection[ModuleFolder] = ()) -> Look:
    """Return the modules that are in the folders now.

    :param drafts: True to include drafts
    :param loaded: the modules that this process serves: those that can't be read now are returned as they were, `lost`
    """
    found: list[ModuleFolder] = []
    skipped: list[tuple[Path, str]] = []
    first: dict[str, Path] = {}
    for folder in folders:
        before = {each.path: each for each in loaded if each.path.parent == folder}
        entries, device, lost = _list(folder, before.values())
        if lost:
            skipped.append((folder, lost))
            found += [replace(each, lost=f"{folder}: {lost}") for each in before.values()]
        for entry in entries:
            path = Path(entry.path)
            if entry.name.startswith((".", "_")):
                continue
            reason = _why_lost(entry, folder)
            if reason and path in before:
                found.append(replace(before[path], lost=reason))
            elif not _is_folder(entry):
                if entry.name.endswith(".zip") or _API_FILE.fullmatch(entry.name):
                    skipped.append((path, "expected a module's folder, got a file"))
            elif reason := reason or _why_skipped(path, drafts):
                skipped.append((path, reason))
            else:
                made = _look_into(path, device, first.get(entry.name.lower()))
                found.append(replace(before[path], lost=made.lost) if made.lost and path in before else made)
        for each in found:
            first.setdefault(each.name.lower(), each.path)
    return found, skipped


def _list(folder: Path, before: Collection[ModuleFolder]) -> tuple[list[os.DirEntry[str]], int, str]:
    """Return what is in a folder of modules, its file system, and why its modules can't be read; empty: they can.

    :param before: the modules that were in it
    """
    try:
        entries, device = sorted(os.scandir(folder), key=lambda entry: entry.name), os.stat(folder).st_dev
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        return [], 0, "the folder doesn't exist" if missing else f"the folder can't be read: {error.strerror}"
    # An unmounted disk leaves an empty folder of another file system
    moved = all(each.device != device for each in before) and not any(map(_is_folder, entries))
    return entries, device, "the folder is empty, and another file system than before" if before and moved else ""


def _is_folder(entry: os.DirEntry[str]) -> bool:
    # Unlike `entry.is_dir()`, it raises no error for the target of a link
    return os.path.isdir(entry.path)


def _why_lost(entry: os.DirEntry[str], folder: Path) -> str:
    """Return why a module can't be read because of a link; empty if it can."""
    if not entry.is_symlink():
        return ""
    if not _is_folder(entry):
        return "the target of the link doesn't exist, or can't be read"
    return "" if _stays_inside(Path(entry.path), folder) else _OUTSIDE


def _why_skipped(path: Path, drafts: bool) -> str:
    if not MODULE_NAME.fullmatch(path.name):
        return f"expected a name of ASCII letters, digits and underscores that begins with a letter, got {path.name!r}"
    if not drafts and os.path.lexists(path / DRAFT):
        return f"a draft; to serve it, remove its file {DRAFT}"
    return ""


def _look_into(path: Path, device: int, other: Path | None) -> ModuleFolder:
    """Return a module.

    :param device: the file system of the folder that it is in
    :param other: an earlier module of the same name
    """
    placed: dict[str, list[ModuleFile]] = {name: [] for name in PLACES}
    skipped: list[tuple[Path, str]] = []
    unreadable: dict[Path, str] = {}
    files, folders, lost = _entries(path)
    refused = f"{other.parent} already has a module of this name" if other else ""
    holders = dict.fromkeys((path.parent, path.resolve().parent))
    below = [Path(folder) for folder, _ in folders if not folder.startswith(f"{path}/{TESTS}")]
    refused = refused or next(filter(None, map(why_open, (*holders, path, *below))), "") or lost
    tests = f"{path}/{TESTS}/"
    read = {str(file): status for file, status in files if not str(file).startswith(tests)}
    prints = {file: (status.st_mtime_ns, status.st_size, status.st_ino) for file, status in read.items()}
    file_times = {file: status.st_ctime_ns for file, status in read.items()}
    folder_times = {folder: status.st_ctime_ns for folder, status in folders}
    for file, status in files:
        wrong = why_unreadable(status)
        if not wrong and file.is_symlink() and not _stays_inside(file, path.parent):
            skipped.append((file, _OUTSIDE))
            refused = refused or f"{file.name} is a link that leads out of the module folder"
            continue
        if wrong:
            unreadable[file] = wrong
        inside = str(file)[len(str(path)) + 1 :]
        if (match := _PLACE.fullmatch(inside)) and match.lastgroup:
            service = service_name(file.name[len("api_") :].partition(".")[0]) if match.lastgroup == API else ""
            placed[match.lastgroup].append(ModuleFile(match.lastgroup, file, service))
        elif (match := _MISNAMED.fullmatch(inside)) and match.lastgroup:
            unless = "" if file.suffix == ".po" else ", unless other files import it"
            skipped.append((file, f"expected a name such as {PLACES[match.lastgroup].example}{unless}"))
        elif wrong and inside != "models.py":
            skipped.append((file, wrong))
        elif _API_FILE.fullmatch(file.name) and str(file) in prints:
            skipped.append((file, "not served, because an API file must be in the folder class of its module"))
    api_files = tuple(placed.pop(API))
    if os.path.lexists(path / DISABLED):
        skipped.append((path, f"disabled; `comptoir enable {path.name}` switches it on"))
    found = tuple(file for each in placed.values() for file in each)
    return ModuleFolder(
        path.name, path, prints, folder_times, file_times, api_files, found, tuple(skipped), unreadable, refused,
        is_second=other is not None, device=device, lost=lost, is_disabled=os.path.lexists(path / DISABLED),
    )  # fmt: skip


def _entries(path: Path) -> tuple[list[tuple[Path, os.stat_result]], list[tuple[str, os.stat_result]], str]:
    """Return the files of a module that are read, in the order of their paths, and all folders that Python reads.

    The third value is why one of these folders can't be read; empty: all can.
    """
    lost = ""
    found: list[tuple[Path, os.stat_result]] = []
    folders: list[tuple[str, os.stat_result]] = []
    pending = [str(path)]
    while pending:
        folder = pending.pop()
        endings = (*READ, TABLE) if os.path.basename(folder) in PROFILE_NAMES else READ
        try:
            folders.append((folder, os.stat(folder)))
            entries = list(os.scandir(folder))
        except OSError as error:
            # A folder that was deleted meanwhile takes its files with it
            if not isinstance(error, FileNotFoundError):
                lost = lost or f"the folder {os.path.relpath(folder, path.parent)} can't be read: {error.strerror}"
            continue
        for entry in entries:
            if entry.name.startswith("."):
                continue
            try:
                if entry.name == "__pycache__":
                    folders.append((entry.path, entry.stat()))
                elif entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                elif entry.name.endswith(endings):
                    found.append((Path(entry.path), _status(entry)))
            except OSError:
                continue
    return sorted(found, key=lambda each: str(each[0])), folders, lost


def _status(entry: os.DirEntry[str]) -> os.stat_result:
    """Return the status of a file; for a link without a target, that of the link."""
    try:
        return entry.stat()
    except OSError:
        return entry.stat(follow_symlinks=False)


def _stays_inside(path: Path, folder: Path) -> bool:
    return not path.is_symlink() or path.resolve().is_relative_to(folder.resolve())


def fingerprint(folders: Iterable[ModuleFolder]) -> dict[str, object]:
    """Return the state of modules: while it is the same, nothing has to be loaded again."""
    seen: dict[str, object] = {}
    for folder in folders:
        seen |= folder.prints
        seen[str(folder.path)] = folder.lost or folder.refused or folder.is_disabled
    return seen


def list_paths(folder: Path) -> list[str]:
    """Return the paths in a folder; none if it can't be read."""
    try:
        return [entry.path for entry in os.scandir(folder)]
    except OSError:
        return []


def times_of(paths: Iterable[str]) -> dict[str, int]:
    """Return when folders or files were last changed, 0 for missing ones; much cheaper than `look`."""
    times = {}
    for path in paths:
        try:
            times[path] = os.stat(path).st_ctime_ns
        except OSError:
            times[path] = 0
    return times
