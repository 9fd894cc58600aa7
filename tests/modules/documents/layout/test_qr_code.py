"""QR codes, as another library reads them from a page."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from modules.documents.layout.sheet import Sheets
from tests.modules.documents.codes import drawn_codes


def page_with(text, **options):
    sheets = Sheets(title="Invoice", author="Comptoir", subject="Customer")
    sheets.qr_code(text, 100, 200, 80, alt="Code", **options)
    sheets.end()
    return sheets.finish()


@settings(max_examples=8)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60))
# 9 to 10 is where lengths need two bytes: 180 bytes are the most of version 9; a full one has nothing behind its data
@example("x" * 180)
@example("x" * 181)
@example("é" * 300)
@example("\x00")
@example("0" * 100)
def test_a_code_says_its_text_and_corrects_errors_of_level_m(text):
    (code,) = drawn_codes(page_with(text))
    assert (code.text, code.level) == (text, "M")


@pytest.mark.parametrize("quiet", (0, 4))
def test_the_quiet_zone_is_part_of_the_width(quiet):
    """Version 2, of 25 modules: 80 points wide, 100 points from the left and 200 from the top."""
    (code,) = drawn_codes(page_with("https://pay.example/1", quiet=quiet))
    module = 80 / (code.size + 2 * quiet) * 25.4 / 72
    assert code.size == 25
    assert code.side == pytest.approx(25 * module, abs=0.01)
    assert code.left == pytest.approx(100 * 25.4 / 72 + quiet * module, abs=0.01)
    assert code.top == pytest.approx(200 * 25.4 / 72 + quiet * module, abs=0.02)
