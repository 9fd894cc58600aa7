"""What of a text is HTML, and what is printed of it."""

import socket

import pytest

from modules.documents.content.paragraphs import BOLD, ITALIC, STRUCK, UNDERLINE, RichText, beside, stacked
from modules.documents.content.rich_text import inline_text, one_line, plain_lines, plain_text, rich_text
from tests.processor import little_work

#: none of these holds a known tag, a whole entity or a comment
LITERAL = (
    "", "a < b", "R&D", "AT&T;", "x<y>z", "<3", "if a<b and c>d", "<b and c>", "Jo <jo@example.org>", "&copy 2026", "a <!-- b",
    "<https://example.org>", "</ b>", "< b>", "<b", "?a=1&lt=3", "<para>", "Deliver to <address>", "&unknown;", "<?php", "-->",
)  # fmt: skip
#: HTML, and the plain text that browsers show of it
PLAIN = {
    "5 &lt; 6": "5 < 6",
    "R&amp;D": "R&D",
    "&amp;eacute;": "&eacute;",
    "Caf&eacute;\nnoir &#233;&#xE9;&check;": "Café\nnoir éé✓",
    "a &lt;b&gt; c": "a <b> c",
    "a < b <i>c</i>": "a < b c",
    "a<br />\nb<br><br>c</br>d": "a\nb\n\nc\nd",
    "<p>a</p><p>&nbsp;</p><p>b</p>": "a\n\nb",
    "<p>a\n  b</p>\n<p>c</p><p></p>": "a b\nc",
    "<div>a</div>b<H2>c</H2>d": "a\nb\nc\nd",
    "<ul><li>a<li>b<ol start='3'><li>c</li><li>d</ol></ul>e": "• a\n• b\n  3. c\n  4. d\ne",
    "<p>a<ul><li>b</ul>c</p>d": "a\n• b\nc\nd",
    "<table><tr><td><p>a</p></td><td>b</td><td></td><td>c</td></tr><tr><th>d</th></tr></table>": "a · b · c\nd",
    "a<script>if (a<b) '<i>'</script>b<style>p {}</style>c<!-- <b> -->d": "abcd",
    "a<br><script>open text": "a",
    "<o:p>a</o:p><?xml:namespace prefix = o /><![endif]>b<br>": "ab",
    "<section>a</section><section>b</section><i>c</i>": "a\nb\nc",
    "<img src='x.png' onerror=\"a>b\">a": "a",
    "m<sup>2</sup>, H<sub>2</sub>O, 1<sup>er</sup>": "m², H₂O, 1er",
    "<a href='https://example.org/'>example.org</a>": "example.org",
    "<a href=https://example.org>us</a>.": "us (https://example.org).",
    "<a href='mailto:a@example.org'>us</a>": "us (a@example.org)",
    "<a href='javascript:x()'>us</a> <a href='file:///etc/passwd'>it</a>": "us it",
    "<pre>a\n  b</pre>": "a\n  b",
    "a <b>b</b>\nc": "a b\nc",
    "<p></p>": "",
}


@pytest.mark.parametrize("text", LITERAL)
def test_a_text_without_markup_is_what_it_is(text):
    assert rich_text(text) is text
    assert plain_text(text) is text
    assert inline_text(text) is text
    assert one_line(text) is text


@pytest.mark.parametrize("text", PLAIN)
def test_of_html_its_text_remains(text):
    assert plain_text(text) == PLAIN[text]
    assert str(rich_text(text)) == PLAIN[text]
    assert type(plain_text(text)) is str


@pytest.mark.parametrize(
    ("text", "runs"),
    (
        ("a<b>b</b>", (("a", 0), ("b", BOLD))),
        ("<strong>a<em>b</em></strong>c", (("a", BOLD), ("b", BOLD | ITALIC), ("c", 0))),
        ("<u>a</u> <s>b</s>", (("a", UNDERLINE), (" ", 0), ("b", STRUCK))),
        ("<b/>a<i>b", (("a", 0), ("b", ITALIC))),
        ("<h3>a</h3>", (("a", BOLD),)),
        ("<span style='FONT-WEIGHT: 700; text-decoration: underline'>a</span>", (("a", BOLD | UNDERLINE),)),
        ("<b style='font-weight:normal'>a<i>b</i></b>", (("a", 0), ("b", ITALIC))),
        ("<b>a<i>b</b>c</i>", (("a", BOLD), ("b", BOLD | ITALIC), ("c", 0))),
    ),
)
def test_what_is_bold_stays_bold(text, runs):
    found = rich_text(text)
    assert isinstance(found, RichText)
    assert [each.runs for each in found.paragraphs] == [runs]


def test_texts_are_put_together_and_stay_what_they_are():
    rich = rich_text("<b>a<br>b")
    found = stacked(rich, "", "1 < 2 <i>")
    assert isinstance(found, RichText)
    assert [each.runs for each in found.paragraphs] == [(("a", BOLD),), (("b", BOLD),), (("1 < 2 <i>", 0),)]
    assert stacked("a", "b") == "a\nb"
    assert str(beside("ref", rich)) == "ref · a\nb"
    assert beside("", "a") == beside("a", "") == "a"
    assert inline_text("<p>a</p><p>b</p>") == one_line("a<br>b") == "a b"
    assert plain_lines(["1 rue &amp; 2<br>Hall", "a\nb", "<p></p>"]) == ["1 rue & 2", "Hall", "a\nb"]


def test_no_text_is_too_deep_or_takes_long(monkeypatch):
    def forbidden(*_):
        raise AssertionError("the network was touched")

    monkeypatch.setattr(socket.socket, "connect", forbidden)
    many = 30_000
    # All together need about a second; the square of it would be minutes
    with little_work():
        for text in (
            "<b>" * many + "word" + "</b>" * many, "<b>" * many + "</i>" * many + "word", "<ul><li>" * many + "word",
            "<i>" * 2490 + "<div>" + "</i>" * 2490 + "word", "<b " + " " * 10 * many + ">word",
            "<div>" * 200 + "</i>" * many + "word", "<p>" * many + "word", "<br>" + "&amp; " * many + "word",
            '<!DOCTYPE a SYSTEM "http://127.0.0.1:9/x"><img src="http://127.0.0.1:9/y"><b>word</b>',
        ):  # fmt: skip
            assert plain_text(text).endswith("word")
        # As in browsers, the beginning of a tag, a script or a comment without its end hides the rest
        for beginning in ("<!--", "<script ", "<a x='", "<title>"):
            assert plain_text("word<br>" + beginning * many) == "word"
    # Of tags within tags without end, only the text is taken
    assert isinstance(rich_text("<b>" * 200 + "a<br>b"), RichText)
    assert rich_text("<b>" * 300 + "a<br>b &amp; c") == "a\nb & c"
    assert not isinstance(rich_text("<b>" * 300 + "a<br>b &amp; c"), RichText)
