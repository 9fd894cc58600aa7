"""What holds for any mask and any series of numbers."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core import transaction
from core.storage.database import database
from core.testing import Served
from modules.numbering.counters import next_number
from modules.numbering.masks import Context, Mask, counted_customer, fill, fits, parse, period, read
from modules.numbering.models import Counter
from tests.modules.numbering.numbered import masks

CONTEXTS = st.builds(
    Context,
    st.dates(date(1999, 1, 1), date(2130, 12, 31)) | st.dates(date(2025, 1, 1), date(2026, 12, 31)),
    customer_code=st.text(max_size=6) | st.text("Aa1", max_size=4),
    type_code=st.sampled_from(["", "TE_SMALL", "TE_7"]),
    author_lastname=st.none() | st.text(max_size=3),
)


@given(masks(), st.integers(1, 12), st.lists(CONTEXTS, max_size=30), st.booleans())
@settings(max_examples=300, deadline=None)
def test_any_mask_gives_increasing_numbers_and_never_the_same_reference(
    text: str, fiscal_month: int, contexts: list[Context], grows: bool
) -> None:
    # Of two counters none may grow
    mask = parse(text, fiscal_month, grows=grows and "{c0000}" not in text)
    counters: dict[tuple[str, str], int] = {}
    seen: set[str] = set()
    for context in contexts:
        when, customer = period(mask, context.date), counted_customer(mask, context.customer_code)
        for key in ((when, ""), (when, "=" + customer)):
            counters[key] = counters.get(key, mask.offset if not key[1] else 0) + 1
        number, customer_number = counters[when, ""], counters[when, "=" + customer]
        ref = fill(mask, context, number, customer_number)
        assert ref not in seen
        assert "/" not in ref
        assert ref.isprintable()
        seen.add(ref)
        if not ref.upper().startswith("(PROV"):
            check_round_trip(mask, ref, number, customer_number, when, customer)


def check_round_trip(mask: Mask, ref: str, number: int, customer_number: int, when: str, customer: str) -> None:
    said = read(mask, ref)
    assert said is not None
    assert said.period == when
    assert fits(mask, ref)
    if mask.has("counter"):
        assert said.number == number
    if mask.has("customer_counter"):
        assert (said.customer, said.customer_number) == (customer, customer_number)


@given(masks(), st.lists(CONTEXTS, min_size=1, max_size=6), st.data())
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_counters_follow_any_mask(served: Served, text: str, contexts: list[Context], data: st.DataObject) -> None:
    """The database counts as the references themselves do, also when the counter's row is gone."""
    if served.settings.database.startswith("mysql"):
        # There A is a, and two customers whose codes differ in case share a counter
        contexts = [replace(context, customer_code=context.customer_code.encode().hex()) for context in contexts]
    mask = parse(text)
    refs: list[str] = []
    try:
        with transaction():
            for context in contexts:
                if data.draw(st.booleans()):
                    Counter.delete().execute()
                refs.append(next_number("tests", text, context, lambda: refs))
            assert len(set(refs)) == len(refs)
            series: dict[tuple[str, str], list[int]] = {}
            for ref in refs:
                said = read(mask, ref)
                if said is not None:
                    key = said.period, "" if mask.has("counter") else said.customer
                    series.setdefault(key, []).append(said.number or said.customer_number or 0)
            for numbers in series.values():
                assert numbers == list(range(mask.offset + 1, mask.offset + 1 + len(numbers)))
            raise ZeroDivisionError
    except ZeroDivisionError:
        pass
    assert not database.in_transaction()
