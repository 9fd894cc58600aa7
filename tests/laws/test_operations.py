"""The table of operations in the package's docstring is complete, and says what the machine does."""

import re
from fnmatch import fnmatchcase
from pathlib import Path

from core.contract.catalogue import catalogue
from tests import laws

SOURCES = "".join(file.read_text() for file in Path(laws.__file__).parent.glob("[!_]*.py"))
ROWS = [
    (pattern, used.strip() == "yes")
    for cells, used in re.findall(r"^\| (`.*`) \| (.*) \|$", laws.__doc__, re.MULTILINE)
    for pattern in re.findall(r"`([^`]+)`", cells)
]


def first_row(operation):
    return next((row for row in ROWS if fnmatchcase(operation, row[0])), None)


def writing():
    return [f"{each.verb} {each.template}" for each in catalogue().operations if each.verb != "GET"]


def test_each_writing_operation_is_in_the_table(server):
    assert [operation for operation in writing() if first_row(operation) is None] == []


def test_each_row_applies_to_an_operation(server):
    applied = {first_row(operation) for operation in writing()}
    assert [pattern for pattern, used in ROWS if (pattern, used) not in applied] == []


def test_the_machine_calls_what_is_used():
    for pattern, used in ROWS:
        words = re.findall(r"[a-zA-Z_]+", re.sub(r"\{\w+\}", "", pattern.partition(" ")[2]))
        if used:
            assert words[-1] in SOURCES, pattern
