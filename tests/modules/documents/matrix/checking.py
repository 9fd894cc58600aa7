"""The checks of each PDF; each returns a list of faults, in words."""

import re
from decimal import ROUND_HALF_UP, Decimal
from functools import cache

from modules.documents.content.record_values import day_of
from tests.modules.documents.matrix.amounts import digits, known_amounts, shown_amounts
from tests.modules.documents.matrix.cases import ORDER, PROPOSAL
from tests.modules.documents.matrix.contents import HIDDEN, READ
from tests.modules.documents.matrix.reading import read_pages

#: points that are left free at each edge of a page at least
EDGE = 14.0
TITLES = {"credit": "Credit note", "deposit": "Deposit invoice", "situation": "Situation invoice"}
KIND_TITLES = {PROPOSAL: "Commercial proposal", ORDER: "Order"}
#: standings of an invoice of which nobody is to pay anything
NOT_PAYABLE = ("credit", "paid", "abandoned")
MARKUP = re.compile(r"</?[a-z!][^>]{0,80}>?|&(?:[a-z]+|#\d+);?(?=\S)|style=|href=", re.I)
#: what a font writes for a letter that it lacks, and what a map lacks for a code
MISSING = "�\u25a1"


def compact(text):
    """A text without any space, as no two places cut it alike."""
    return re.sub(r"[\s\u200b\u00ad]+", "", text)


@cache
def _pages(pdf):
    return read_pages(pdf)


def pages_of(made):
    """The pages of a PDF."""
    return _pages(made.pdf)


def text_of(made):
    """All that can be read on a PDF, without any space."""
    return "".join(page.text() for page in pages_of(made))


def inside(made):
    """Nothing stands outside of the page, or at its very edge."""
    return [
        f"page {number}: {piece.text!r} ends at {piece.right:.0f} of {page.width:.0f}, {piece.y:.0f} of {page.height:.0f}"
        for number, page in enumerate(pages_of(made), 1)
        for piece in page.pieces
        if piece.upright and piece.text.strip()
        and not (piece.x >= EDGE and piece.right <= page.width - EDGE and EDGE <= piece.y <= page.height - EDGE)
    ]  # fmt: skip


def apart(made):
    """No two texts cover each other."""
    found = []
    for number, page in enumerate(pages_of(made), 1):
        pieces = sorted((each for each in page.pieces if each.upright and each.text.strip()), key=lambda each: -each.y)
        for place, piece in enumerate(pieces):
            for other in pieces[place + 1 :]:
                if other.y < piece.y - 2 * piece.size - 20:
                    break
                if piece.covers(other):
                    found.append(f"page {number}: {piece.text!r} and {other.text!r} cover each other")
    return found


def downwards(made):
    """What begins at the same place of the line is written from the top to the bottom."""
    found = []
    for number, page in enumerate(pages_of(made), 1):
        columns = {}
        for piece in page.pieces:
            # A number that stands at the right begins anywhere
            if not piece.upright or not piece.text.strip() or re.fullmatch(r"[\W\d]+", piece.text):
                continue
            above = columns.get(round(piece.x, 1))
            if above is not None and piece.y > above.y + 0.1:
                found.append(f"page {number}: {piece.text!r} stands above {above.text!r}, and is written behind it")
            columns[round(piece.x, 1)] = piece
    return found


def title_of(made):
    """What the PDF is called, in its language."""
    english = KIND_TITLES.get(made.case.kind) or TITLES.get(made.case.standing, "Invoice")
    return made.words.say(english)


def landmarks(made):
    """What is read in this order on every PDF, behind its head."""
    lines = [name_of(line) for line in made.record["lines"]]
    found = [*(line for line in lines if line), digits_text(made, made.record["total_ttc"])]
    if made.case.standing not in NOT_PAYABLE:
        found.append(made.words.say("Payment terms"))
        if iban := made.company.constants["MAIN_BANK_IBAN"]:
            found.append(iban)
    return found


def digits_text(made, amount):
    """An amount as the language writes it, without what stands around it."""
    return made.words.number(abs(Decimal(amount).quantize(Decimal("0.01"), ROUND_HALF_UP)), 2)


def name_of(line):
    """What stands first in a line; empty of what is a discount, which is described by what it came from."""
    text = str(line["label"] or line["product_label"] or line["desc"] or "")
    return "" if text.startswith("(") else text


def in_order(made):
    """Title and reference, and the recipient, are read before the lines, these before totals and terms."""
    text = text_of(made)
    titled, addressed = (
        _follow(text, each, 0) for each in ((title_of(made), made.record["ref"]), (made.recipient["name"],))
    )
    found = _follow(text, landmarks(made), max(titled[0], addressed[0]))
    return [*titled[1], *addressed[1], *found[1]]


