"""The table of operators: every page that lists them lists all of them, and no others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core import ListQuery
from core.storage import sqlfilters
from core.storage.sqlfilters import OPERATORS

GUIDE = (Path(__file__).parents[3] / "modules/README.md").read_text()

LISTS = {
    "the language": re.split(r"\* \*\*Operator\*\*: ", sqlfilters.__doc__ or "")[1].split("(also")[0],
    "the parameter": (ListQuery.__doc__ or "").split("operators: ")[1].split(":param")[0].replace("(with two values)", ""),
    "the guide": GUIDE.split("operators `=`")[1].split("`ef.`")[0] + "`=`",
}  # fmt: skip


@pytest.mark.parametrize("page", LISTS)
def test_a_page_that_lists_operators_lists_all(page: str) -> None:
    text = re.sub(r"\(.*?\)", "", LISTS[page])
    listed = re.findall(r"`+([^`\s]+)`+", text) or text.split()
    assert sorted(listed) == sorted(OPERATORS)


def test_every_operator_says_what_it_is() -> None:
    assert all(operator.meaning and operator.takes for operator in OPERATORS.values())
