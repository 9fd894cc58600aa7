"""Who may write what is loaded: whoever may change a module's file, or put another in its place, runs code here.

Files, and the folders from the module's own down to them, belong to root, to the server's user or to the owner of the
server's own program, and nobody else may write them; a group may if it is root's, the server's or that program's. The
folders above are held against the same, but for sticky ones such as /tmp, in which nobody renames what is another's.
"""

from __future__ import annotations

import os
import stat
from functools import cache
from pathlib import Path

from ..common.settings import settings

_PROGRAM = Path(__file__).resolve().parents[1]

#: a path → why others may replace it, empty where they may not; for one look at the disk
Known = dict[str, str]


def why_open(shown: str, status: os.stat_result, *, above: bool = False) -> str:
    """Why somebody else may change a file or a folder, and what to do about it; empty where nobody may.

    :param shown: what it is called in the reason
    :param above: it is a folder above the module's own
    """
    owners, groups = _trusted()
    if settings().writable_modules:
        return ""
    if status.st_uid not in owners:
        return f"expected {shown} to belong to root or to the server's user; run `chown root {shown}`"
    mode = status.st_mode
    if above and mode & stat.S_ISVTX:
        return ""
    if mode & stat.S_IWOTH or (mode & stat.S_IWGRP and status.st_gid not in groups):
        return f"other users can write to {shown}; run `chmod go-w {shown}`"
    return ""


def why_replaceable(folder: Path, known: Known) -> str:
    """Why somebody else may put another module into a folder, or another folder in its place; empty where nobody may.

    :param folder: one that holds modules
    :param known: what this look at the disk has found so far
    """
    for each in dict.fromkeys((*_way(folder.absolute()), *_way(folder.resolve()))):
        path = str(each)
        if path not in known:
            known[path] = _why_open_above(path)
        if known[path]:
            return known[path]
    return ""


def _way(folder: Path) -> tuple[Path, ...]:
    return (folder, *folder.parents)


def _why_open_above(path: str) -> str:
    try:
        return why_open(path, os.stat(path), above=True)
    except OSError:
        # What cannot be looked at cannot be loaded either
        return ""


@cache
def _trusted() -> tuple[frozenset[int], frozenset[int]]:
    """The users and the groups who may write: they run the server's code, or could change it."""
    program = _PROGRAM.stat()
    return frozenset((0, os.geteuid(), program.st_uid)), frozenset((0, os.getegid(), program.st_gid))
