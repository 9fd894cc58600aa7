"""What holds for any HTML: no markup in print, no lost word, no failure."""

import html
import re

from hypothesis import example, given, settings
from hypothesis import strategies as st

from modules.documents.content.html_reader import BLOCKS, STYLES
from modules.documents.content.printed_document import PrintedLine
from modules.documents.content.rich_text import inline_text, plain_text, rich_text
from modules.documents.layout.style import Style
from tests.modules.documents.layout.drawing import draw, printed
from tests.modules.documents.pdf_text import text_of

#: letters that no bullet, address or heading has
LETTERS = "zqxéßЖ"
KNOWN = {*BLOCKS, *STYLES, "a", "big", "code", "font", "small", "span", "sub", "sup", "td", "tt"}
TAGS = sorted((KNOWN | {"o:p", "unknown", "custom-tag"}) - {"hr"})
ATTRIBUTES = st.sampled_from(
    ("", " class=a", ' style="font-weight:bold; color:#f00"', " title='a > b'", ' href="/1"', " nowrap", "\n start=4 ")
)
MARKUP = re.compile(rf"</?(?:{'|'.join(KNOWN)})\b[^<>]*>|&[a-zA-Z]+;|&#")
SILENT = st.sampled_from(
    ("<script>zq('<b>') && x</script>", "<style>zq > x {}</style>", "<!-- zq <i> -->", "<br>", "<br/>", "<hr>", "<img src=1>")
).map(lambda text: (text, ""))  # fmt: skip


def encoded(word, way):
    """A word as text: as it is, with names for its letters, or with their numbers."""
    named = html.escape(word).replace("é", "&eacute;").replace("ß", "&szlig;")
    return {"plain": word, "named": named, "number": "".join(f"&#{ord(each)};" for each in word)}[way], word


WORDS = st.builds(encoded, st.text(LETTERS, min_size=1, max_size=8), st.sampled_from(("plain", "named", "number")))
SPACED = st.tuples(WORDS, st.sampled_from((" ", "\n", "&nbsp;", ", ", " < ", " & "))).map(
    lambda pair: (pair[0][0] + pair[1], pair[0][1])
)


def joined(trees):
    return "".join(tree[0] for tree in trees), "".join(tree[1] for tree in trees)


def wrapped(tag, attributes, inner, closed):
    return f"<{tag}{attributes}>{inner[0]}" + f"</{tag.upper()}>" * closed, inner[1]


TREES = st.recursive(
    SPACED | WORDS | SILENT,
    lambda inner: st.builds(
        wrapped, st.sampled_from(TAGS), ATTRIBUTES, st.lists(inner, max_size=5).map(joined), st.booleans()
    ),
    max_leaves=25,
)


def letters(text):
    return "".join(each for each in text if each in LETTERS)


@given(TREES)
def test_no_word_is_lost_and_no_markup_stays(tree):
    text = f"{tree[0]}<br>"
    for found in (plain_text(text), str(rich_text(text)), inline_text(text)):
        assert letters(found) == tree[1]
        assert not MARKUP.search(found)


@settings(max_examples=25)
@given(TREES, TREES)
def test_the_words_stand_on_the_page_in_their_order(first, second):
    line = PrintedLine(label=inline_text(f"<b>{first[0]}</b>"), text=rich_text(f"<p>{second[0]}</p>"), total="1.00")
    found = text_of(draw(printed(line, note=rich_text(f"<i>{first[0]}</i>")), Style()))
    assert letters(found).replace("x", "") == (first[1] + second[1] + first[1]).replace("x", "")
    assert not MARKUP.search(found)


JUNK = (
    "<", ">", "</", "/>", "&", ";", "&#", "<b", "b>", "<b>", "</b>", "<p", "<!--", "-->", "<![CDATA[", "<?", "<script>", "</script>",
    "<style ", "<td nowrap", "<a href='", "<a href=\"", "'", '"', "=", " ", "\n", "\x00", "\ud800", "\u202e", "א", "漢", "é", "&eacute;",
    "&#0;", "&#xD800;", "&#1114112;", "</p>", "</li>", "<li>", "<ul>", "<table>", "<td>", "<tr>", "<x>", "<pre>", "&nbsp;", "1", "\ufffe",
)  # fmt: skip


@given(st.lists(st.sampled_from(JUNK), max_size=40).map("".join) | st.text(max_size=40))
@example("<![CDATA[&eacute;>")
def test_nothing_fails(text):
    plain = plain_text(text)
    assert "&eacute;" not in plain
    assert str(rich_text(text)) == plain


@settings(max_examples=25)
@given(st.lists(st.sampled_from(JUNK), max_size=40).map("".join))
def test_anything_is_drawn(text):
    rich = rich_text(text)
    lines = PrintedLine(label=inline_text(text), text=rich), PrintedLine(kind="title", label=rich, text=rich)
    assert "€999.99" in text_of(draw(printed(*lines, note=rich, mentions=[rich]), Style()))


def test_text_after_the_end_of_the_document_is_printed():
    text = "<html><body><p>Two years.</p></body></html>\nFixed price"
    assert str(plain_text(text)).split("\n") == ["Two years.", "Fixed price"]


def test_of_deep_nesting_only_the_text_is_printed():
    hidden = "<script>alert('s')</script><!-- secret --><style>p{c}</style>"
    assert plain_text(f"<b>x</b>{'<div>' * 300}{hidden}deep").split() == ["x", "deep"]
    assert plain_text(f"<p>x{'<div>' * 20_000}y</p>").split("\n") == ["x", "y"]
