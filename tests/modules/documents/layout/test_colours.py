"""The company's colour: letters on it, and letters in it, can be read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modules.documents.layout.colours import contrast, ink_of, ink_on
from modules.documents.layout.style import Style, coloured

COLOURS = st.integers(0, 0xFFFFFF).map("#{:06x}".format)


def test_contrast_is_that_of_the_guidelines():
    # WCAG: white on black is 21:1; #767676 is the lightest grey whose contrast to white is 4.5
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") >= 4.5 > contrast("#777777", "#ffffff")


@given(COLOURS)
def test_letters_can_be_read_whatever_the_colour(colour):
    style = coloured(Style(), colour)
    assert contrast(ink_on(colour), colour) >= 4.5
    assert contrast(ink_of(colour), style.tint) >= 4.5
    assert contrast(ink_of(colour), "#ffffff") >= 4.5


def test_dark_colours_bear_white_letters_and_light_ones_black():
    assert (ink_on("#1b3a5c"), ink_of("#1b3a5c")) == ("#ffffff", "#1b3a5c")
    assert ink_on("#ffee00") == "#000000"
    assert ink_of("#ffee00") != "#ffee00"


def test_a_tint_is_a_tenth_of_the_colour():
    # 255 - 255/10 = 229.5, 255 - 155/10 = 239.5, 255 - 55/10 = 249.5: each rounded to even
    assert coloured(Style(), "#0064c8").tint == "#e6f0fa"


@pytest.mark.parametrize("text", ["", "red", "#12345", "#1234567", "1b3a5c", "#gggggg", "#1b3a5c\n"])
def test_what_is_no_colour_changes_nothing(text):
    assert coloured(Style(), text) == Style()
