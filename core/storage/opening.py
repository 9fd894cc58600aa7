"""Opening a database; the scheme of its URL selects the backend."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from ..common.runtime import Runtime, active
from ..common.settings import add_checks, settings
from .backend import Backend
from .database import close, use_database


class DatabaseUrlError(ValueError):
    """The database URL can't be used."""


@cache
def backends() -> dict[str, type[Backend]]:
    """Return the kinds of database by the schemes of their URLs. Each is defined by a file in this folder."""
    for each in iter_modules([str(Path(__file__).parent)]):
        import_module(f".{each.name}", __package__)
    return {scheme: kind for kind in Backend.__subclasses__() for scheme in kind.schemes}


def backend_of(url: str) -> type[Backend]:
    """Return the kind of database that a URL refers to.

    :raises DatabaseUrlError: no kind has its scheme
    """
    scheme = url.partition(":")[0]
    found = backends().get(scheme.lower())
    if found is None:
        *others, last = sorted({f"{kind.schemes[0]}://" for kind in backends().values()})
        raise DatabaseUrlError(f"expected a URL that starts with {', '.join(others)} or {last}, got {scheme!r}")
    return found


add_checks("database", lambda url: backend_of(url).check_url(url), lambda url: backend_of(url).check_file(url))


def open_database(url: str) -> Backend:
    """Make the database of a URL the current one; connections are opened when they are needed.

    :raises DatabaseUrlError: the URL is invalid, or the driver is missing
    """
    try:
        opened: Any = backend_of(url).from_url(url, settings().statement_timeout)
    except ValueError as error:
        raise DatabaseUrlError(str(error)) from None
    close()
    use_database(opened)
    return opened  # type: ignore[no-any-return]


def activate(runtime: Runtime) -> None:
    """Make a runtime, whose steps were done before, the active one, and bind the models to its database."""
    close()
    active.runtime = runtime
    use_database(runtime.database)


def is_missing(url: str) -> bool:
    """Return whether opening the database would create it: its file does not exist, or is empty."""
    file = backend_of(url).file_of(url)
    return file is not None and not (file.is_file() and file.stat().st_size)
