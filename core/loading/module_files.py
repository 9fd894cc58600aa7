"""The files of a module: what they are, who may write them, and how they are read without being run.

A module in a folder that another user can write is not loaded, because that user could run code in the server. The
module's folder, and the one that it is in, must belong to root, to the server's user or to the owner of the server's
program. Only these users, and the groups of root, the server or the program, may write them.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..common.settings import is_native, settings

MAX_FILE_BYTES = 1_000_000

#: first path segments that no module can use
RESERVED = ("api", "explorer", "health", "metrics")

#: modification time, size and inode of a file
Print = tuple[int, int, int]

_PROGRAM = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class ModuleFile:
    """A file whose place in its module has a meaning.

    :param place: a key of `PLACES`
    :param service: the service of an API file, else empty
    """

    place: str
    path: Path
    service: str = ""


@dataclass(frozen=True)
class ModuleFolder:
    """A module on the disk.

    :param folder_times: when each of its folders was last changed (`st_ctime_ns`)
    :param file_times: the same for each file in `prints`; a change of owner or permissions counts
    :param api_files: the files in ``class/`` that hold an API class
    :param files: other files whose place has a meaning, in the order of `PLACES`
    :param skipped: files that are ignored, each with the reason
    :param unreadable: for each file that must not be opened, the reason
    :param refused: why nothing of it is loaded; empty: it is loaded
    :param is_second: True if an earlier folder has the same name
    :param device: the file system of the folder that it is in
    :param lost: why it can't be read now, so that it stays as it was loaded; empty: it can
    :param is_disabled: True if it is switched off: only its row rules apply
    """

    name: str
    path: Path
    prints: Mapping[str, Print]
    folder_times: Mapping[str, int]
    file_times: Mapping[str, int]
    api_files: tuple[ModuleFile, ...] = ()
    files: tuple[ModuleFile, ...] = ()
    skipped: tuple[tuple[Path, str], ...] = ()
    unreadable: Mapping[Path, str] = field(default_factory=dict)
    refused: str = ""
    is_second: bool = False
    device: int = 0
    lost: str = ""
    is_disabled: bool = False

    @property
    def is_native(self) -> bool:
        """True if the server ships it."""
        return is_native(self.path)

    @property
    def closed(self) -> list[str]:
        """Return the names below the package `modules` that must not be imported."""
        if self.refused:
            return [] if self.is_second else [self.name]
        names = (".".join(file.relative_to(self.path.parent).with_suffix("").parts) for file in self.unreadable)
        return [name.removesuffix(".__init__") for name in names]


def service_name(stem: str) -> str:
    """Return the service of a file ``api_<stem>``: in lower case, without underscores."""
    return stem.lower().replace("_", "")


def read_source(file: Path) -> bytes:
    """Return the bytes of a module's file.

    :raises OSError: it can't be read, or must not be opened
    """
    # The file may have been replaced by a pipe: opening it must not block
    with os.fdopen(os.open(file, os.O_RDONLY | os.O_NONBLOCK), "rb") as opened:
        if wrong := why_unreadable(os.fstat(opened.fileno())):
            raise OSError(wrong)
        return opened.read(MAX_FILE_BYTES)


def read_text(file: Path) -> str:
    """Return the text of a module's file, without the byte order mark that some editors write.

    :raises OSError: it can't be read, or must not be opened
    :raises ValueError: a line isn't UTF-8
    """
    content = read_source(file)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(f"line {line} is not UTF-8") from None


def text_of(file: Path) -> str:
    """Return the readable part of a file's text; empty if it can't be read."""
    try:
        return read_source(file).decode(errors="replace")
    except OSError:
        return ""


def why_unreadable(status: os.stat_result) -> str:
    """Return why a file must not be opened, such as a pipe, which would block; empty if it may."""
    if stat.S_ISLNK(status.st_mode):
        return "the target of the link doesn't exist"
    if not stat.S_ISREG(status.st_mode):
        return "expected a regular file"
    if status.st_size > MAX_FILE_BYTES:
        return f"expected at most {MAX_FILE_BYTES} bytes, got {status.st_size}"
    return ""


def why_open(folder: Path) -> str:
    """Return why other users can change what is in a folder, with the command that prevents it; empty if they can't.

    The files in it are not checked.
    """
    try:
        status = folder.stat()
    except OSError:
        # Nothing can be loaded from it either
        return ""
    # They can change the server's code anyway
    program = _PROGRAM.stat()
    if settings().writable_modules:
        return ""
    if status.st_uid not in (0, os.geteuid(), program.st_uid):
        return f"expected {folder} to belong to root or to the server's user; run `chown root {folder}`"
    is_of_other_group = status.st_gid not in (0, os.getegid(), program.st_gid)
    if status.st_mode & stat.S_IWOTH or (status.st_mode & stat.S_IWGRP and is_of_other_group):
        return f"other users can write to {folder}; run `chmod go-w {folder}`"
    return ""
