"""What a limit of requests costs a read: two servers of this checkout, one without a limit and one with, in turns.

Besides the requests a second it shows the workers' own time for each, which a busy machine does not blur.
"""

from __future__ import annotations

import os
import statistics
import subprocess
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from .calls import fill, send
from .servers import comptoir, load, warm_up

HEAD = (
    f"{'alternating reads':40} {'without':>8} {'with':>8} {'share':>8} {'us without':>11} {'us with':>8} {'share':>8}"
)
READS = ("/status", "/thirdparties/7", "/contacts?limit=100")


def measure(runs: int, kind: str, older: Path | None, seconds: int = 3) -> list[dict[str, Any]]:
    """Medians of each read, and of what is left of it with a limit, turn by turn.

    :param older: not used: both servers are of this checkout
    """
    with ExitStack() as servers:
        pair = [servers.enter_context(comptoir(kind=kind, COMPTOIR_RATE=rate)) for rate in ("0", "1000000")]
        for address, _ in pair:
            fill(partial(send, address))
            warm_up(address, "/status")
        return [compare(f"GET {path}", path, pair, runs, seconds) for path in READS]


def compare(
    name: str,
    path: str,
    pair: Sequence[tuple[str, subprocess.Popen[bytes]]],
    runs: int,
    seconds: int,
    script: str = "",
) -> dict[str, Any]:
    """The medians of a call, without something and with it, and of what is left of it, turn by turn.

    :param pair: the two servers: without, with
    """
    turns = []
    for turn in range(runs):
        # Whoever comes second is not always the same
        order = pair if turn % 2 else pair[::-1]
        found = {address: _load(address, process, path, seconds, script) for address, process in order}
        turns.append((*found[pair[0][0]], *found[pair[1][0]]))
    plain, own, bound, its = (statistics.median(each) for each in zip(*turns, strict=True))
    share = statistics.median(each[2] / each[0] for each in turns)
    time = statistics.median(each[1] / each[3] for each in turns)
    text = f"{name:40} {plain:8.0f} {bound:8.0f} {share:8.3f} {own:11.1f} {its:8.1f} {time:8.3f}"
    return {"call": path, "share": share, "share_of_time": time, "turns": turns, "text": text}


def _load(address: str, process: subprocess.Popen[bytes], path: str, seconds: int, script: str) -> tuple[float, float]:
    """Requests a second, and microseconds of the processors of all that the server has started, for each."""
    before = _used(process)
    rate = load(address, path, seconds=seconds, script=script)
    return rate, (_used(process) - before) / (rate * seconds) * 1e6


def _used(process: subprocess.Popen[bytes]) -> float:
    """Seconds of processor that what a process has started has used."""
    children = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=False).stdout
    ticks = 0
    for child in children.split():
        ticks += sum(map(int, Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")
