"""``make bench``: measure calls and their costs.

``--json`` prints JSON.
"""

import argparse
import json
import sys
from functools import partial
from pathlib import Path

from core.testing import DATABASE_KINDS

from . import batch, calls, costs, footprint, growth, memory, steady, streams


def main():
    """Run the measurements and print the results."""
    parser = argparse.ArgumentParser(prog="make bench ARGS=")
    every = ["calls", "steady", "batch", "growth", "streams", "memory", "footprint", "costs"]
    parser.add_argument(
        "what", nargs="*", default=every, help=f"Measurements to run: {', '.join(every)}; default: all."
    )
    parser.add_argument(
        "--database",
        default="sqlite",
        choices=DATABASE_KINDS,
        help="Database for all measurements but costs.",
    )
    parser.add_argument(
        "--runs", type=int, default=20, help="Runs of each call for steady, three seconds each; starts for footprint."
    )
    parser.add_argument(
        "--only", default="", help="Regular expression for the names of the calls that steady measures."
    )
    parser.add_argument("--older", type=Path, help="Another checkout to compare with, for steady and footprint.")
    parser.add_argument("--seconds", type=int, default=4, help="Seconds of each measurement.")
    parser.add_argument("--json", action="store_true", help="Print JSON.")
    asked = parser.parse_args()
    found = {}
    if "calls" in asked.what:
        found["calls"] = calls.measure(asked.seconds, asked.database)
        if not asked.json:
            print(f"{'call':40} {'per second':>10} {'share':>7} {'target':>6} {'reference':>10}")
            for row in found["calls"]:
                aim, reference = (f"{row[key]:.3f}" if row[key] else "" for key in ("aim", "ref"))
                print(f"{row['call']:40} {row['rate']:10.0f} {row['share']:7.3f} {aim:>6} {reference:>10}")
    for what, measure, head in (
        ("steady", partial(steady.measure, only=asked.only), steady.HEAD),
        ("batch", batch.measure, batch.HEAD),
        ("growth", growth.measure, growth.HEAD),
        ("streams", streams.measure, streams.HEAD),
        ("memory", memory.measure, memory.HEAD),
        ("footprint", footprint.measure, footprint.HEAD),
    ):
        if what in asked.what:
            found[what] = measure(asked.runs, asked.database, asked.older)
            if not asked.json:
                print(f"\n{head}")
                for row in found[what]:
                    print(row.pop("text"))
    if "costs" in asked.what:
        found["costs"] = costs.profiles()
        if not asked.json:
            print("\nThe three most expensive functions of each call, from a profile of the application:")
            for call, largest in found["costs"].items():
                print(f"{call:40} " + ", ".join(f"{name} {share:.0%}" for name, share in largest))
    if asked.json:
        json.dump(found, sys.stdout, indent=2)


if __name__ == "__main__":
    main()
