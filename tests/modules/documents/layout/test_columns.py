"""The columns of the lines, and the totals below them: what shows, and that nothing stands upon something else."""

import pytest

from modules.documents.layout.style import Style
from modules.documents.papers.paper import PaperLine
from tests.modules.documents.layout.drawing import NATIVE, native_style, paper, placed
from tests.modules.documents.native_texts import LANGUAGES, native_language

FULL = {"ref": "R1", "label": "Desk", "vat": "20%", "price": "1.00", "qty": "1", "discount": "5%", "total": "0.95"}
ALL = Style(columns=("number", "ref", "text", "vat", "price", "qty", "discount", "total"))
HEADINGS = {"ref": "Reference", "vat": "VAT", "price": "Unit price", "discount": "Discount"}
MORE = {"contract": "123,456.00", "before": "12,345.60", "done": "34,567.80", "remaining": "88,888.20"}


@pytest.mark.parametrize("name", HEADINGS)
def test_a_column_in_which_no_line_says_anything_goes(name):
    empty = PaperLine(**FULL | {name: ""})
    without = {each.text for each in placed(paper(empty, empty), ALL)}
    # Of one line that says something all the others have the column, too
    assert all((heading in without) == (each != name) for each, heading in HEADINGS.items())
    both = {each.text for each in placed(paper(empty, PaperLine(**FULL)), ALL)}
    assert both >= set(HEADINGS.values())
    assert "Quantity" in {each.text for each in placed(paper(PaperLine(text="x")), ALL)}


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


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_stands_upon_anything_in_any_language(language):
    say = native_language(f"{language}_{'US' if language == 'en' else language.upper()}").say
    lines = [
        PaperLine(**FULL | {"price": "1,234,567.89", "total": "1,234,567.89"}, text="words " * 60),
        PaperLine(kind="title", label="A title"),
        PaperLine(**FULL),
    ]
    labels = ("Total excl. VAT", "Total VAT", "Credit notes", "Remaining to pay", "Total incl. VAT")
    options = {
        "language": f"{language}_{'US' if language == 'en' else language.upper()}",
        "title": say("Replacement invoice"),
        "facts": [(say(label), "a value of words") for label in ("Due date", "Your VAT number", "Customer number")] * 3,
        "taxes": [("20%", "1,234,567.89", "1,234,567.89")] * 5,
        "totals": [(say(label), "1,234,567.89 PLN", label == labels[-1]) for label in labels],
        "parts": [(say("Retained warranty") + " (5%)", "1,234,567.89 PLN")] * 6,
        "terms": [(say("Payment terms"), "soon " * 40)],
        "standing": say("PAID"),
        "acceptance": True,
    }
    for name in ("crabe", "sponge"):
        style = native_style(name)
        found = placed(paper(*lines, **options), style)
        assert not upon_each_other(found)
        # Totals and headings are whole
        shown = " ".join(each.text for each in found)
        for label in labels:
            assert all(word in shown for word in say(label).split())
        assert "…" not in "".join(each.text for each in found if "Sender" not in each.text)


@pytest.mark.parametrize("name", NATIVE)
@pytest.mark.parametrize("discount", ("", "10%"))
def test_work_billed_in_parts_has_as_many_columns_as_there_is_room_for(name, discount):
    line = PaperLine(**FULL | {"discount": discount}, more=MORE)
    found = placed(paper(line), native_style(name))
    text = " ".join(each.text for each in found)
    # What was done before and what is now always show, and never at the cost of the texts
    assert "12,345.60" in text and "0.95" in text and "Desk" in text
    assert ("123,456.00" in text) or discount
    assert not upon_each_other(found)
