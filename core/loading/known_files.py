"""Files of a module that are found by their place: what each gives, and what stands for one that cannot be loaded."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from ..common.plain_functions import line_in, why_not_plain
from ..common.profiles import read_points
from ..jobs.functions import read_jobs
from ..records.events import NAME as EVENT_NAME
from ..records.events import read_handlers, stand_ins
from ..records.row_rules import ClosedRule, read_rules, words_of
from .folders import ModuleFolder
from .importing import LoadError


@dataclass(frozen=True)
class KnownFile:
    """A file with a place and a meaning.

    :param name: what it is called, without its ending
    :param gives: the attribute of `Loaded` that holds what it gives
    :param read: answers that, of the imported file
    :param replace: answers what stands for it, of the folder and of the file's text, which need not be Python
    """

    name: str
    gives: str
    read: Callable[[ModuleType], Any]
    replace: Callable[[ModuleFolder, str], Any]


def read_or_blame(read: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a reader returns; its ValueError becomes a LoadError, with its line if it says one."""
    try:
        return read(*arguments)
    except ValueError as error:
        line = error.args[1] if len(error.args) == 2 and isinstance(error.args[1], int) else None
        raise LoadError(str(error.args[0]) if line is not None else str(error), line) from error


def _refusals(folder: ModuleFolder, text: str) -> dict[str, list[Callable[..., object]]]:
    # Whatever its text names, if only by importing it
    return stand_ins(filter(EVENT_NAME.fullmatch, re.findall(r"\bbefore_\w+", text)), f"{folder.name}/events.py")


def _rules(module: ModuleType) -> list[Any]:
    table = getattr(module, "RULES", None)
    for rule in table.values() if isinstance(table, dict) else ():
        if wrong := why_not_plain(rule):
            raise LoadError(f"{rule.__name__} {wrong}", line_in(rule, module.__file__))
    return list(read_rules(table))


def _closed(folder: ModuleFolder, text: str) -> list[Any]:
    # The models of a folder that another one keeps out are not its own
    return [ClosedRule("" if folder.is_second else folder.name, words_of(text))]


def _points(module: ModuleType) -> dict[str, Any]:
    return dict(read_points(getattr(module, "POINTS", None)))


def _nothing(folder: ModuleFolder, text: str) -> dict[str, Any]:
    # A point without a value is answered 501; jobs wait until somebody can run them
    return {}


KNOWN_FILES = (
    KnownFile("events", "handlers", read_handlers, _refusals),
    KnownFile("rows", "rules", _rules, _closed),
    KnownFile("profile", "points", _points, _nothing),
    KnownFile("jobs", "jobs", read_jobs, _nothing),
)
