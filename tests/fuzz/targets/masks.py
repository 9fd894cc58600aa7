"""Masks of references: refused with a reason, or they number without gap and repeat, and what they print can be read."""

from datetime import date, timedelta
from random import Random

from core import transaction
from core.common.errors import Refused
from core.storage.database import ensure_connected
from core.testing import Served, make_settings
from modules.numbering.counters import next_number
from modules.numbering.masks import Context, MaskError, counted_customer, fill, fits, parse, period, read
from tests.fuzz.findings import insist

_BEGIN = date(2024, 12, 25)
_CUSTOMERS = ("", "CU0001", "cu0002", "é", "ı", "٣٤٥", "(")


class _Undone(Exception):
    """Nothing of it is kept."""


class Target:
    """Fiscal month, options and the seed of what is numbered; the mask."""

    seeds = [
        b"\x01\x00\x01PR{yy}{mm}-{0000}",
        b"\x07\x01\x02FA{yyyy}{mm}-{cccc000@=}{t}",
        b"\x04\x02\x03CO{mm}{yy}{dd}-{00000+100@99}-{uuu}",
        b"\x01\x00\x04{ccc000}{ABC-2}{user_extra_team}",
        b"\x09\x01\x05{yy}{mm}-{000+7@+}",
        b"\x09\x03\x06{mm}{yyyy}{00@-}/{0}",
    ]
    words = [
        *(b"{000}", b"{0000@1}", b"@99", b"@=", b"@+", b"@-", b"@0", b"+1", b"{yy}{mm}", b"{mm}{yyyy}", b"{yyyy}", b"{y}"),
        *(b"{dd}", b"{cccc000}", b"{ccc}", b"{t}", b"{u}", b"{user_extra_a}", b"{ABC-2}", b"{", b"}", b"(PROV", b"_", b"%"),
        *("ß".encode(), "ı".encode(), "é".encode(), "٣".encode(), b"\\", b"/", b"0", b"9" * 18),
    ]  # fmt: skip

    def __init__(self, folder):
        self._served = Served(make_settings(folder))
        self._number = 0

    def __call__(self, data):
        month, options, seed = (data[:3] + b"\0\0\0")[:3]
        text = data[3:].decode("utf-8", "replace")
        fiscal_month, short, grows, capitals = month % 12 + 1, options & 1, options & 2, options & 4
        try:
            mask = parse(text, fiscal_month, short_counters=bool(short), grows=bool(grows))
        except MaskError as error:
            insist(str(error).startswith("Error"), "a mask is refused with the name of the error", error)
            return
        contexts = list(_contexts(Random(seed), fiscal_month, bool(short)))
        _count(mask, contexts)
        self._number += 1
        if self._number % 8 == 0:
            self._store(text, contexts, grows=bool(grows), capitals=bool(capitals))

    def _store(self, text, contexts, *, grows, capitals):
        """The same with the counters of the database, which agree with what is pure."""
        ensure_connected()
        references = []
        with_prefix = False
        try:
            with transaction():
                for context in contexts:
                    taken = next_number("fuzz", text, context, lambda: references, grows=grows, capitals=capitals)
                    with_prefix = with_prefix or taken.upper().startswith("(PROV")
                    insist(with_prefix or taken not in references, "no reference is given twice by the counters", taken)
                    references.append(taken)
                raise _Undone
        except (_Undone, Refused):
            pass

    def close(self):
        """Nothing stays open."""
        self._served.close()


def _contexts(random, fiscal_month, short):
    day, contexts = _BEGIN, []
    for _ in range(12):
        day += timedelta(days=random.choice((0, 0, 1, 20, 40, 200, 400)))
        customer, kind = random.choice(_CUSTOMERS), random.choice(("", "TE_SMALL"))
        fields = {"a": random.choice(("", "1", "00-12")), "team": random.choice(("7", "x", "0002"))}
        contexts.append(
            Context(day, customer, kind, random.choice((None, "Ada")), fields, fiscal_month, short_counters=short)
        )
    return contexts


def _count(mask, contexts):
    counters = {}
    seen = set()
    for context in contexts:
        when, customer = period(mask, context.date), counted_customer(mask, context.customer_code)
        for key in ((when, ""), (when, "=" + customer)):
            counters[key] = counters.get(key, 0 if key[1] else mask.offset) + 1
        number, customer_number = counters[when, ""], counters[when, "=" + customer]
        try:
            reference = fill(mask, context, number, customer_number)
        except MaskError:
            return
        insist(reference not in seen, "no reference is given twice", reference)
        insist("/" not in reference and reference.isprintable(), "a reference is a name of a folder", reference)
        seen.add(reference)
        if not reference.upper().startswith("(PROV"):
            _read_back(mask, reference, number, customer_number, when, customer)


def _read_back(mask, reference, number, customer_number, when, customer):
    said = read(mask, reference)
    insist(said is not None, "a reference can be read again", reference)
    assert said is not None
    insist(said.period == when, "a reference tells its period", reference)
    insist(not mask.has("counter") or said.number == number, "a reference tells its number", reference)
    if mask.has("customer_counter"):
        insist(said.customer_number == customer_number, "a reference tells its customer's number", reference)
        insist(said.customer == customer, "a reference tells its customer", reference)
    insist(fits(mask, reference), "a reference is as long as its mask says", reference)
