"""``make nightly``: what `.ci/run` has no time for, with new random examples, on every database.

``core fuzz`` selects parts, ``--seed 123`` repeats the examples of another run. Arguments after ``--`` are appended to the
command of each part: ``python -m tests.nightly core --seed 123 -- -k test_paging``. The exit code is 1 if a part failed.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from tests import own_databases
from tests.needed import find_missing

ROOT = Path(__file__).parent.parent
OUTPUT = ROOT / "build/nightly"
#: seconds in which a part that is stopped may end its servers and report what failed so far
GRACE_SECONDS = 30
#: failures in a row of the table
MAX_NAMES = 5

SERVERS = ("postgresql", "mysql")
OWN_SERVERS = tuple(f"a private {kind}" for kind in own_databases.PROGRAMS)
#: only the older family of reports contains the file of a test
PYTEST = (
    "{python} -m pytest -q -n auto --dist loadfile --no-loadscope-reorder --all-databases --hypothesis-profile nightly"
    " --hypothesis-seed={seed} -o junit_family=xunit1 --junitxml={to}.xml "
)
#: folders with a part of their own
FOLDERS = ("tests/core", "tests/modules", "tests/laws", "tests/explorer", "tests/serving", "tests/browser")
OTHERS = " ".join(["tests", *(f"--ignore={folder}" for folder in FOLDERS)])


@dataclass(frozen=True)
class Part:
    """A row of the table.

    :param command: its words; `{python}`, `{seed}` and `{to}`, the path of the output without suffix, are replaced
    :param seconds: time it usually takes on two cores; it is stopped after twice as long
    :param needs: programs and servers, as `tests/needed.py` lists them
    """

    name: str
    what: str
    command: str
    seconds: float
    needs: tuple[str, ...] = ()


PARTS = (
    Part("core", "tests of core", PYTEST + "tests/core", 800, (*SERVERS, *OWN_SERVERS, "redis")),
    Part("modules", "tests of the native modules", PYTEST + "tests/modules", 1000, SERVERS),
    Part("laws", "laws of amounts: the databases at once", PYTEST + "-n 6 --dist load --maxschedchunk 1 tests/laws", 500, SERVERS),
    Part("explorer", "its tests, schemathesis and the generated client", PYTEST + "tests/explorer", 350, SERVERS),
    Part("serving", "real servers and their faults", PYTEST + "tests/serving", 600, (*SERVERS, *OWN_SERVERS, "redis", "nginx")),
    Part("browser", "the explorer in Chromium", PYTEST + "tests/browser", 300, ("chromium", "curl", "php", "node")),
    Part("others", "the wheel, the samples, the pages and all other tests", PYTEST + OTHERS, 150, (*SERVERS, "nginx", "systemd-analyze")),
    Part("attacks", "`make attack`", "{python} -m tests.attacks --failed {to}.failed", 350, (*SERVERS, "nginx")),
    Part("fuzz", "`make fuzz`, a minute each", "{python} -m tests.fuzz --seconds 60 --seed {seed} --failed {to}.failed", 350),
)  # fmt: skip


def main(arguments, parts=PARTS, folder=OUTPUT):
    """Run parts and print the table, a row as soon as its part has ended."""
    known = {part.name: part for part in parts}
    arguments, more = _split(arguments)
    parser = argparse.ArgumentParser(
        prog="make nightly ARGS=",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="\n".join(f"{part.name:9} {part.what}, {part.seconds:g} s" for part in parts),
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"Parts to run: {', '.join(known)}; default: all.")
    parser.add_argument("--seed", type=int, help="Seed of random examples; default: a new one.")
    asked = parser.parse_args(arguments)
    if unknown := [name for name in asked.parts if name not in known]:
        parser.error(f"expected parts of {', '.join(known)}, got {', '.join(unknown)}")
    seed = random.SystemRandom().randrange(1, 2**32) if asked.seed is None else asked.seed
    folder.mkdir(parents=True, exist_ok=True)
    print(f"seed {seed}\n{row('part', 'commit', 'seconds', 'seed', 'what failed')}", flush=True)
    absent = find_missing()
    has_failed = False
    for part in [known[name] for name in asked.parts] or parts:
        began, commit = time.monotonic(), _commit()
        failed = [f"missing {name}: {absent[name]}" for name in part.needs if absent.get(name)]
        failed += run(part, seed, folder, more)
        seeded = seed if "{seed}" in part.command else "-"
        shown = "nothing" if not failed else f"{summary(failed)}; output: {folder / part.name}.txt"
        print(row(part.name, commit, f"{time.monotonic() - began:.0f}", seeded, shown), flush=True)
        has_failed |= bool(failed)
    return int(has_failed)


def _split(arguments):
    at = arguments.index("--") if "--" in arguments else len(arguments)
    return arguments[:at], arguments[at + 1 :]


def _commit():
    command = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip() or "unknown"


def row(part, commit, seconds, seed, failed):
    """Return a line of the table."""
    return f"{part:9} {commit:15} {seconds:>7}  {seed:>10}  {failed}"


def summary(failed):
    """Return how many things failed, and some of them."""
    more = ["..."] if len(failed) > MAX_NAMES else []
    return f"{len(failed)}: {', '.join([*failed[:MAX_NAMES], *more])}"


def run(part, seed, folder, more=()):
    """Run a part; return what failed."""
    to = folder / part.name
    reports = [Path(f"{to}.xml"), Path(f"{to}.failed")]
    for file in reports:
        file.unlink(missing_ok=True)
    command = [word.format(python=sys.executable, seed=seed, to=to) for word in part.command.split()]
    with Path(f"{to}.txt").open("wb") as output:
        # In a session of its own, so that Ctrl-C reaches only this process, which then stops the part
        process = subprocess.Popen(
            [*command, *more], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
        status = None
        try:
            with suppress(subprocess.TimeoutExpired):
                status = process.wait(2 * part.seconds)
        finally:
            if status is None:
                stop(process)
    failed = [*failed_tests(reports[0]), *(reports[1].read_text().splitlines() if reports[1].exists() else ())]
    if status is None:
        return [f"stopped after {2 * part.seconds:g} s", *failed]
    # 1 says that something failed, which is known by then
    return [*failed, f"exit code {status}"] if status not in (0, 1) or (status and not failed) else failed


def failed_tests(report):
    """Return the tests that failed, as pytest's command line expects them, from a report in JUnit's format."""
    if not report.exists() or not report.stat().st_size:
        return []
    found = []
    for case in ElementTree.parse(report).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            file, name, group = case.get("file", ""), case.get("name"), case.get("classname", "")
            names = [*group.removeprefix(file.removesuffix(".py").replace("/", ".")).split(".")[1:], name]
            # A file that can't be imported has no class
            found.append("::".join([file, *names]) if group else file)
    return [*dict.fromkeys(found)]


def stop(process):
    """End a process and all that it has started, also in sessions of their own: politely first, then by force."""
    begun = _descendants(process.pid)
    process.send_signal(signal.SIGINT)
    with suppress(subprocess.TimeoutExpired):
        process.wait(GRACE_SECONDS)
    begun |= _descendants(process.pid)
    for pid, _ in begun & _processes().keys():
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait()


def _descendants(root):
    everything, found = _processes(), set()
    reached = {root}
    while new := {each for each, parent in everything.items() if {each[0], parent} & reached} - found:
        found |= new
        reached |= {pid for pid, _ in new}
    return found


def _processes():
    """Return process → parent; the time at which a process started tells it from a later one of the same ID."""
    found = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = file.read_text().rpartition(")")[2].split()
            found[int(file.parent.name), fields[19]] = int(fields[1])
    return found


if __name__ == "__main__":
    # A shell that starts a job in the background lets it ignore SIGINT, and the parts would inherit this
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.default_int_handler)
    sys.exit(main(sys.argv[1:]))
