"""What an empty queue costs a creation: two servers of this checkout, one with the jobs' process and one without, in turns.

A module has a job and a schedule, so that there is something to look for.
"""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from .calls import CALLS, fill, script_of, send
from .limits import compare
from .servers import comptoir, load

HEAD = f"{'alternating creations':40} {'without':>8} {'with':>8} {'share':>8} {'us without':>11} {'us with':>8} {'share':>8}"
#: turns at the most: what is created makes each slower than the one before
MOST = 12

JOBS = """
from core import job, schedule


@job
def send(number: int) -> None:
    \"\"\"Send one.\"\"\"


@schedule("0 3 * * *")
def sweep() -> None:
    \"\"\"Sweep.\"\"\"
"""


def measure(runs: int, kind: str, older: Path | None, seconds: int = 2) -> list[dict[str, Any]]:
    """Medians of creating a third party, and of what is left of it beside an empty queue, turn by turn.

    :param older: not used: both servers are of this checkout
    """
    (call,) = (each for each in CALLS if each.name == "POST /thirdparties")
    with ExitStack() as servers:
        folder = Path(servers.enter_context(tempfile.TemporaryDirectory()))
        file = folder / "modules/sweeping/jobs.py"
        file.parent.mkdir(parents=True)
        file.write_text(JOBS)
        options = {"COMPTOIR_MODULES": str(folder / "modules")}
        pair = [servers.enter_context(comptoir(kind=kind, COMPTOIR_JOBS=jobs, **options)) for jobs in ("0", "4")]
        script = script_of(call, folder)
        for address, _ in pair:
            fill(partial(send, address))
            load(address, call.path, seconds=seconds, script=script)
        return [compare(f"{call.name}, {kind}", call.path, pair, min(runs, MOST), seconds, script)]
