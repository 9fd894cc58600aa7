"""The amounts in a PDF, and those that it may show."""

import re
from decimal import ROUND_HALF_UP, Decimal

#: a number with two decimals that is neither a rate nor a part of a date or of a code
_AMOUNT = re.compile(r"(?<![\d.,/])(?:\d{1,3}(?:[\s.,’'\u202f\xa0]\d{3})+|\d+)[.,]\d{2}(?!\d|[.,]\d|[A-Z]|\s*%)")
#: fields of records and lines that hold an amount
FIELDS = (
    "subprice",
    "total_ht",
    "total_tva",
    "total_ttc",
    "totalpaid",
    "totalcreditnotes",
    "totaldeposits",
    "remaintopay",
)
CENT = Decimal("0.01")
TITLE = 9
RETAINED = Decimal("0.05")


def digits(text):
    """A number as its digits alone: what stands between them differs by language."""
    return re.sub(r"\D", "", text)


def shown_amounts(text):
    """The amounts in a text, as digits."""
    return (digits(found) for found in _AMOUNT.findall(text))


def known_amounts(made):
    """The amounts that a PDF may show, as digits."""
    amounts = [Decimal(made.company.data.get("capital") or 0)]
    for record in (made.record, *made.before):
        amounts += _fields(record)
        amounts += _sums(record["lines"])
    if made.case.standing == "situation":
        amounts += _situation(made.record, made.before[0])
    if made.case.standing == "paid":
        # In two parts; and what is given to who pays late in France
        amounts += [Decimal(100), Decimal(made.record["total_ttc"]) - 100]
    amounts.append(Decimal(40))
    return {digits(f"{abs(amount.quantize(CENT, ROUND_HALF_UP)):.2f}") for amount in amounts} | {
        digits(f"{abs(Decimal(line['subprice'])).normalize():f}") for line in made.record["lines"] if line["subprice"]
    }


def _fields(record):
    for each in (record, *record["lines"]):
        yield from (Decimal(each[name]) for name in FIELDS if each.get(name) not in (None, ""))


def _sums(lines):
    """Of each rate its net amount and tax; sub-totals of sections; what is carried forward after each line."""
    rates = {}
    section = carried = Decimal(0)
    for line in lines:
        if int(line["product_type"] or 0) == TITLE:
            yield section
            section = Decimal(0)
            continue
        net, tax = Decimal(line["total_ht"]), Decimal(line["total_tva"])
        sums = rates.setdefault(Decimal(line["tva_tx"]), [Decimal(0), Decimal(0)])
        sums[0], sums[1] = sums[0] + net, sums[1] + tax
        section, carried = section + net, carried + net
        yield carried
    yield section
    for sums in rates.values():
        yield from (*sums, sum(sums))


def _situation(record, before):
    """The whole of the contract, what was done of it before, now and altogether, and what remains; by line and in all."""
    rows = [
        _parts(line, old)
        for line, old in zip(record["lines"], before["lines"], strict=True)
        if int(line["product_type"] or 0) != TITLE
    ]
    for row in rows:
        yield from row
    sums = [sum(column, Decimal(0)) for column in zip(*rows, strict=True)]
    yield from sums
    for amount in (*sums, Decimal(record["total_ht"]), Decimal(record["total_ttc"])):
        retained = (amount * RETAINED).quantize(CENT, ROUND_HALF_UP)
        yield from (retained, amount - retained)


def _parts(line, old):
    discount = Decimal(line["remise_percent"] or 0) / 100
    whole = (Decimal(line["qty"]) * Decimal(line["subprice"]) * (1 - discount)).quantize(CENT, ROUND_HALF_UP)
    before, now = Decimal(old["total_ht"]), Decimal(line["total_ht"])
    return whole, before, now, before + now, whole - before - now
