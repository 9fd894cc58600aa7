"""The files of modules that only the explorer reads: `guide.md`, `examples.json` and `search_words.tsv`."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from core.contract.catalogue import Service
from core.loading.module_files import read_text

T = TypeVar("T")

_log = logging.getLogger("comptoir")


def folders_of(services: Iterable[Service]) -> dict[Path, str]:
    """Return the folder of each module that has services, with its name, in the order of the services."""
    return {each.file.parent.parent: each.module for each in services if each.file.parent.name == "class"}


def read_file(file: Path, parse: Callable[[str], T], report: Callable[[str], object] = _log.warning) -> T | None:
    """Return the parsed content of a file; None if it doesn't exist or can't be read.

    :param report: called with a line about a file that can't be read
    """
    try:
        return parse(read_text(file))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        report(f"{file} is ignored: {error}")
        return None
