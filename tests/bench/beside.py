"""Reads beside four clients that have files built: how long one of a hundred takes, in turn with an older checkout."""

from __future__ import annotations

import statistics
import tempfile
import threading
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from .calls import CALLS, fill, script_of, send
from .servers import ROOT, Load, comptoir, load, loaded

HEAD = f"{'reads during four PDF builds':40} {'99 % within':>12} {'reads/s':>8} {'files/s':>8}"
_READ = "/thirdparties/7"


def measure(runs: int, kind: str, older: Path | None, seconds: int = 4) -> list[dict[str, Any]]:
    """The median of some runs, for this checkout and an older one."""
    (build,) = (call for call in CALLS if "builddoc" in call.path)
    trees = {"this checkout": ROOT} | ({"the older one": older.resolve()} if older else {})
    found: dict[str, list[tuple[Load, float]]] = {name: [] for name in trees}
    with ExitStack() as servers:
        script = script_of(build, Path(servers.enter_context(tempfile.TemporaryDirectory())))
        addresses = {name: servers.enter_context(comptoir(kind=kind, tree=tree))[0] for name, tree in trees.items()}
        for address in addresses.values():
            fill(partial(send, address))
        for _ in range(min(runs, 6)):
            for name, address in addresses.items():
                built: list[float] = []
                work = partial(load, address, build.path, seconds=seconds + 1, script=script)
                builder = threading.Thread(target=lambda work=work, built=built: built.append(work()))
                builder.start()
                reads = loaded(address, _READ, seconds=seconds)
                builder.join()
                found[name].append((reads, built[0]))
    rows = []
    for name, all_runs in found.items():
        slowest, rate, built_rate = (
            statistics.median(values)
            for values in zip(*((reads.slowest, reads.rate, files) for reads, files in all_runs), strict=True)
        )
        text = f"{name:40} {slowest:9.1f} ms {rate:8.0f} {built_rate:8.0f}"
        rows.append({"name": name, "slowest_ms": slowest, "reads": rate, "files": built_rate, "text": text})
    return rows
