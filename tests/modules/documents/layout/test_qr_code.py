"""QR codes: the same that reportlab's own encoder makes, with one of the eight masks."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from modules.documents.layout.qr_code import qr_code
from tests.modules.documents.codes import expected, filled


def matrix_of(code):
    return filled(code.size, code.dark)


@settings(max_examples=8)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60))
# 9 to 10 is where lengths need two bytes: 180 bytes are the most of version 9; a full one has nothing behind its data
@example("x" * 180)
@example("x" * 181)
@example("é" * 300)
@example("\x00")
def test_a_code_is_what_another_encoder_makes(text):
    assert matrix_of(qr_code(text)) in expected(text)


def faults(matrix):
    """What ISO/IEC 18004 (7.8.3) counts against a code, module by module."""
    lines = ["".join("01"[module] for module in line) for line in (*matrix, *zip(*matrix, strict=True))]
    found = 0
    for line in lines:
        found += sum(len(run[0]) - 2 for run in re.finditer("0{5,}|1{5,}", line))
        found += 40 * sum(line[place : place + 11] in ("10111010000", "00001011101") for place in range(len(line)))
    size = len(matrix)
    for y in range(size - 1):
        for x in range(size - 1):
            found += 3 * (sum((*matrix[y][x : x + 2], *matrix[y + 1][x : x + 2])) in (0, 4))
    return found + 10 * int(abs(sum(map(sum, matrix)) * 100 / size**2 - 50) / 5)


@pytest.mark.parametrize("text", ["0" * 100, "https://pay.example/FA2611-0001", "BCD\n002"])
def test_the_mask_that_is_read_best_is_taken(text):
    assert faults(matrix_of(qr_code(text))) == min(map(faults, expected(text)))
