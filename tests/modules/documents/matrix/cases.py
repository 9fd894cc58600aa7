"""Which PDFs are made: as few as it takes for each value to meet each value of another kind that it can meet.

What makes a PDF look as it does are six axes. All their combinations would be tens of thousands of PDFs; what goes
wrong in print goes wrong where two things meet, so that each *pair* of values comes once at least.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations, islice, product
from typing import NamedTuple

INVOICE, PROPOSAL, ORDER = "invoice", "proposal", "order"
#: template → the kind of its records
TEMPLATES = {
    "crabe": INVOICE, "sponge": INVOICE, "azur": PROPOSAL, "cyan": PROPOSAL, "einstein": ORDER, "eratosthene": ORDER,
}  # fmt: skip
AXES = {
    "standing": (
        "plain", "credit", "deposit", "final", "situation", "zero", "paid", "abandoned", "draft", "signed",
    ),
    "content": ("one", "forty", "html", "discounts", "rates", "negative", "titles"),
    "template": tuple(TEMPLATES),
    "company": ("FR", "DE", "GB", "CH", "US"),
    "recipient": ("JP", "US", "DE", "IE", "BE"),
    "logo": ("none", "square", "wide", "white"),
}  # fmt: skip
#: standings that not every kind of record has
KINDS = {
    "credit": (INVOICE,), "deposit": (INVOICE,), "final": (INVOICE,), "situation": (INVOICE,), "paid": (INVOICE,),
    "abandoned": (INVOICE,), "signed": (PROPOSAL,),
}  # fmt: skip
#: standings that not everything can stand on
CONTENTS = {
    # What is given back is the line itself
    "credit": ("one", "forty", "html", "discounts", "rates", "titles"),
    # A part of the price, at each of its rates; nothing is delivered yet
    "deposit": ("one", "html", "rates"),
    # There is one rate: none
    "zero": ("one", "forty", "html", "discounts", "negative", "titles"),
}

#: how many of the missing pairs are tried as the beginning of a PDF
TRIED = 12


class Case(NamedTuple):
    """A PDF that is made; the fields are the axes."""

    standing: str
    content: str
    template: str
    company: str
    recipient: str
    logo: str

    @property
    def kind(self) -> str:
        """What is printed: ``invoice``, ``proposal`` or ``order``."""
        return TEMPLATES[self.template]

    @property
    def name(self) -> str:
        """Its name, which can be that of a file."""
        return f"{self.template}-{self.standing}-{self.content}-{self.company}-{self.recipient}-{self.logo}"


def can_be(values):
    """Whether there can be a PDF of these values, one of some axes each."""
    standing = values.get("standing", "")
    if values.get("content", "one") not in CONTENTS.get(standing, AXES["content"]):
        return False
    if "template" in values and TEMPLATES[values["template"]] not in KINDS.get(standing, (INVOICE, PROPOSAL, ORDER)):
        return False
    # What stays at home bears its tax
    return standing != "zero" or "company" not in values or values["company"] != values.get("recipient")


@cache
def pairs():
    """Every pair of values of two axes, and whether there can be a PDF of it."""
    return {
        ((first, one), (second, other)): can_be({first: one, second: other})
        for first, second in combinations(AXES, 2)
        for one, other in product(AXES[first], AXES[second])
    }


def pairs_of(values):
    """The pairs that meet on a PDF."""
    return combinations(((axis, values[axis]) for axis in AXES if axis in values), 2)


def covered(cases):
    """The pairs that meet on one of these PDFs."""
    return {pair for case in cases for pair in pairs_of(case._asdict())}


@cache
def cases():
    """The PDFs, the same ones each time: every pair that can be meets on one of them."""
    missing = {pair: None for pair, possible in pairs().items() if possible}
    found = []
    while missing:
        tried = (_case(pair, missing) for pair in islice(missing, TRIED))
        case = max(tried, key=lambda each: _brought(each._asdict(), missing))
        found.append(case)
        for pair in pairs_of(case._asdict()):
            missing.pop(pair, None)
    return tuple(found)


def _case(pair, missing):
    """A PDF with a pair, and with as many of the missing ones as taking the best value axis by axis brings."""
    values = dict(pair)
    for axis in (each for each in AXES if each not in values):
        fitting = [value for value in AXES[axis] if can_be(values | {axis: value})]
        # Of two that bring as much the one that has most left to meet, so that the last PDFs bring much, too
        worth = {
            value: (_brought(values | {axis: value}, missing), sum((axis, value) in each for each in missing))
            for value in fitting
        }
        values[axis] = max(fitting, key=worth.__getitem__)
    return Case(**values)


def _brought(values, missing):
    return sum(pair in missing for pair in pairs_of(values))
