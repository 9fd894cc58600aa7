"""`comptoir serve`: create what is missing, then serve."""

from __future__ import annotations

import logging
import signal
from contextlib import suppress

import click

from ..common.settings import Settings
from ..contract.catalogue import catalogue
from ..loading.loader import show_nothing
from ..serving.gunicorn import Application
from ..serving.listening import ensure_can_listen, listen_for_metrics
from ..serving.logs import set_up_logs
from ..storage.database import close
from ..version import VERSION
from ..wsgi import build
from .database_wait import PATIENCE, require_database, to_stderr
from .demo import ensure_empty, make_demonstration
from .first_administrator import Say, first_administrator, show_key
from .terminal import plural, program, read_settings, show_loading

_log = logging.getLogger("comptoir.start")

#: where a client's author begins in the explorer
_GUIDE = "#//guide/authenticate"


@click.command()
@click.option("--demo", "with_demo", is_flag=True, help="Fill a new database with demonstration data.")
def serve(with_demo: bool) -> None:
    """Start the server. Create the database, its tables and the first administrator if they are missing.

    On a terminal, the first start prints the administrator's key once. Otherwise it writes the key to
    `first-key.txt` in the data folder, and the log shows the path.

    The setting COMPTOIR_BIND is the address and port, such as 127.0.0.1:8001.
    """
    configuration = read_settings(ready=True)
    ensure_can_listen(configuration.bind)
    listener = listen_for_metrics(configuration.metrics) if configuration.metrics else None
    # Until gunicorn handles signals, Ctrl-C ends the process; the loader would take it for a module's failure
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # By default, the signal for an upgrade would end a server that is still starting
    signal.signal(signal.SIGUSR2, signal.SIG_IGN)
    set_up_logs(configuration)
    # Imported here: other commands don't wait for prometheus-client
    from ..serving.shared_metrics import SharedMetrics

    metrics = SharedMetrics()
    in_json = configuration.log_format == "json"
    say, warn = (_log.info, _log.warning) if in_json else (click.echo, to_stderr)
    require_database(configuration, PATIENCE, warn)
    close()
    server = build(progress=show_loading, guarded=True)
    server.reloader.loader.progress = show_nothing
    key = first_administrator(configuration)
    if key and with_demo:
        _make_demonstration(configuration, say if in_json else warn)
    close()

    def announce(addresses: list[str]) -> None:
        # A full disk under the log doesn't prevent serving
        with suppress(OSError):
            _announce(addresses, say, bool(configuration.explorer))
            show_key(key, configuration, say, _log.warning)

    Application(server, configuration, metrics, listener, announce).run()


def _make_demonstration(configuration: Settings, say: Say) -> None:
    say("Creating the demonstration data:")
    try:
        ensure_empty()
    except click.ClickException as error:
        say(f"  skipped: {error.message}")
        return
    if make_demonstration(configuration, say):
        say(f"  to try again: {program()} demo --again")


def _announce(addresses: list[str], say: Say, has_explorer: bool) -> None:
    served = catalogue()
    failed = len(served.failures)
    # A service whose paths are all below another one's has no page of its own
    shown = sum(bool(each.operations) for each in served.services.values())
    say(f"Comptoir {VERSION}, {plural(shown, 'service')}")
    if failed:
        say(f"  not loaded: {plural(failed, 'file')}; {program()} check shows why")
    for address in addresses:
        say(f"  address   {address}")
        if has_explorer and address.startswith("http"):
            explorer = f"{address.replace('0.0.0.0', 'localhost').replace('[::]', 'localhost')}/explorer"
            say(f"  explorer  {explorer}")
            say(f"  guide     {explorer}/{_GUIDE}")
