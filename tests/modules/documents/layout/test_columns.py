"""The columns of the lines, and the totals below them: what shows, and that nothing stands upon something else."""

import pytest

from modules.documents.content.printed_document import PrintedLine
from modules.documents.layout.style import Style
from tests.modules.documents.layout.drawing import DIFFERENT, native_style, placed, printed

FULL = {"ref": "R1", "label": "Desk", "vat": "20%", "price": "1.00", "qty": "1", "discount": "5%", "total": "0.95"}
ALL = Style(columns=("number", "ref", "text", "vat", "price", "qty", "discount", "total"))
HEADINGS = {"ref": "Reference", "vat": "VAT", "price": "Unit price", "discount": "Discount"}
MORE = {"contract": "123,456.00", "before": "12,345.60", "done": "34,567.80", "remaining": "88,888.20"}


@pytest.mark.parametrize("name", HEADINGS)
def test_a_column_in_which_no_line_says_anything_goes(name):
    empty = PrintedLine(**FULL | {name: ""})
    without = {each.text for each in placed(printed(empty, empty), ALL)}
    # Of one line that says something all the others have the column, too
    assert all((heading in without) == (each != name) for each, heading in HEADINGS.items())
    both = {each.text for each in placed(printed(empty, PrintedLine(**FULL)), ALL)}
    assert both >= set(HEADINGS.values())
    assert "Quantity" in {each.text for each in placed(printed(PrintedLine(text="x")), ALL)}


def upon_each_other(found):
    """Strings that stand upon others. A hair's breadth is none."""
    return [
        (one.text, other.text)
        for place, one in enumerate(found)
        for other in found[place + 1 :]
        if one.page == other.page
        and one.left < other.right - 0.1 and other.left < one.right - 0.1
        and one.top < other.bottom - 0.3 and other.top < one.bottom - 0.3
    ]  # fmt: skip


@pytest.mark.parametrize("name", DIFFERENT)
@pytest.mark.parametrize("discount", ("", "10%"))
def test_work_billed_in_parts_has_as_many_columns_as_there_is_room_for(name, discount):
    line = PrintedLine(**FULL | {"discount": discount}, more=MORE)
    found = placed(printed(line), native_style(name))
    text = " ".join(each.text for each in found)
    # What was done before and what is now always show, and never at the cost of the texts
    assert "12,345.60" in text and "0.95" in text and "Desk" in text
    assert ("123,456.00" in text) or discount
    assert not upon_each_other(found)
