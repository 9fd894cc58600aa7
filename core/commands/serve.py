"""`python -m core serve`: make what is missing, then serve."""

from __future__ import annotations

import logging
import signal

import click

from ..common.settings import Settings
from ..contract.catalogue import catalogue
from ..loading.import_guard import Scout
from ..serving.gunicorn import Application, CannotListen, insist_on_address
from ..storage.database import close
from ..version import VERSION
from ..wsgi import build, journal_folder
from .demo import NotEmpty, insist_on_empty, make_demonstration
from .first_administrator import first_administrator, show_key
from .terminal import plural, progress_line, read_settings


@click.command()
@click.option("--demo", "with_demo", is_flag=True, help="Fill a database that is made now with demonstration data.")
def serve(with_demo: bool) -> None:
    """Make a missing database with its tables and first administrator, then serve.

    At the first start the administrator's key is printed, once.
    """
    configuration = read_settings()
    try:
        insist_on_address(configuration.bind)
    except CannotListen as error:
        raise click.ClickException(f"{error}; set another address in COMPTOIR_BIND, such as 127.0.0.1:8001") from error
    # Until gunicorn listens to signals itself, Ctrl-C simply ends; the loader would take it for a module's failure
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.WARNING)
    scout = Scout(configuration, journal_folder(configuration), lambda text: click.echo(text, err=True))
    server = build(configuration, progress=scout.before(progress_line("Loading module")), journal=scout.journal)
    key = first_administrator(configuration)
    if key and with_demo:
        _make_demonstration(configuration)
    close()
    Application(server, configuration, lambda addresses: _announce(addresses, key, configuration)).run()


def _make_demonstration(configuration: Settings) -> None:
    click.echo("Making the demonstration data:", err=True)
    try:
        insist_on_empty()
    except NotEmpty as error:
        click.echo(f"  none: {error.message}", err=True)
        return
    if make_demonstration(configuration):
        click.echo("  what failed can be made later: python -m core demo --again", err=True)


def _announce(addresses: list[str], key: str | None, configuration: Settings) -> None:
    served = catalogue()
    failed = len(served.failures)
    click.echo(f"Comptoir {VERSION}, {plural(len(served.services), 'service')}")
    if failed:
        click.echo(f"  {plural(failed, 'file')} could not be loaded: python -m core check says why")
    for address in addresses:
        click.echo(f"  address   {address}")
        if address.startswith("http"):
            click.echo(f"  explorer  {address.replace('0.0.0.0', 'localhost').replace('[::]', 'localhost')}/explorer")
    if key:
        show_key(key, configuration)
