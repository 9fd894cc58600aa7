"""Everything a server of the reference was seen to answer, asked again here, in the same order.

In the profile `dolibarr16` statuses, keys, types and values are the recorded ones, or the difference is decided. In both
profiles each answer fits what the document of that profile says.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest

from core.common.clock import as_if
from core.testing import serving
from tests.modules.replayed import page
from tests.modules.replayed.comparison import Comparison, Difference
from tests.modules.replayed.decisions import Decisions
from tests.modules.replayed.exchanges import CHAPTERS, exchanges
from tests.modules.replayed.player import data, install, play
from tests.modules.replayed.published import Published

#: together they take ten seconds of a processor and more
pytestmark = pytest.mark.slow

#: a module of the recording
SERVED = Path(__file__).parent / "served"
#: when the recording began
THEN = 1795226844


@dataclass
class Played:
    """What came of it.

    :ivar differences: of each exchange, in order
    :ivar wrong: what does not fit the published document
    """

    differences: list[list[Difference]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    checked: int = 0


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """Plays the sequence in a profile, once."""

    @cache
    def once(profile):
        found = Played()
        folder = tmp_path_factory.mktemp(profile)
        with serving(folder, profile_name=profile, modules=str(SERVED)) as served, as_if(THEN):
            here, published = install(served), Published(served)
            comparison = Comparison(here.identifiers)
            for exchange, answer in play(here):
                if exchange.chapter == "additions" and exchange.n in (1, 13):
                    published.read_again()
                said = data(answer)
                path = here.identifiers.path(exchange.path)
                found.differences.append(comparison.differences(exchange, answer.status_code, said))
                # The class of the recording promises nothing
                if exchange.chapter != "routing" and not (isinstance(said, str) and said == answer.text):
                    query = exchange.query or ""
                    published.hold(exchange.place, exchange.verb, path, answer.status_code, said, query)
            found.wrong, found.checked = published.wrong, published.checked
        return found

    yield once
    once.cache_clear()


def test_what_was_recorded_is_answered_or_the_difference_is_decided(played, seen):
    decided = Decisions("decided.tsv")
    found = played("dolibarr16").differences
    undecided = [decided.unexplained(each) for each in found]
    seen(_summary(found, undecided))
    assert [str(each) for some in undecided for each in some] == []
    assert decided.without_use() == []


def test_the_page_lists_each_decided_difference(played):
    differences = [each for some in played("dolibarr16").differences for each in some]
    text = page.tables(differences, Decisions("decided.tsv"))
    if os.environ.get("REWRITE_PAGE"):
        page.write(text)
    assert page.written() == text


def _summary(found, undecided):
    identical = sum(not each for each in found)
    decided = sum(bool(each) and not left for each, left in zip(found, undecided, strict=True))
    empty = sum(bool(left) and all(each.what.endswith("empty") for each in left) for left in undecided)
    others = len(found) - identical - decided - empty
    return f"{len(found)} exchanges: {identical} identical, {decided} as decided, {empty} but for empty values, {others} not"


@pytest.mark.parametrize("profile", [pytest.param("specification", marks=pytest.mark.slow), "dolibarr16"])
def test_each_answer_is_as_published(profile, played):
    found = played(profile)
    assert found.wrong == []
    assert found.checked > 690


def test_the_recording_is_whole():
    assert sum(len(exchanges(chapter)) for chapter in CHAPTERS) == 817
    assert {file.stem for file in (Path(__file__).parent / "recorded").iterdir()} == set(CHAPTERS)
