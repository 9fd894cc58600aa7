"""The composition root: settings, database, tables, catalogue, application, explorer."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import falcon

from .access.limits import DatabaseStore, Limiter, RedisStore, use_limiter
from .common.settings import NATIVE_MODULES, Settings, configure
from .loading.journal import Journal
from .loading.loader import Loader
from .loading.reload import Reloader
from .schema.core_tables import ensure_core_tables
from .storage.database import close
from .storage.incomplete_copy import ensure_complete_database
from .storage.opening import database_file, open_database
from .storage.table_generation import use_catching_up
from .web.app import create_app


@dataclass(frozen=True)
class Server:
    """Everything one process serves with."""

    app: falcon.App[Any, Any]
    reloader: Reloader
    #: describes what is served, so that the first visitor of the explorer need not wait for it
    describe: Callable[[], object]


def build(
    configuration: Settings | None = None,
    *,
    progress: Callable[[int, int], None] = lambda done, all: None,
    journal: Journal | None = None,
    predecessor: Loader | None = None,
) -> Server:
    """Put a configuration in force, make what is missing in the database, load every module.

    :param configuration: None: that of the environment
    :param progress: told how many modules of how many have been loaded
    :param journal: where it is noted what is being imported
    :param predecessor: the loader of this process's last server; native modules that have not changed are taken over
    """
    configuration = configuration or Settings.from_environment()
    configure(configuration)
    logging.getLogger("comptoir").setLevel(configuration.log.upper())
    open_database(configuration.database)
    ensure_complete_database()
    ensure_core_tables()
    use_limiter(Limiter(RedisStore(configuration.cache) if configuration.cache else DatabaseStore()))
    journal = journal or Journal(journal_folder(configuration))
    loader = Loader(configuration.module_folders, journal, progress=progress)
    if predecessor is not None:
        loader.take_over(predecessor, NATIVE_MODULES)
    reloader = Reloader(loader)
    use_catching_up(reloader.catch_up)
    reloader.load()
    close()
    app = create_app(reloader.look_again)
    return Server(app, reloader, _add_explorer(configuration.explorer, app, reloader))


def _add_explorer(package: str, app: falcon.App[Any, Any], reloader: Reloader) -> Callable[[], object]:
    """Serve the explorer; returns a function that describes everything ahead of the first request.

    :param package: its package, which has a function `add_routes`; empty: there is none
    """
    if not package:
        return lambda: None
    add_routes: Callable[..., Callable[[], object]] = importlib.import_module(package).add_routes
    return add_routes(app, lambda: reloader.look_again(thoroughly=True))


def journal_folder(configuration: Settings) -> Path:
    """Notes of what is being imported lie beside the data of this installation."""
    file = database_file(configuration.database)
    if file is not None:
        return file.parent / "importing"
    # Files that lie elsewhere (s3://...) say nothing of a folder here
    files = Settings.documents if "://" in configuration.documents else configuration.documents
    return Path(files).parent / "importing"
