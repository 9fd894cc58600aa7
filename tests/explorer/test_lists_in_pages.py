"""What the pages for people list, operators, rights and templates, is what the code has."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from typing import Any

from core import COMMON_VERBS
from core.contract.catalogue import catalogue
from core.storage.filter_operators import OPERATORS

ROOT = Path(__file__).parents[2]
BEHAVIOUR = (ROOT / "modules" / "BEHAVIOUR.md").read_text()
PAGES = [ROOT / "README.md", ROOT / "modules" / "README.md", *(ROOT / "core").glob("*.md")]
GUIDE = (ROOT / "modules" / "README.md").read_text()


def words_in_code(text: str) -> set[str]:
    return set(re.findall(r"`([^`]+)`", text))


def test_the_guide_lists_the_operators_of_filters() -> None:
    (listed,) = re.findall(r"^The filter language: .*?; operators (.*?); `ef\.`", GUIDE, re.M | re.S)
    assert words_in_code(listed) == set(OPERATORS)


def test_the_guide_lists_the_common_verbs_of_rights() -> None:
    (listed,) = re.findall(r"the common verbs are ([a-z, ]+)\.", GUIDE)
    assert tuple(re.split(", | and ", listed)) == COMMON_VERBS


def test_permissions_that_the_pages_grant_exist(serve: Any) -> None:
    serve()
    granted = " ".join(" ".join(re.findall(r"^comptoir grant ([^#\n]*)", page.read_text(), re.M)) for page in PAGES)
    named = set(re.findall(r"\b[a-z]+\.[a-z]+\b", granted))
    assert len(named) > 2
    assert named <= set(catalogue().rights)


def test_the_page_lists_the_templates_of_each_kind_of_document(serve: Any) -> None:
    serve()
    made = defaultdict(set)
    for each in catalogue().templates:
        made[each.module].add(each.name)
    (listed,) = re.findall(r"^Templates are (.*?)\.", BEHAVIOUR, re.M | re.S)
    told = {part.rpartition(" for ")[2]: words_in_code(part) for part in listed.split(", `") for part in [f"`{part}"]}
    assert told == made
