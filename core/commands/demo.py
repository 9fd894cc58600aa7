"""`comptoir demo`: create the demonstration data that the modules define in `demo.py`."""

from __future__ import annotations

import importlib
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

import click

from ..access.accounts import Account
from ..common.request_state import acting_as
from ..common.settings import Settings
from ..contract.catalogue import catalogue, current_catalogue
from ..loading.folders import look
from ..storage.cache_version import cache_version
from ..storage.database import close, ensure_connected, no_timeouts, transaction
from ..wsgi import build
from .database_wait import require_database, to_stderr
from .first_administrator import Say, first_administrator, show_key
from .terminal import read_settings, show_loading

_WAY_OUT = "nothing was changed. Set COMPTOIR_DATABASE to another database, or use --again"


@click.command()
@click.option("--again", is_flag=True, help="Create the data even if the database contains records.")
def demo(again: bool) -> None:
    """Fill an empty database with demonstration data.

    The data is the same each time. Each module creates its data in one transaction. Background jobs generate the PDFs:
    a running server does them, or the next one that starts. If the database contains third parties, or users other
    than the first administrator, the command changes nothing without --again.
    """
    configuration = read_settings(ready=True)
    require_database(configuration)
    build(progress=show_loading)
    try:
        key = first_administrator(configuration)
        if not again:
            ensure_empty()
        failed = make_demonstration(configuration)
    finally:
        close()
    if key:
        show_key(key, configuration, click.echo, click.echo)
    if failed:
        raise click.ClickException(
            f"could not create the demonstration data of {', '.join(failed)}; none of it was saved"
        )


def ensure_empty() -> None:
    """Check that the database contains no real work.

    :raises click.ClickException: it may
    """
    ensure_connected()
    if Account.select().count() > 1:
        raise click.ClickException(f"the database has more than one user; {_WAY_OUT}")
    for model in catalogue().models:
        meta: Any = model._meta
        if meta.thirdparty and model.select().exists():
            raise click.ClickException(f"the database has records in {meta.table_name}; {_WAY_OUT}")


@dataclass(frozen=True)
class _Demo:
    name: str
    after: tuple[str, ...]
    make: Any


def make_demonstration(configuration: Settings, say: Say = to_stderr, today: date | None = None) -> list[str]:
    """Create every module's data; return the modules whose data could not be created.

    :param say: prints or logs a line
    :param today: the date for which it is made
    """
    today = today or datetime.now(configuration.zone).date()
    failed: list[str] = []
    demos = _in_order(list(_find(configuration, failed, say)))
    with no_timeouts(), _without_late_handlers():
        for each in demos:
            started = time.monotonic()
            missing = [name for name in each.after if name in failed]
            try:
                if missing:
                    raise LookupError(f"the module needs the data of {missing[0]}, which could not be created")
                with acting_as(None):
                    # As in a request, so that repeated look-ups are cached
                    cache_version()
                    with transaction():
                        each.make(random.Random("comptoir"), today)
            except Exception as error:  # noqa: BLE001 - a failure affects only this module
                say(f"  {each.name:<16}failed: {type(error).__name__}: {error}")
                failed.append(each.name)
            else:
                say(f"  {each.name:<16}{time.monotonic() - started:6.1f} s")
    return failed


@contextmanager
def _without_late_handlers() -> Iterator[None]:
    """Don't call handlers that run after the commit.

    They write files or send messages, once for each record. A module that needs that does it in its `demo.py`.
    """
    served = current_catalogue.value
    current_catalogue.value = replace(
        served, event_handlers=tuple(each for each in served.event_handlers if each.when == "before")
    )
    try:
        yield
    finally:
        current_catalogue.value = served


def _find(configuration: Settings, failed: list[str], say: Say) -> Iterator[_Demo]:
    for folder in look(configuration.module_folders)[0]:
        if str(folder.path / "demo.py") not in folder.prints or folder.refused:
            continue
        try:
            module = importlib.import_module(f"modules.{folder.name}.demo")
            yield _Demo(folder.name, tuple(getattr(module, "AFTER", ())), module.make)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a failure affects only this module
            say(f"  {folder.name:<16}failed: {type(error).__name__}: {error}")
            failed.append(folder.name)


def _in_order(demos: list[_Demo]) -> list[_Demo]:
    """Return them in alphabetical order, but each after those in its AFTER."""
    by_name = {each.name: each for each in sorted(demos, key=lambda each: each.name)}
    ordered: dict[str, _Demo] = {}

    def visit(name: str, path: tuple[str, ...]) -> None:
        if name in path:
            raise click.ClickException(f"AFTER in demo.py is circular: {' → '.join((*path, name))}")
        if name in by_name and name not in ordered:
            for other in by_name[name].after:
                visit(other, (*path, name))
            ordered[name] = by_name[name]

    for name in by_name:
        visit(name, ())
    return list(ordered.values())
