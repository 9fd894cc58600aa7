"""Setup that lasts for a test: constants and extra fields."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .client import Client


@contextmanager
def constant(admin: Client, name: str, value: str) -> Iterator[None]:
    """Set a constant meanwhile; afterwards it is what it was."""
    path = f"/setup/conf/{name}"
    before = admin.simulate_get(path)
    admin.ask("PUT", path, {"value": value})
    try:
        yield
    finally:
        if before.status_code == 200:
            admin.ask("PUT", path, {"value": before.json})
        else:
            admin.ask("DELETE", path)


@contextmanager
def extra_field(admin: Client, element: str, name: str, **definition: Any) -> Iterator[None]:
    """Define an extra field meanwhile, a text unless the definition says otherwise; afterwards it is gone.

    :param element: the element type of the records, such as ``societe``
    :param definition: what the service takes: `type`, `label`, `required` …
    """
    path = f"/setup/extrafields/{element}/{name}"
    admin.ask("POST", path, {"label": name, "type": "varchar"} | definition)
    try:
        yield
    finally:
        admin.ask("DELETE", path)
