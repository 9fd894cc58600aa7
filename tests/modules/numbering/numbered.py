"""A table whose rows are numbered, and what the tests do to it."""

from datetime import date

from hypothesis import strategies as st
from peewee import AutoField, CharField

from core import Model, transaction
from modules.numbering.counters import Column, next_number
from modules.numbering.masks import Context, parse

THIS, OLD = date(2026, 11, 21), date(2025, 1, 1)


class Numbered(Model):
    """Something that has a reference, which nothing else may have."""

    id = AutoField(column_name="rowid")
    ref = CharField(max_length=60, unique=True)

    class Meta:
        table_name = "test_numbered"


def give(mask, day=THIS, *, grows=False, **more):
    """Store something under the next reference."""
    with transaction():
        ref = next_number("tests", parse(mask, grows=grows), Context(day, **more), Column(Numbered.ref))
        Numbered.create(ref=ref)
    return ref


def store(*refs):
    for ref in refs:
        Numbered.create(ref=ref)


LITERALS = st.text(st.sampled_from("ABab-_. (#1"), max_size=4)
EXTRAS = st.sampled_from(["{dd}", "{cc}", "{ccccc}", "{t}", "{ttt}", "{uu}", "{ABC-2}", "{mm}", "{yy}", ""])
COUNTERS = st.sampled_from(["{000", "{0000", "{00000"])
OPTIONS = st.sampled_from(["", "+1", "+7", "@1", "@5", "@99", "@0", "@=", "@-", "@+", "@12+3", "+3@99"])
DATES = st.sampled_from(["{yy}{mm}", "{mm}{yy}", "{yyyy}{mm}", "{yy}{mm}{yyyy}"])


@st.composite
def masks(draw):
    """Any mask that can be read; one in four counts per customer too, or only."""
    counter = draw(COUNTERS) + draw(OPTIONS) + "}"
    pieces = [draw(DATES), draw(EXTRAS), draw(LITERALS), draw(LITERALS)]
    per_customer = draw(st.integers(0, 7))
    if per_customer == 0:
        counter = "{ccc000}"
    elif per_customer == 1:
        pieces.append("{c0000}")
    pieces.append(counter)
    return "".join(draw(st.permutations(pieces)))
