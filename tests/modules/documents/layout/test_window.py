"""The address in the windows of envelopes, in millimetres of the norms; and what stands around it."""

import pytest

from modules.documents.content.printed_document import Party, PrintedLine
from tests.modules.documents.layout.drawing import NATIVE, native_style, placed, printed

#: left, top, right, bottom: DIN 5008 form B, 85 × 45 mm, 20 mm from the left; the window of 100 × 45 mm of a French
#: DL envelope, 20 mm from its right and bottom (NF Z 11-001)
NORM = {"left": (20, 45, 105, 90), "right": (100, 45, 200, 90)}
#: what the windows of 100 × 45 mm of Swiss C5 envelopes (22 mm from the left or 12 from the right, 52 from the top) show
#: of a folded A4 sheet wherever it has slid to (229 − 210 mm, 162 − 148.5 mm)
SWISS = {"left": (22, 52, 103, 83.5), "right": (117, 52, 198, 83.5)}

SHORT = ["To: Customer", "To: 8 quai", "To: Le Havre"]
LONG = [
    "To: Wasserwirtschaftsamt der Freien Stadt", "To: Abteilung Beschaffung", "To: Frau Dr. Margarete Hohenstaufen",
    "To: Gebäude 7, Aufgang C", "To: Konrad-Adenauer-Straße 123", "To: 28195 Bremen", "To: DEUTSCHLAND",
]  # fmt: skip
SENDER = Party(
    ["Sender SARL", "Street 1", "69002 Lyon", "FRANCE"], ["Tel. 1", "mail@example.org", "https://example.org"]
)


def inside(each, zone):
    return zone[0] <= each.left and zone[1] <= each.top and each.right <= zone[2] and each.bottom <= zone[3]


def touches(each, zone):
    return each.left < zone[2] and zone[0] < each.right and each.top < zone[3] and zone[1] < each.bottom


@pytest.mark.parametrize("address", (SHORT, LONG), ids=("3 lines", "7 lines"))
@pytest.mark.parametrize("side", ("left", "right"))
@pytest.mark.parametrize("name", NATIVE)
def test_the_window_shows_the_address_and_nothing_else(name, side, address):
    drawn = printed(
        PrintedLine(text="x", total="1.00"),
        window=side,
        sender=SENDER,
        recipient=Party(address),
        delivery=Party(["Deliver: Store", "Deliver: Harbour 4", "Deliver: Bremen"]),
        facts=[(f"Fact {number}", f"a value of some words {number}") for number in range(10)],
        standing="PAID",
    )
    found = [each for each in placed(drawn, native_style(name)) if each.page == 1]
    shown = [each for each in found if each.text.startswith("To: ")]
    assert [each.text for each in shown] == address
    for each in shown:
        assert inside(each, NORM[side]) and inside(each, SWISS[side]), each
        assert each.size >= 9
    others = [each.text for each in found if each not in shown and touches(each, NORM[side])]
    # German envelopes show who sent the letter, in one line
    assert others == (["Sender SARL · Street 1 · 69002 Lyon · FRANCE"] if side == "left" else [])
    assert sum(each.text.startswith("Deliver: ") for each in found) == 3


@pytest.mark.parametrize("lines", (1, 9, 14))
def test_an_address_of_any_length_stays_in_the_window(lines):
    drawn = printed(window="left", recipient=Party([f"To: {number}" for number in range(lines)]))
    shown = [each for each in placed(drawn, native_style("crabe")) if each.text.startswith("To: ")]
    assert len(shown) == lines
    assert all(inside(each, NORM["left"]) for each in shown)
    # DIN 5008 form B: a short address begins 62.7 mm from the top
    assert lines > 5 or 62.7 <= shown[0].top <= 65


@pytest.mark.parametrize("name", NATIVE)
def test_what_it_is_and_what_has_become_of_it_is_seen_first(name):
    drawn = printed(PrintedLine(text="x"), standing="PAID", standing_details=["Paid on 3 November 2026"])
    found = placed(drawn, native_style(name))
    largest = max(found, key=lambda each: each.size)
    assert largest.text == "Invoice"
    stamp = next(each for each in found if each.text == "PAID")
    assert stamp.size >= 10 and abs(stamp.top - largest.top) < 15
    total, details = (next(each for each in found if text in each.text) for text in ("€999.99", "Paid on"))
    assert details.top > total.bottom


@pytest.mark.parametrize("name", ("crabe", "sponge"))
def test_names_from_right_to_left_read_as_they_are_written(name):
    hebrew = "שלום עולם"
    drawn = printed(
        PrintedLine(text="x"), title=hebrew, sender=Party([hebrew]), totals=[(hebrew, "1", True)], standing=hebrew
    )
    # On the page the last letter stands leftmost
    assert {each.text for each in placed(drawn, native_style(name)) if "ש" in each.text} == {hebrew[::-1]}
