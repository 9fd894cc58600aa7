"""The table of operations in the package's docstring is complete, and says what the machine does."""

import re
from fnmatch import fnmatchcase
from pathlib import Path

from hypothesis.stateful import RULE_MARKER

from core.contract.catalogue import catalogue
from tests import laws
from tests.laws.goods import Business

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


def test_no_rule_is_hidden_by_another_method_of_its_name():
    rules = [name for each in Business.__mro__ for name, value in vars(each).items() if hasattr(value, RULE_MARKER)]
    assert rules
    assert [name for name in rules if not hasattr(getattr(Business, name), RULE_MARKER)] == []


def test_the_machine_calls_what_is_used():
    for pattern, used in ROWS:
        words = re.findall(r"[a-zA-Z_]+", re.sub(r"\{\w+\}", "", pattern.partition(" ")[2]))
        if used:
            assert words[-1] in SOURCES, pattern
