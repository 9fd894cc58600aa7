"""``make attack``: attack a running server on each database and print how many attempts were rejected or succeeded.

``--only S1,S20`` selects rows, ``--database sqlite`` selects a database, ``--json`` prints JSON, ``--failed FILE`` writes
the names of broken rows to a file. The exit code is 1 if an attempt succeeded.
"""

import argparse
import json
import signal
import sys
import time
import traceback
from pathlib import Path

from core.testing import DATABASE_KINDS, why_unavailable
from tests.runs import held

from .field import field
from .rows import ROWS, Tally
from .sections import ALWAYS, NAMES


def main():
    """Run the attacks and print the results."""
    parser = argparse.ArgumentParser(prog="make attack ARGS=")
    parser.add_argument("--only", default="", help="Rows to run, separated by commas; default: all.")
    parser.add_argument(
        "--database", choices=DATABASE_KINDS, help="Database to attack; default: every one that is available."
    )
    parser.add_argument("--json", action="store_true", help="Print JSON.")
    parser.add_argument("--failed", type=Path, help="File for the names of the rows that are broken.")
    asked = parser.parse_args()
    names = [each for each in asked.only.split(",") if each] or NAMES
    if unknown := [each for each in names if each not in ROWS and each != ALWAYS]:
        parser.error(f"--only: expected rows of {', '.join(NAMES)}, got {', '.join(unknown)}")
    # Exit normally on SIGTERM, so that the servers that this process has started end as well
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    found = {}
    for kind in [asked.database] if asked.database else DATABASE_KINDS:
        if reason := why_unavailable(kind):
            if asked.database:
                parser.error(f"--database: {reason}")
            print(f"Skipped {kind}: {reason}", file=sys.stderr)
            continue
        with field(kind) as ground:
            began = time.monotonic()
            found[kind] = run(ground, names, quiet=asked.json)
            if asked.failed:
                broken = [f"{each} {name}\n" for each in found for name, told in found[each].items() if told["through"]]
                asked.failed.write_text("".join(broken))
            if not asked.json:
                print(f"{time.monotonic() - began:.0f} s\n")
    if asked.json:
        json.dump(found, sys.stdout, indent=2)
    sys.exit(any(each["through"] for rows in found.values() for each in rows.values()))


def run(ground, names, *, quiet=False):
    """Run some rows; return the result of each."""
    if not quiet:
        print(f"{ground.kind}\n{'row':18} {'tried':>6} {'held':>6} {'broken':>7}  rule")
    told = {}
    for name in names:
        if name in ROWS:
            told[name] = _told(ROWS[name].what, tally := attack(ground, name))
            if not quiet:
                _print(name, told[name], tally)
    always = Tally(
        tried=ground.watch.seen, held=ground.watch.seen - len(ground.watch.wrong), through=ground.watch.wrong[:20]
    )
    told[ALWAYS] = _told(
        "no response is a 500 or contains database messages, paths, secrets or another user's data", always
    )
    if not quiet:
        _print(ALWAYS, told[ALWAYS], always)
        total = {key: sum(each[key] for each in told.values()) for key in ("tried", "held", "through")}
        print(f"{'total':18} {total['tried']:6} {total['held']:6} {total['through']:7}")
    return told


def attack(ground, name):
    """Run one row; an attack that raises counts as a success."""
    tally = Tally()
    try:
        ROWS[name].attack(ground, tally)
        if not tally.tried and not tally.reason:
            tally.check(False, "the row made no attempt")
    except Exception:
        tally.check(False, f"the attack raised: {traceback.format_exc()[-380:]}")
    return tally


def _told(what, tally):
    counts = {"tried": tally.tried, "held": tally.held, "through": tally.lost}
    return {"what": what, **counts, "examples": tally.through, "nothing_to_attack": tally.reason}


def _print(name, told, tally, examples=10):
    print(f"{name:18} {told['tried']:6} {told['held']:6} {told['through']:7}  {told['what']}", flush=True)
    if tally.reason:
        print(f"{'':42}not applicable: {tally.reason}")
    for each in tally.through[:examples]:
        print(f"{'':18} BROKEN: {each}")


if __name__ == "__main__":
    with held():
        main()
