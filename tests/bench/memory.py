"""A million calls of all kinds: the memory of the workers must be at the end what it was soon after the beginning."""

import tempfile
from functools import partial
from pathlib import Path

from .calls import CALLS, fill, script_of, send
from .servers import comptoir, load, memory

CALLS_IN_ALL = 1_000_000
#: calls between two looks
EACH = 100_000
HEAD = f"{CALLS_IN_ALL:,} calls, mostly reads: calls, MB of each process (workers and job runner):"
#: part of a call's name → seconds of a turn, in which everything has its time
SECONDS = {"GET /thirdparties/{id}": 8, "GET /proposals/{id}": 6}


def measure(runs, kind, older=None):
    """Look at the memory whenever so many calls have been answered.

    :param kind: that of the database
    """
    rows = []
    with tempfile.TemporaryDirectory() as folder, comptoir(kind=kind) as (address, process):
        fill(partial(send, address))
        done = 0.0
        while done < CALLS_IN_ALL:
            for call in CALLS:
                seconds = next((each for part, each in SECONDS.items() if part in call.name), 1)
                done += seconds * load(address, call.path, seconds=seconds, script=script_of(call, Path(folder)))
            if done >= len(rows) * EACH:
                used = [round(each) for each in memory(process)]
                text = f"{done:12,.0f}  " + " ".join(f"{each:5d}" for each in used)
                rows.append({"calls": round(done), "megabytes": used, "text": text})
    return rows
