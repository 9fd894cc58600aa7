"""Comptoir explorer: the page for people and the OpenAPI document for programs.

Both are generated from the active catalogue, so they show every service that the server serves, including new modules.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import falcon

from .descriptions import Descriptions
from .page import routes

__all__ = ["add_routes"]


def add_routes(app: falcon.App[Any, Any], look_again: Callable[[], bool]) -> None:
    """Add the explorer's routes. Its contents are made at the first request, so a server starts sooner.

    :param look_again: updates the catalogue from the disk; called before each use
    """
    for path, resource in routes(Descriptions(look_again)).items():
        app.add_route(path, resource)
