"""Comptoir explorer: the page for people and the OpenAPI document for programs.

Both are generated from the active catalogue, so they show every service that the server serves, including new modules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import falcon

from core.contract.catalogue import Service

from .descriptions import Descriptions
from .guide_pages import MODULE_PAGE, parse_page
from .module_files import folders_of, read_file
from .page import routes
from .samples import NAME, parse_samples
from .search_words import FILE, SearchWords

__all__ = ["add_routes", "ignored_files"]


def add_routes(app: falcon.App[Any, Any], look_again: Callable[[], bool]) -> None:
    """Add the explorer's routes. Its contents are made at the first request, so a server starts sooner.

    :param look_again: updates the catalogue from the disk; called before each use
    """
    for path, resource in routes(Descriptions(look_again)).items():
        app.add_route(path, resource)


def ignored_files(services: Iterable[Service]) -> list[str]:
    """Return a line for each file that the explorer can't read, of the modules that have these services."""
    lines: list[str] = []
    for folder, module in folders_of(services).items():
        read_file(folder / MODULE_PAGE, partial(parse_page, module), lines.append)
        read_file(folder / NAME, parse_samples, lines.append)
        read_file(folder / FILE, SearchWords().take, lines.append)
    return lines
