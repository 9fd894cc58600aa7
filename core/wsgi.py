"""The composition root: the steps that make what one process serves with."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import falcon

from .access.limits import DatabaseStore, Limiter, RedisStore, limiter
from .common.process import use_values
from .common.settings import Settings, current_settings, settings
from .loading.import_guard import TRIALS_FOLDER, ImportGuard
from .loading.loader import Loader, show_nothing
from .loading.reload import Reloader
from .loading.trial import IMPORT_SECONDS
from .schema.migration_tables import limit_migration
from .schema.tables import ensure_core_tables
from .storage.cache_version import ensure_usable_database
from .storage.database import backend_of, close, open_database
from .web.app import create_app
from .web.builtin_services import Readiness, readiness


@dataclass
class Server:
    """Everything one process serves with; each of `STEPS` makes a part.

    :param predecessor: the loader of this process's last server; its native modules are taken over
    """

    reloader: Reloader
    predecessor: Loader | None
    app: falcon.App[Any, Any] = field(init=False)


def prepare_database(server: Server) -> None:
    """Open the database and make the tables of the server itself; a copy that is incomplete is rejected."""
    open_database(settings().database)
    ensure_usable_database()
    ensure_core_tables()


def make_limiter(server: Server) -> None:
    """Count requests in Redis if it is configured, else in the database."""
    cache = settings().cache
    limiter.value = Limiter(RedisStore(cache) if cache else DatabaseStore())


def load_modules(server: Server) -> None:
    """Load every module, with its tables, and activate the catalogue."""
    if server.predecessor is not None:
        server.reloader.loader.take_over(server.predecessor)
    server.reloader.load()
    close()


def make_application(server: Server) -> None:
    """Make the falcon application."""
    readiness.value = Readiness()
    server.app = create_app(server.reloader.look_again)


def add_explorer(server: Server) -> None:
    """Serve the explorer: the configured package has a function `add_routes`."""
    package = settings().explorer
    if package:
        look_again = partial(server.reloader.look_again, thoroughly=True)
        importlib.import_module(package).add_routes(server.app, look_again)


#: what is done to build a server, in this order
STEPS = (prepare_database, make_limiter, load_modules, make_application, add_explorer)


def build(
    configuration: Settings | None = None,
    *,
    progress: Callable[[int, int], None] = show_nothing,
    guarded: bool = False,
    drafts: bool = False,
    predecessor: Loader | None = None,
) -> Server:
    """Build the server of this process.

    :param configuration: its settings, with which nothing of another server remains; None: the current ones are used
    :param progress: called with the number of loaded modules and of all modules
    :param guarded: have each file imported by another process before this one imports it
    :param drafts: include modules that aren't served yet, as when their author tests one
    :param predecessor: as in `Server`
    """
    if configuration is not None:
        use_values({current_settings: configuration})
    configuration = settings()
    logging.getLogger("comptoir").setLevel(configuration.log.upper())
    loader = Loader(configuration.module_folders, drafts=drafts, progress=progress)
    guard = None
    if guarded:
        guard = ImportGuard(data_folder(configuration) / TRIALS_FOLDER, min(IMPORT_SECONDS, configuration.timeout))
        loader.before_import = guard.ensure_allowed
        limit_migration.value = guard.ensure_migration_allowed
    server = Server(Reloader(loader, guard), predecessor)
    for step in STEPS:
        step(server)
    return server


def data_folder(configuration: Settings) -> Path:
    """Return the folder of this installation's data, on this machine."""
    file = backend_of(configuration.database).file_of(configuration.database)
    if file is not None:
        return file.parent
    # A store elsewhere (s3://...) has no folder here
    files = Settings.documents if "://" in configuration.documents else configuration.documents
    return Path(files).parent
