"""`comptoir serve`: make what is missing, then serve."""

from __future__ import annotations

import logging
import signal
from contextlib import suppress

import click

from ..common.settings import Settings
from ..contract.catalogue import catalogue
from ..loading.journal import Journal
from ..loading.loader import show_nothing
from ..loading.vanguard import Vanguard
from ..serving.gunicorn import Application, import_limit
from ..serving.listening import CannotListen, insist_on_address
from ..serving.logs import CannotLog, set_up_logs
from ..serving.metrics_address import listen_for_figures
from ..serving.shared_figures import SharedFigures
from ..storage.database import close
from ..version import VERSION
from ..wsgi import build, journal_folder
from .database_wait import PATIENCE, insist_on_database
from .demo import NotEmpty, insist_on_empty, make_demonstration
from .first_administrator import Say, first_administrator, is_key_unseen, show_key, show_unseen
from .terminal import plural, progress_line, read_settings

_log = logging.getLogger("comptoir.start")


@click.command()
@click.option("--demo", "with_demo", is_flag=True, help="Fill a database that is made now with demonstration data.")
def serve(with_demo: bool) -> None:
    """Make a missing database with its tables and first administrator, then serve.

    At the first start the administrator's key is printed, once, if this is a terminal. Otherwise it is written to
    `first-key.txt` in the data folder, and the log shows the path.
    """
    configuration = read_settings(ready=True)
    try:
        insist_on_address(configuration.bind)
    except CannotListen as error:
        raise click.ClickException(f"{error}; set another address in COMPTOIR_BIND, such as 127.0.0.1:8001") from error
    try:
        figures = SharedFigures(listen_for_figures(configuration.metrics))
    except CannotListen as error:
        raise click.ClickException(f"{error}; set another address in COMPTOIR_METRICS") from error
    # Until gunicorn listens to signals itself, Ctrl-C simply ends; the loader would take it for a module's failure
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Whoever asks for an upgrade too early must not end the server by it
    signal.signal(signal.SIGUSR2, signal.SIG_IGN)
    try:
        set_up_logs(configuration)
    except CannotLog as error:
        raise click.ClickException(f"{error}; set another one in COMPTOIR_LOG_FILE") from error
    in_json = configuration.log_format == "json"
    say, warn = (_log.info, _log.warning) if in_json else (click.echo, _to_stderr)
    insist_on_database(configuration, PATIENCE, warn)
    close()
    journal = Journal(journal_folder(configuration))
    vanguard = Vanguard(
        configuration.module_folders,
        journal,
        warn,
        import_limit(configuration),
    )
    server = build(configuration, progress=vanguard.before(progress_line("Loading module")), journal=journal)
    server.reloader.loader.progress = show_nothing
    key = first_administrator(configuration)
    if key and with_demo:
        _make_demonstration(configuration, say if in_json else warn)
    unseen = key is None and is_key_unseen()
    close()

    def announce(addresses: list[str]) -> None:
        # A log on a full disk keeps nobody from serving; a key that nobody has seen is told of at the next start
        with suppress(OSError):
            _announce(addresses, say)
            if key:
                show_key(key, configuration, say, _log.warning)
            elif unseen:
                show_unseen(say)

    Application(server, configuration, figures, announce).run()


def _to_stderr(text: str) -> None:
    click.echo(text, err=True)


def _make_demonstration(configuration: Settings, say: Say) -> None:
    say("Making the demonstration data:")
    try:
        insist_on_empty()
    except NotEmpty as error:
        say(f"  none: {error.message}")
        return
    if make_demonstration(configuration, say):
        say("  what failed can be made later: comptoir demo --again")


def _announce(addresses: list[str], say: Say) -> None:
    served = catalogue()
    failed = len(served.failures)
    # One whose paths are all below others' names has no page of its own
    shown = sum(bool(each.operations) for each in served.services.values())
    say(f"Comptoir {VERSION}, {plural(shown, 'service')}")
    if failed:
        say(f"  {plural(failed, 'file')} could not be loaded: comptoir check says why")
    for address in addresses:
        say(f"  address   {address}")
        if address.startswith("http"):
            say(f"  explorer  {address.replace('0.0.0.0', 'localhost').replace('[::]', 'localhost')}/explorer")
