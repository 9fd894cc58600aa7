"""``make bench``: measure calls and their costs.

``--json`` prints JSON.
"""

import argparse
import json
import sys

from core.testing import DATABASE_KINDS

from . import calls, growth


def main():
    """Run the measurements and print the results."""
    parser = argparse.ArgumentParser(prog="make bench ARGS=")
    every = ["calls", "growth"]
    parser.add_argument(
        "what", nargs="*", default=every, help=f"Measurements to run: {', '.join(every)}; default: all."
    )
    parser.add_argument("--database", default="sqlite", choices=DATABASE_KINDS, help="Database.")
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
    if "growth" in asked.what:
        found["growth"] = growth.measure(asked.database)
        if not asked.json:
            print(f"\n{growth.HEAD}")
            for row in found["growth"]:
                print(row.pop("text"))
    if asked.json:
        json.dump(found, sys.stdout, indent=2)


if __name__ == "__main__":
    main()
