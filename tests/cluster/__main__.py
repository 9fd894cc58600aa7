"""``make cluster``: start a cluster on this machine, kill parts of it under load, and print the counts.

``--json`` prints JSON. The exit code is 1 if a response was lost, a number is missing or used twice, or recovery took
more than ten seconds.
"""

import argparse
import json
import signal
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

from .failover import fail_over
from .machines import ClusterError, why_unavailable


def main():
    """Run the failover and print the counts."""
    parser = argparse.ArgumentParser(prog="make cluster ARGS=")
    parser.add_argument("--json", action="store_true", help="Print JSON.")
    asked = parser.parse_args()
    if reason := why_unavailable():
        sys.exit(f"can't run: {reason}")
    # Exit normally on SIGTERM, so that the processes that this one has started end as well
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    result = _run()
    if asked.json:
        json.dump(asdict(result) | {"wrong": result.wrong}, sys.stdout, indent=2)
    else:
        _print(result)
    sys.exit(bool(result.wrong))


def _run():
    began = time.monotonic()

    def say(text):
        print(f"{time.monotonic() - began:6.1f} s  {text}", file=sys.stderr, flush=True)

    # PostgreSQL runs as another user, who must reach its folder
    with tempfile.TemporaryDirectory(prefix="comptoir-cluster-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        try:
            return fail_over(Path(folder), say)
        except ClusterError as error:
            sys.exit(str(error))


def _print(result):
    counts = result.counts
    others = ", ".join(f"{number} times {status}" for status, number in counts.not_done.items()) or "none"
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
    for event in result.events:
        print(f"  {event.what:36} {event.silence:.1f} s without a completed request; {event.good:.1f} s until recovery")
    print(f"  {'WRONG: ' + ', '.join(result.wrong) if result.wrong else 'no fault found'}\n", flush=True)


if __name__ == "__main__":
    main()
