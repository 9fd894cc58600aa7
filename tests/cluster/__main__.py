"""``make cluster``: start a cluster on this machine, kill parts of it under load, and print what was counted.

``ARGS="postgresql"``, ``"mariadb"`` or ``"galera"`` plays one scene, ``--json`` is for programs. It ends with status 1 where anything is
not as it must be: an answer that was lost, a number that is missing or used twice, more than ten seconds until all is
good again.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

from .missing import why_missing
from .places import ClusterError, places
from .scenes import SCENES, Scene


def main() -> None:
    """Play the scenes and print."""
    parser = argparse.ArgumentParser(prog="make cluster ARGS=")
    parser.add_argument("scenes", nargs="*", help=f"{', '.join(SCENES)}; all of them, without this")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    if unknown := set(asked.scenes) - {*SCENES}:
        parser.error(f"no such scene: {', '.join(sorted(unknown))}; there are {', '.join(SCENES)}")
    # What ends this ends what it has started, too
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    played: list[Scene] = []
    for name in asked.scenes or SCENES:
        if reason := why_missing(name):
            print(f"{name} is left out: {reason}", file=sys.stderr)
            continue
        played.append(_play(name))
        if not asked.json:
            _print(played[-1])
    if asked.json:
        json.dump([asdict(each) | {"wrong": each.wrong} for each in played], sys.stdout, indent=2)
    sys.exit(any(each.wrong for each in played) or not played)


def _play(name: str) -> Scene:
    began = time.monotonic()

    def say(text: str) -> None:
        print(f"{time.monotonic() - began:6.1f} s  {name}: {text}", file=sys.stderr, flush=True)

    # The programs' own users must reach what is theirs
    with tempfile.TemporaryDirectory(prefix="comptoir-cluster-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        with places(Path(folder)) as made:
            say("each machine is a network namespace" if made.apart else "each machine is an address of the loopback")
            try:
                return SCENES[name](made, say)
            except ClusterError as error:
                sys.exit(f"{name}: {error}")


def _print(scene: Scene) -> None:
    counts = scene.counts
    others = ", ".join(f"{number} times {status}" for status, number in counts.not_done.items()) or "none"
    print(f"\n{scene.name}")
    for what, number in (
        ("requests done", counts.answered),
        ("answered that it cannot be done now", others),
        ("without an answer", counts.unanswered),
        ("sent again", counts.repeated),
        ("the longest wait for one", f"{counts.longest:.1f} s"),
        ("refused for good", len(counts.refused)),
        ("answered as its own fault", len(counts.faults)),
        ("invoices validated", counts.validated),
        ("lost", len(counts.lost)),
        ("made twice", counts.doubled),
        ("numbers missing", counts.gaps),
        ("numbers used twice", counts.twice),
    ):
        print(f"  {what:36} {number}")
    for each in (*counts.refused[:5], *counts.faults[:5], *counts.lost[:5]):
        print(f"    {each}")
    for event in scene.events:
        print(f"  {event.what:36} {event.silence:.1f} s without one that was done; {event.good:.1f} s until all were")
    for what, holds in scene.checks.items():
        print(f"  {what:44} {'yes' if holds else 'NO'}")
    for what in scene.missing:
        print(f"  done without {what}")
    print(f"  {'WRONG: ' + ', '.join(scene.wrong) if scene.wrong else 'all is as it must be'}\n", flush=True)


if __name__ == "__main__":
    main()
