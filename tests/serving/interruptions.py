"""Starts that are interrupted, again and again, and what the one that is let through has to say."""

import os
import signal
import time

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
        # The whole group, as a terminal does
        try:
            os.killpg(server.process.pid, how)
        except ProcessLookupError:
            pass
        server.process.wait(PATIENCE)
        server.stop()
        printed.append(server.output)
    return printed


def files_passed_over(server, key):
    """The files that a server does not load, with their reasons."""
    told = server.ask("/explorer/modules", key=key).json
    return [f"{each['file']}: {each['reason']}" for each in told["files"] if each["state"] == "failed"]
