"""The first data of modules: what a function creates, once in each database."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..storage.database import transaction
from .migrations import Migration, done_migrations

#: its name among the migrations of the module; with the tables of a module, its record goes too
NAME = "first data"


def make_first_data(functions: Mapping[str, Callable[[], object]]) -> dict[str, Exception]:
    """Call the functions of the modules whose first data this database doesn't have.

    Each runs in one transaction, together with its record. If several processes try, only one makes the data.

    :param functions: by module
    :return: the error of each that failed; nothing of it was written
    """
    errors: dict[str, Exception] = {}
    done = done_migrations() if functions else {}
    for module, create in functions.items():
        if (module, NAME) in done:
            continue
        try:
            with transaction():
                Migration.create(module=module, name=NAME)
                create()
        except Exception as error:  # noqa: BLE001 - a module may raise anything
            # Another process may have been faster
            if (module, NAME) not in done_migrations():
                errors[module] = error
    return errors
