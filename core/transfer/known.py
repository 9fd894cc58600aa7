"""What the code that is here knows of a database, before one is touched."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ..common.settings import Settings
from ..loading.loader import Loader
from ..schema.core_tables import CORE_TABLES
from ..schema.migrations import Migration
from ..schema.tables import outdated
from ..storage.model import Model
from .ends import TransferError

#: told what is being done; answers what is told how much of how much is done
Progress = Callable[[str], Callable[[int, int], None]]


def no_progress(text: str) -> Callable[[int, int], None]:
    """Nobody looks."""
    return lambda done, all: None


@dataclass(frozen=True)
class Known:
    """What the code that is here knows of a database: models, migrations, and files that cannot be loaded."""

    models: tuple[type[Model], ...]
    migrations: dict[str, Any]
    failures: tuple[str, ...]


def know(configuration: Settings, progress: Progress = no_progress) -> Known:
    """Load the modules, without touching a database."""
    loader = Loader(configuration.module_folders, tables=False, progress=progress("Loading modules"))
    made = loader.load()
    folders = {folder: folder.parent for folder in _migration_folders(configuration)}
    models: tuple[type[Model], ...] = (*CORE_TABLES, Migration, *made.models)
    failures = tuple(dict.fromkeys(f"{each.module}/{each.file.name}: {each.reason}" for each in made.failures))
    return Known(models, {module.name: folder for folder, module in folders.items()}, failures)


def _migration_folders(configuration: Settings) -> Iterator[Any]:
    for folder in configuration.module_folders:
        yield from folder.glob("*/migrations")


def insist_on_present_form(known: Known) -> None:
    """Refuse a database in force that other versions of the modules have made.

    :raises TransferError: it is one
    """
    others = outdated(known.models, known.migrations)
    if others:
        raise TransferError(
            f"the tables of the database differ from the installed modules ({', '.join(others[:5])}). Start the "
            "server once to update them, or use the version that created them"
        )
