"""What a page costs: time against the smallest program that draws the same, and memory."""

from __future__ import annotations

import tracemalloc

from modules.documents.layout.style import Style
from tests.bench.pages import measure, sample
from tests.modules.documents.layout.drawing import draw


def test_a_page_costs_at_most_three_times_the_smallest_program() -> None:
    found = measure(0.3)
    assert found["2 lines: time of the smallest program"] < 3
    assert found["200 lines: time of the smallest program"] < 3


def test_a_thousand_lines_need_little_memory() -> None:
    draw(sample(2), Style())
    tracemalloc.start()
    try:
        draw(sample(1000), Style())
        assert tracemalloc.get_traced_memory()[1] < 30_000_000
    finally:
        tracemalloc.stop()
