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

    Python itself loses one of some 700 SIGINTs that come while it starts, before a line of ours runs: `site` takes what
    an import raises for a fault of a `.pth` file, and goes on. So it is sent a second time, as a person does it.
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
