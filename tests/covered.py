"""The table of `make coverage`, and which tests run a line: ``python -m tests.covered core/web/router.py:120``.

The latter needs ``make coverage ARGS=--cov-context=test`` first.
"""

import json
import sys
from collections import Counter
from pathlib import Path

from coverage import Coverage

ROOT = Path(__file__).parent.parent
REPORT = ROOT / "build/coverage/lines.json"


def main(lines):
    """Print the table, or the tests that ran lines."""
    measured = Coverage(config_file=str(ROOT / "tests/coverage.cfg"))
    measured.load()
    if lines:
        for line in lines:
            print("\n".join([line, *(f"    {test}" for test in tests_of(measured.get_data(), line))]))
    else:
        measured.json_report(outfile=str(REPORT))
        print("\n".join(table(json.loads(REPORT.read_text())["files"])))


def package_of(file):
    """Return the row of a file: a folder of `core` or `modules`, else the folder at the top."""
    first, *folders, _ = Path(file).parts
    return f"{first}/{folders[0]}" if folders and first in ("core", "modules") else first


def table(files):
    """Return the lines of the table."""
    sums = {}
    for file, measured in files.items():
        for row in (package_of(file), "total"):
            sums.setdefault(row, Counter()).update(measured["summary"])
    lines = [f"{'package':24} {'lines':>7} {'%':>6} {'branches':>9} {'%':>6}"]
    for row in sorted(sums, key=lambda row: (row == "total", row)):
        some = sums[row]
        ran = _percent(some["covered_lines"], some["num_statements"])
        taken = _percent(some["covered_branches"], some["num_branches"])
        lines.append(f"{row:24} {some['num_statements']:7} {ran:>6} {some['num_branches']:9} {taken:>6}")
    return lines


def _percent(part, whole):
    return f"{100 * part / whole:.1f}" if whole else "-"


def tests_of(data, line):
    """Return the tests that ran a line; the code that a test file's import runs belongs to no test."""
    file, _, number = line.rpartition(":")
    contexts = data.contexts_by_lineno(str(ROOT / file)).get(int(number), [])
    return sorted({context.partition("|")[0] for context in contexts} - {""})


if __name__ == "__main__":
    main(sys.argv[1:])
