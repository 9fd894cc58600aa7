"""The live explorer: the page where people meet the service, and the OpenAPI document for programs.

Both are made from the catalogue alone and therefore show what is really served, modules dropped in included.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import falcon

from .page import routes

__all__ = ["add_routes"]


def add_routes(app: falcon.App[Any, Any], look_again: Callable[[], bool]) -> None:
    """Serve the explorer.

    :param look_again: makes the catalogue the one of the disk; called before anything of it is shown
    """
    for path, resource in routes(look_again).items():
        app.add_route(path, resource)