def _follow(text, marks, place):
    """Where the last of some marks is read that follow one another from a place on, and what is wrong."""
    found = []
    for each in marks:
        at = text.find(compact(each), place)
        if at < 0:
            where = "not at all" if compact(each) not in text else "not in its place"
            found.append(f"{each!r} is read {where}")
        else:
            place = at + 1
    return place, found


def in_rows(made):
    """Beside the name of each line stands its amount."""
    pieces = [(page, piece) for page in pages_of(made) for piece in page.pieces if piece.upright]
    place, found = 0, []
    for line in made.record["lines"]:
        key = compact(name_of(line))[:10]
        if not key or int(line["product_type"] or 0) == 9:
            continue
        at = next((each for each in range(place, len(pieces)) if key in compact(pieces[each][1].text)), None)
        if at is None:
            found.append(f"no line {name_of(line)!r}")
            continue
        page, piece = pieces[at]
        place = at + 1
        row = [each.text for each in page.pieces if each.upright and abs(each.y - piece.y) < 1 and each.x > piece.x]
        amount = digits(f"{Decimal(line['total_ht']):.2f}")
        if amount not in [digits(text) for text in row]:
            found.append(f"beside {name_of(line)!r} stands {row}, not {line['total_ht']}")
    return found


def without_markup(made):
    """Nobody reads HTML, or a sign for a letter that a font lacks; the words that were in the HTML are there."""
    readable = [piece.text for page in pages_of(made) for piece in page.pieces]
    found = [f"{text!r} is markup" for text in readable if MARKUP.search(text.replace("< 40 W & ", ""))]
    found += [f"{text!r} lacks a letter" for text in readable if any(sign in text for sign in MISSING)]
    if made.case.content == "html":
        text, place = text_of(made), 0
        for words in READ:
            place = text.find(compact(words), place)
            if place < 0:
                found.append(f"{words!r} is lost, or not in its place")
                place = 0
        found += [f"{words!r} is to be hidden" for words in HIDDEN if compact(words) in text]
    return found


def amounts(made):
    """Every amount on the page is one of the record, and the record's are there."""
    known = known_amounts(made)
    pieces = [piece.text for page in pages_of(made) for piece in page.pieces if piece.upright]
    shown = {amount: text for text in pieces for amount in shown_amounts(text)}
    found = [f"{text!r} is no amount of the record" for amount, text in shown.items() if amount not in known]
    wanted = {line["total_ht"] for line in made.record["lines"] if int(line["product_type"] or 0) != 9}
    wanted |= {made.record[name] for name in ("total_ht", "total_tva", "total_ttc")}
    missing = {digits(f"{Decimal(each):.2f}") for each in wanted} - set(shown)
    return found + [f"the amount {each} is missing" for each in sorted(missing)]


def facts(made):
    """What every PDF of the company must show, and whom it is for."""
    text = text_of(made).upper()
    wanted = [*made.company.facts, made.recipient["name"], made.recipient["town"]]
    if number := made.recipient.get("tva_intra"):
        wanted.append(number)
    if made.case.kind == "invoice":
        wanted += [made.words.day(day_of(made.record["date"]))]
    return [f"{each!r} is missing" for each in wanted if compact(each).upper() not in text]


def standing(made):
    """What has become of it shows, where it came from, and nobody is asked to pay what is not owed."""
    text, case, say = text_of(made), made.case, made.words.say
    wanted = [record["ref"] for record in made.before if case.standing != "situation"]
    wanted += {"paid": [say("PAID")], "abandoned": [say("ABANDONED")]}.get(case.standing, [])
    found = [f"{each!r} is missing" for each in wanted if compact(each) not in text]
    iban = made.company.constants["MAIN_BANK_IBAN"]
    if case.standing in NOT_PAYABLE and iban and iban in text:
        found.append("an account to pay into")
    if case.standing in NOT_PAYABLE and compact(say("Due date")) in text:
        found.append("a day on which it is due")
    if "(DEPOSIT)" in text:
        found.append("'(DEPOSIT)'")
    slanting = "".join(piece.text for page in pages_of(made) for piece in page.pieces if not piece.upright)
    if case.standing == "draft" and say("DRAFT") not in slanting:
        found.append("no watermark")
    return found


def full_end(made):
    """The last page of several holds a line at least, or the slip that it is paid by."""
    *before, last = pages_of(made)
    text = last.text()
    slip = made.case.company == "CH" and made.company.constants["MAIN_BANK_IBAN"] in text
    names = [compact(name_of(line)) for line in made.record["lines"]]
    told = [compact(record["ref"]) for record in made.before]
    if not before or slip or any(name and name in text for name in (*names, *told)):
        return []
    return [f"the last of {len(before) + 1} pages holds none of the lines"]


CHECKS = {
    each.__name__: each
    for each in (inside, apart, downwards, in_order, in_rows, without_markup, amounts, facts, standing, full_end)
}
