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
    """Serve the explorer. Its contents are made at the first request, so that a server starts sooner.

    :param look_again: makes the catalogue the one of the disk; called before anything of it is shown
    """
    for path, resource in routes(Descriptions(look_again)).items():
        app.add_route(path, resource)
