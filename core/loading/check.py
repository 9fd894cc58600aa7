"""Load every module file in another process, with a time limit.

The result is the catalogue that the server itself would have, assembled by the same function. The databases stay
unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NoReturn

from ..common.settings import settings
from ..contract.catalogue import Catalogue, Service
from ..schema.tables import rejected_modules
from ..storage.database import ensure_connected, open_database
from .assembly import Loaded, assemble
from .folders import look
from .loader import Loader
from .module_files import ModuleFolder
from .trial import IMPORT_SECONDS, try_imports


def examine(
    folders: Iterable[Path],
    *,
    wanted: Callable[[ModuleFolder], bool] = lambda folder: True,
    seconds: float = IMPORT_SECONDS,
    drafts: bool = False,
    asks: bool = False,
) -> Catalogue:
    """Return the catalogue of the folders, without importing anything into this process.

    :param wanted: which modules are loaded
    :param seconds: maximum time per file
    :param drafts: include modules that aren't served yet
    :param asks: query the database as well: a module that a server rejects because of its tables has failed
    """
    folders = tuple(folders)
    found, skipped = look(folders, drafts=drafts)
    chosen = [folder for folder in found if wanted(folder)]
    # A second module of a name is never served
    left_out = [folder for folder in found if not wanted(folder) and not folder.is_second]
    _, loaded = try_imports(folders, found, chosen, seconds, ends=1, collect=partial(_collect, asks))
    return assemble(1, loaded, skipped, left_out)


def _collect(asks: bool, loader: Loader, loaded: list[Loaded]) -> list[Loaded]:
    """Return modules as a server would load them, without objects that can't leave the process."""
    if asks and any(each.models for each in loaded):
        open_database(settings().database)
        ensure_connected()
        migrations = {each.folder.name: each.folder.path / "migrations" for each in loaded}
        if rejected := rejected_modules(migrations, [model for each in loaded for model in each.models]):
            loaded = loader.refuse(loaded, rejected)
    return [_plain_module(each) for each in loaded]


def _unusable(*_: object, **__: object) -> NoReturn:
    """Replace a function that stays in the process that imported it."""
    raise AssertionError("a read-only catalogue can't serve requests")


def _plain_module(loaded: Loaded) -> Loaded:
    """Return a module without objects that can't leave the process."""
    return replace(
        loaded,
        services=[_plain(each) for each in loaded.services],
        models=[],
        templates=[replace(each, content=None) for each in loaded.templates],
        event_handlers=[replace(each, function=_unusable, services=None) for each in loaded.event_handlers],
        wraps=[replace(each, function=None) for each in loaded.wraps],
        first_data=None,
        settings={name: replace(each, function=None) for name, each in loaded.settings.items()},
        rules=[],
        points=dict.fromkeys(loaded.points),
        jobs=dict.fromkeys(loaded.jobs),
        key_tables={},
    )


def _plain(service: Service) -> Service:
    """Return a service without objects that can't leave the process."""
    operations = (
        replace(each, inputs=(), answers=None, respond=_unusable, entries=(), shape=None) for each in service.operations
    )
    return replace(service, operations=tuple(operations), records=None)
