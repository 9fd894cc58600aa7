"""Files of a module that are found by their place: what each gives, and what stands for one that cannot be loaded."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from ..common.plain_functions import line_in, why_not_plain
from ..common.profiles import read_points
from ..jobs.functions import read_jobs
from ..records.events import NAME as EVENT_NAME
from ..records.events import read_handlers, stand_ins
from ..records.key_tables import KeyTable, read_key_table
from ..records.row_rules import ClosedRule, read_rules, words_of
from .folders import ModuleFolder, read_source
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


def _handlers(module: ModuleType) -> dict[str, list[Callable[..., object]]]:
    try:
        return dict(read_handlers(module))
    except ValueError as error:
        raise LoadError(*error.args) from error


def _refusals(folder: ModuleFolder, text: str) -> dict[str, list[Callable[..., object]]]:
    # Whatever its text names, if only by importing it
    return stand_ins(filter(EVENT_NAME.fullmatch, re.findall(r"\bbefore_\w+", text)), f"{folder.name}/events.py")


def _rules(module: ModuleType) -> list[Any]:
    table = getattr(module, "RULES", None)
    for rule in table.values() if isinstance(table, dict) else ():
        if wrong := why_not_plain(rule):
            raise LoadError(f"{rule.__name__} {wrong}", line_in(rule, module.__file__))
    try:
        return list(read_rules(table))
    except ValueError as error:
        raise LoadError(str(error)) from error


def _closed(folder: ModuleFolder, text: str) -> list[Any]:
    # The models of a folder that another one keeps out are not its own
    return [ClosedRule("" if folder.is_second else folder.name, words_of(text))]


def _points(module: ModuleType) -> dict[str, Any]:
    try:
        return dict(read_points(getattr(module, "POINTS", None)))
    except ValueError as error:
        raise LoadError(str(error)) from error


def _no_points(folder: ModuleFolder, text: str) -> dict[str, Any]:
    # Nobody knows their values: who asks for one is answered 501
    return {}


def _jobs(module: ModuleType) -> dict[str, Any]:
    try:
        return dict(read_jobs(module))
    except ValueError as error:
        raise LoadError(str(error)) from error


def _no_jobs(folder: ModuleFolder, text: str) -> dict[str, Any]:
    # Those that wait go on waiting, until somebody can run them
    return {}


def key_table(file: Path) -> KeyTable:
    """What all records of a model hold in a profile: the file ``<profile>/<model>.tsv``, which is no Python."""
    try:
        return read_key_table(read_source(file))
    except ValueError as error:
        raise LoadError(str(error)) from error


KNOWN_FILES = (
    KnownFile("events", "handlers", _handlers, _refusals),
    KnownFile("rows", "rules", _rules, _closed),
    KnownFile("profile", "points", _points, _no_points),
    KnownFile("jobs", "jobs", _jobs, _no_jobs),
)
