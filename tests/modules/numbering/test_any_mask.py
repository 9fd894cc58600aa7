"""What holds for any mask and any series of numbers."""

from dataclasses import replace
from datetime import date

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core import transaction
from core.storage.database import database
from modules.numbering.counters import next_number
from modules.numbering.masks import Context, counted_customer, fill, fits, parse, period, read
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
def test_any_mask_gives_increasing_numbers_and_never_the_same_reference(text, fiscal_month, contexts, grows):
    # Of two counters none may grow
    mask = parse(text, fiscal_month, grows=grows and "{c0000}" not in text)
    counters = {}
    seen = set()
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


def check_round_trip(mask, ref, number, customer_number, when, customer):
    said = read(mask, ref)
    assert said is not None
    assert said.period == when
    assert fits(mask, ref)
    if mask.has("counter"):
        assert said.number == number
    if mask.has("customer_counter"):
        assert (said.customer, said.customer_number) == (customer, customer_number)


@given(masks(), st.lists(CONTEXTS, min_size=1, max_size=6), st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_counters_follow_any_mask(served, text, contexts, data):
    """The database counts as the references themselves do, also when the counter's row is gone."""
    if served.settings.database.startswith("mysql"):
        # There A is a, and two customers whose codes differ in case share a counter
        contexts = [replace(context, customer_code=context.customer_code.encode().hex()) for context in contexts]
    mask = parse(text)
    refs = []
    try:
        with transaction():
            for context in contexts:
                if data.draw(st.booleans()):
                    Counter.delete().execute()
                refs.append(next_number("tests", mask, context, lambda: refs))
            assert len(set(refs)) == len(refs)
            series = {}
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
