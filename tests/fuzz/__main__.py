"""Fuzz the targets one after the other, each in its own process, and print the findings."""

import argparse
import json
import random
import subprocess
import sys
from pathlib import Path

from .engines import ENGINES, installed
from .findings import ROOT
from .targets import TARGETS


def main():
    """Run the targets; return 1 if there is a finding."""
    parser = argparse.ArgumentParser(prog="make fuzz ARGS=")
    parser.add_argument(
        "targets", nargs="*", metavar="TARGET", help=f"Targets to run: {', '.join(TARGETS)}; default: all."
    )
    parser.add_argument("--seconds", type=float, default=600.0, help="Seconds for each target.")
    parser.add_argument("--engine", choices=ENGINES, default=installed(), help="Fuzzing engine.")
    parser.add_argument("--folder", type=Path, default=ROOT / "build/fuzz", help="Folder of the inputs and findings.")
    parser.add_argument("--seed", type=int, help="Seed of the inputs; default: a new one.")
    parser.add_argument("--failed", type=Path, help="File for the names of the targets with findings.")
    asked = parser.parse_args()
    unknown = [name for name in asked.targets if name not in TARGETS]
    if unknown:
        parser.error(f"expected targets of {', '.join(TARGETS)}, got {', '.join(unknown)}")
    # atheris takes 0 for no seed, and none above
    seed = random.SystemRandom().randrange(1, 2**32) if asked.seed is None else asked.seed
    print(f"seed {seed}", flush=True)
    found = []
    for name in asked.targets or TARGETS:
        told = run(name, asked.engine, asked.seconds, seed, (asked.folder / name).absolute())
        print(
            f"{name:12} {told['executions']:>10,} inputs in {told['seconds']:.0f} s by {asked.engine}: "
            f"{len(told['findings']) or 'no'} findings",
            flush=True,
        )
        for each in told["findings"]:
            print(f"    {each['place']}\n        {bytes.fromhex(each['data'])!r}", flush=True)
        found += [name] if told["findings"] else []
        if asked.failed:
            asked.failed.write_text("".join(f"{each}\n" for each in found))
    return 1 if found else 0


def run(name, engine, seconds, seed, folder):
    """Fuzz one target; its report stays in its folder as `found.json`."""
    folder.mkdir(parents=True, exist_ok=True)
    report = folder / "found.json"
    report.unlink(missing_ok=True)
    with (folder / "output").open("wb") as output:
        command = [sys.executable, "-m", "tests.fuzz.one", name, engine, str(seconds), str(seed), str(folder)]
        ended = subprocess.run(command, cwd=ROOT, stdout=output, stderr=output, check=False)
    if not report.exists():
        last = (folder / "output").read_text(errors="replace")[-2000:]
        place = f"the process ended with exit code {ended.returncode}: {last}"
        return {"executions": 0, "seconds": 0, "findings": [{"place": place, "data": ""}]}
    return dict(json.loads(report.read_text()))


if __name__ == "__main__":
    sys.exit(main())
