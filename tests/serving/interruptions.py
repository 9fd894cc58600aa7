"""Starts that are interrupted, again and again, and what the one that is let through has to say."""

import os
import signal
import subprocess
import time
from contextlib import suppress

from tests.serving.running import PATIENCE, Running


def interrupt_starts(folder, moments, how=signal.SIGINT, **options):
    """Start servers over one folder, and end each with all its processes; answers what they printed.

    :param moments: for each start the seconds after which it is ended
    :param how: SIGINT as Ctrl-C sends it, SIGKILL as a power cut
    :param options: what `Running` takes
    """
    printed = []
    for seconds in moments:
        server = Running(folder, **options)
        time.sleep(seconds)
        _interrupt(server.process, how)
        server.stop()
        printed.append(server.output)
    return printed


def _interrupt(process, how):
    """End the whole group, as a terminal does.

    While Python starts, before our code runs, about one SIGINT in 700 has no effect: `site` reports the exception as an
    error in a `.pth` file and continues. So the signal is sent again, as a person would press Ctrl-C again.
    """
    for seconds in (PATIENCE / 3, PATIENCE):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, how)
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
            return
    raise AssertionError(f"still running after {PATIENCE * 4 / 3:g} s")


def files_passed_over(server, key):
    """The files that a server does not load, with their reasons."""
    told = server.ask("/explorer/modules", key=key).json
    return [f"{each['file']}: {each['reason']}" for each in told["files"] if each["state"] == "failed"]
