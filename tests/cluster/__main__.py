"""``make cluster``: start a cluster on this machine, kill parts of it under load, and print the counts.

``ARGS="postgresql"``, ``"mariadb"`` or ``"galera"`` runs one scene, ``--json`` prints JSON. The exit code is 1 if a response was lost, a
number is missing or used twice, or recovery took more than ten seconds.
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
    """Run the scenes and print the counts."""
    parser = argparse.ArgumentParser(prog="make cluster ARGS=")
    parser.add_argument("scenes", nargs="*", help=f"Scenes to run: {', '.join(SCENES)}; default: all.")
    parser.add_argument("--json", action="store_true", help="Print JSON.")
    asked = parser.parse_args()
    if unknown := set(asked.scenes) - {*SCENES}:
        parser.error(f"expected scenes of {', '.join(SCENES)}, got {', '.join(sorted(unknown))}")
    # Exit normally on SIGTERM, so that the processes that this one has started end as well
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    played: list[Scene] = []
    for name in asked.scenes or SCENES:
        if reason := why_missing(name):
            print(f"Skipped {name}: {reason}", file=sys.stderr)
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

    # The database servers run as other users, who must reach their folders
    with tempfile.TemporaryDirectory(prefix="comptoir-cluster-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        with places(Path(folder)) as made:
            say("each host is a network namespace" if made.apart else "each host is a loopback address")
            try:
                return SCENES[name](made, say)
            except ClusterError as error:
                sys.exit(f"{name}: {error}")


def _print(scene: Scene) -> None:
    counts = scene.counts
    others = ", ".join(f"{number} times {status}" for status, number in counts.not_done.items()) or "none"
    print(f"\n{scene.name}")
    for what, number in (
        ("requests completed", counts.answered),
        ("rejected for now", others),
        ("without a response", counts.unanswered),
        ("retried", counts.repeated),
        ("longest wait", f"{counts.longest:.1f} s"),
        ("rejected for good", len(counts.refused)),
        ("failed with a server error", len(counts.faults)),
        ("invoices validated", counts.validated),
        ("lost", len(counts.lost)),
        ("created twice", counts.doubled),
        ("numbers missing", counts.gaps),
        ("numbers used twice", counts.twice),
    ):
        print(f"  {what:36} {number}")
    for each in (*counts.refused[:5], *counts.faults[:5], *counts.lost[:5]):
        print(f"    {each}")
    for event in scene.events:
        print(f"  {event.what:36} {event.silence:.1f} s without a completed request; {event.good:.1f} s until recovery")
    for what, holds in scene.checks.items():
        print(f"  {what:44} {'yes' if holds else 'NO'}")
    for what in scene.missing:
        print(f"  run without {what}")
    print(f"  {'WRONG: ' + ', '.join(scene.wrong) if scene.wrong else 'no fault found'}\n", flush=True)


if __name__ == "__main__":
    main()
