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


def add_routes(app: falcon.App[Any, Any], look_again: Callable[[], bool]) -> Callable[[], object]:
    """Serve the explorer; returns a function that describes everything ahead of the first request.

    :param look_again: makes the catalogue the one of the disk; called before anything of it is shown
    """
    descriptions = Descriptions(look_again)
    for path, resource in routes(descriptions).items():
        app.add_route(path, resource)
    return descriptions.prepare
