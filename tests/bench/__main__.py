"""``make bench``: measure calls and their costs.

``--json`` prints JSON.
"""

import argparse
import json
import sys
from functools import partial
from pathlib import Path

from core.testing import DATABASE_KINDS

from . import calls, growth, steady


def main():
    """Run the measurements and print the results."""
    parser = argparse.ArgumentParser(prog="make bench ARGS=")
    every = ["calls", "steady", "growth"]
    parser.add_argument(
        "what", nargs="*", default=every, help=f"Measurements to run: {', '.join(every)}; default: all."
    )
    parser.add_argument("--database", default="sqlite", choices=DATABASE_KINDS, help="Database.")
    parser.add_argument("--runs", type=int, default=20, help="Runs of each call for steady, three seconds each.")
    parser.add_argument(
        "--only", default="", help="Regular expression for the names of the calls that steady measures."
    )
    parser.add_argument("--older", type=Path, help="Another checkout to compare with, for steady.")
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
        ("growth", growth.measure, growth.HEAD),
    ):
        if what in asked.what:
            found[what] = measure(asked.runs, asked.database, asked.older)
            if not asked.json:
                print(f"\n{head}")
                for row in found[what]:
                    print(row.pop("text"))
    if asked.json:
        json.dump(found, sys.stdout, indent=2)


if __name__ == "__main__":
    main()
