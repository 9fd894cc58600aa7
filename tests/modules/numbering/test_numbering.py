"""Numbering: masks as rules.md 7 has them, and counters that leave no gap and repeat nothing."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from peewee import AutoField, CharField

from core import Model, Refused, transaction
from core.storage.database import close, database, ensure_connected
from core.testing import Served
from modules.numbering.counters import Column, company_context, count_in, next_number, step_back
from modules.numbering.masks import Context, Mask, MaskError, counted_customer, fill, fits, parse, period, read
from modules.numbering.models import Counter
from modules.setup.constants import set_constant, unset_constant

#: the days of the observed series, in their order
OBSERVED_DAYS = [date(2026, 11, 21), date(2026, 11, 21), date(2026, 3, 1), date(2025, 1, 1)]
THIS, OLD = date(2026, 11, 21), date(2025, 1, 1)


class Numbered(Model):
    """Something that has a reference, which nothing else may have."""

    id = AutoField(column_name="rowid")
    ref = CharField(max_length=60, unique=True)

    class Meta:
        table_name = "test_numbered"


@pytest.fixture
def served(server: Served) -> Iterator[Served]:
    ensure_connected()
    Numbered.create_table(safe=True)
    for model in (Numbered, Counter):
        model.delete().execute()
    yield server
    for name in ("SOCIETE_FISCAL_MONTH_START", "MAIN_COUNTER_WITH_LESS_3_DIGITS"):
        unset_constant(name)


def give(mask: str, day: date = THIS, *, grows: bool = False, **more: Any) -> str:
    """Store something under the next reference."""
    with transaction():
        ref = next_number("tests", mask, Context(day, **more), Column(Numbered.ref), grows=grows)
        Numbered.create(ref=ref)
    return ref


def store(*refs: str) -> None:
    for ref in refs:
        Numbered.create(ref=ref)


def remove(mask: str, ref: str, *, grows: bool = False, **more: Any) -> bool:
    with transaction():
        Numbered.delete().where(Numbered.ref == ref).execute()
        return step_back("tests", mask, ref, Context(THIS, **more), grows=grows)


# The observed series ------------------------------------------------------------------------------------------------

CUSTOMER = {"customer_code": "CU2611-00002"}


@pytest.mark.parametrize(
    ("mask", "existing", "days", "expected", "more"),
    [
        (
            "PR{yy}{mm}-{0000}", "PR2611-0005 (PROV6)", OBSERVED_DAYS,
            "PR2611-0006 PR2611-0007 PR2603-0008 PR2501-0009", {"grows": True},
        ),
        ("{yyyy}-{00000}", "", OBSERVED_DAYS, "2026-00001 2026-00002 2026-00003 2025-00004", {}),
        ("P{yy}{mm}-{000@1}", "", OBSERVED_DAYS, "P2611-001 P2611-002 P2603-003 P2501-001", {}),
        ("Q{yy}-{000@1}", "", OBSERVED_DAYS, "Q26-001 Q26-002 Q26-003 Q25-001", {}),
        ("R{yy}{mm}-{000@99}", "", OBSERVED_DAYS, "R2611-001 R2611-002 R2603-001 R2501-001", {}),
        ("B{yy}{mm}-{000@5}", "", OBSERVED_DAYS, "B2611-001 B2611-002 B2603-001 B2501-001", {}),
        ("S{yyyy}-{0000+100}", "", OBSERVED_DAYS, "S2026-0101 S2026-0102 S2026-0103 S2025-0104", {}),
        ("T{yy}{mm}{dd}-{000}", "", OBSERVED_DAYS, "T261121-001 T261121-002 T260301-003 T250101-004", {}),
        ("U{cccc}-{000}", "", OBSERVED_DAYS, "UCU26-001 UCU26-002 UCU26-003 UCU26-004", CUSTOMER),
        ("V{cccc000}", "", OBSERVED_DAYS, "VCU26001 VCU26002 VCU26003 VCU26004", CUSTOMER),
        ("Y{t}-{000}", "", OBSERVED_DAYS, "Y#-001 Y#-002 Y#-003 Y#-004", {}),
        ("CO{yy}{mm}-{0000}", "CO2611-0001 CO2611-0002", [OLD], "CO2501-0003", {"grows": True}),
        (
            "FA{yy}{mm}-{0000}", "FA2611-0001 AV2611-0007", [THIS, OLD, THIS],
            "FA2611-0002 FA2501-0003 FA2611-0004", {"grows": True},
        ),
        ("INV{yy}{mm}-{0000@1}", "", [THIS, THIS, OLD], "INV2611-0001 INV2611-0002 INV2501-0001", {}),
        (
            "CO{yy}{mm}-{0000@1}", "CO2611-0001 CO2611-0002 CO2501-0003", [THIS, THIS, OLD],
            "CO2611-0003 CO2611-0004 CO2501-0004", {},
        ),
    ],
)  # fmt: skip
def test_observed_series(
    served: Served, mask: str, existing: str, days: list[date], expected: str, more: dict[str, Any]
) -> None:
    store(*existing.split())
    assert [give(mask, day, **more) for day in days] == expected.split()


# The mask language --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mask", "error"),
    [
        ("", "ErrorBadMask"),
        ("INV{yy}", "ErrorBadMask"),
        ("{000}-{0000}", "ErrorBadMask"),
        ("{0000@}", "ErrorBadMask"),
        ("{0000+1+2}", "ErrorBadMask"),
        ("{yy}{0000@1@1}", "ErrorBadMask"),
        ("{yy}/{0000}", "ErrorBadMask"),
        ("..\\{0000}", "ErrorBadMask"),
        ("A\n{0000}", "ErrorBadMask"),
        ("A" * 200 + "{0000}", "ErrorBadMask"),
        ("{" + "0" * 19 + "}", "ErrorBadMask"),
        ("{000+" + "9" * 19 + "}", "ErrorBadMask"),
        ("INV{yy}-{00}", "ErrorCounterMustHaveMoreThan3Digits"),
        ("INV{cccc0}", "ErrorCounterMustHaveMoreThan3Digits"),
        ("INV-{0000@1}", "ErrorCantUseRazIfNoYearInMask"),
        ("INV-{mm}{0000@0}", "ErrorCantUseRazIfNoYearInMask"),
        ("INV-{0000@-}", "ErrorCantUseRazIfNoYearInMask"),
        ("INV{yy}-{0000@5}", "ErrorCantUseRazInStartedYearIfNoYearMonthInMask"),
        ("INV{yy}-{mm}-{0000@99}", "ErrorCantUseRazInStartedYearIfNoYearMonthInMask"),
        ("INV{y}{mm}-{0000@5}", "ErrorCantUseRazWithYearOnOneDigit"),
        ("INV{yy}{mm}-{0000@13}", "ErrorBadMaskBadRazMonth"),
        ("INV{yy}{mm}-{0000@" + "9" * 5000 + "}", "ErrorBadMask"),
    ],
)
def test_an_unusable_mask_is_named(mask: str, error: str) -> None:
    with pytest.raises(MaskError) as caught:
        parse(mask)
    assert caught.value.name == error
    assert str(caught.value).startswith(f"{error}: expected ")


def test_short_counters_where_the_company_allows_them() -> None:
    assert fill(parse("{0}", short_counters=True), Context(THIS), 7) == "7"


@pytest.mark.parametrize(
    ("mask", "more", "expected"),
    [
        ("{yyyy}{yy}{y}{mm}{dd}{000}", {}, "20262661121012"),
        ("{cccccc}-{000}", {"customer_code": "AB"}, "AB####-012"),
        ("{ttt}{000}", {"type_code": "TE_SMALL"}, "SMA012"),
        ("{tttttttt}{000}", {"type_code": "TE_SMALL"}, "SMALL###012"),
        ("{uuu}{000}", {}, "XXX012"),
        ("{uuu}{000}", {"author_lastname": "Moreau"}, "Mor012"),
        ("{ABC-3}{000}", {}, "___012"),
        ("{user_extra_desk}-{000}", {"author_fields": {"desk": "N4"}}, "N4-012"),
        ("{foo}{}{yyy}{{000}", {}, "{foo}{}{yyy}{012"),
        ("{cccc}-{000}", {"customer_code": "../x"}, ".._x-012"),
        ("{000}{mm}", {}, "01211"),
        ("{000@1+4}{yy}", {}, "01226"),
    ],
)
def test_what_is_printed(mask: str, more: dict[str, Any], expected: str) -> None:
    parsed = parse(mask)
    assert fill(parsed, Context(THIS, **more), 12) == expected
    said = read(parsed, expected)
    assert said is not None
    assert said.number == 12


@pytest.mark.parametrize(
    ("mask", "day", "printed", "key"),
    [
        ("{yy}{mm}-{000@0}", date(2026, 3, 31), "2603-001", "25-04"),
        ("{yy}{mm}-{000@=}", date(2026, 3, 31), "2603-001", "25-04"),
        ("{yy}{mm}-{000@-}", date(2026, 3, 31), "2503-001", "25-04"),
        ("{yy}{mm}-{000@+}", date(2026, 3, 31), "2603-001", "25-04"),
        ("{yy}{mm}-{000@=}", date(2026, 4, 1), "2604-001", "26-04"),
        ("{yy}{mm}-{000@-}", date(2026, 4, 1), "2604-001", "26-04"),
        ("{yy}{mm}-{000@+}", date(2026, 4, 1), "2704-001", "26-04"),
        ("{yyyy}{mm}-{000@99}", date(2026, 4, 1), "202604-001", "2026-04"),
        ("{yyyy}-{000@1}", date(2026, 4, 1), "2026-001", "2026-01"),
        ("{yyyy}-{000}", date(2026, 4, 1), "2026-001", ""),
    ],
)
def test_fiscal_years(mask: str, day: date, printed: str, key: str) -> None:
    parsed = parse(mask, 4)
    assert fill(parsed, Context(day), 1) == printed
    assert period(parsed, day) == key
    said = read(parsed, printed)
    assert said is not None
    assert said.period == key


def test_a_full_counter_is_refused_or_grows() -> None:
    with pytest.raises(MaskError, match=r"^ErrorMaxNumberReachForThisMask: expected"):
        fill(parse("A{000}"), Context(THIS), 1000)
    growing = parse("A{000}", grows=True)
    assert fill(growing, Context(THIS), 1000) == "A1000"
    said = read(growing, "A1000")
    assert said is not None
    assert said.number == 1000
    assert read(parse("A{000}"), "A1000") is None


def test_what_is_not_of_a_mask() -> None:
    mask = parse("PR{yy}{mm}-{0000}")
    for other in (
        "(PROV8)",
        "PR2611-001",
        "PR2611-0001b",
        "CO2611-0001",
        "PR2611-\u0660\u0660\u0660\u0661",
        "PR2611-0001\n",
        "",
    ):
        assert read(mask, other) is None
    assert read(parse("({uuuu}{000})"), "(PROV012)") is None


def test_the_length_of_a_code() -> None:
    assert fits(parse("CU{yy}-{000}"), "ANYTHING")
    assert not fits(parse("CU{yy}-{000}"), "ANYTHING1")
    assert fits(parse("CU{yy}-{000}", grows=True), "ANYTHING1")


# Counters -----------------------------------------------------------------------------------------------------------


def test_a_transaction_is_needed(served: Served) -> None:
    with pytest.raises(RuntimeError, match="transaction"):
        next_number("tests", "A{000}", Context(THIS), list)
    with pytest.raises(RuntimeError, match="transaction"):
        step_back("tests", "A{000}", "A001", Context(THIS))
    with pytest.raises(RuntimeError, match="transaction"):
        count_in("tests", "A{000}", "A001", Context(THIS))


def test_a_refusal_names_the_error_and_takes_nothing(served: Served) -> None:
    with pytest.raises(Refused, match="ErrorBadMask: expected"), transaction():
        next_number("tests", "A", Context(THIS), list)
    store("A999")
    for _ in range(2):
        with pytest.raises(Refused, match="ErrorMaxNumberReachForThisMask"):
            give("A{000}")
    assert Counter.select().count() == 0
    with pytest.raises(ValueError, match="series name"), transaction():
        next_number("a/b", "A{000}", Context(THIS), list)


def test_a_fixed_format_grows_in_the_database(served: Served) -> None:
    store("CO2611-9999")
    assert [give("CO{yy}{mm}-{0000}", grows=True) for _ in range(2)] == ["CO2611-10000", "CO2611-10001"]
    Counter.delete().execute()
    assert give("CO{yy}{mm}-{0000}", grows=True) == "CO2611-10002"


def test_what_is_rolled_back_gives_its_number_back(served: Served) -> None:
    assert give("A{000}") == "A001"
    with pytest.raises(ZeroDivisionError), transaction():
        assert next_number("tests", "A{000}", Context(THIS), Column(Numbered.ref)) == "A002"
        raise ZeroDivisionError
    assert give("A{000}") == "A002"


def test_deleting_the_last_one_frees_its_number(served: Served) -> None:
    mask = "A{yy}{mm}-{000@1}"
    assert [give(mask) for _ in range(3)] == ["A2611-001", "A2611-002", "A2611-003"]
    assert give(mask, OLD) == "A2501-001"
    assert not remove(mask, "A2611-002")
    assert remove(mask, "A2611-003")
    assert give(mask) == "A2611-002"
    assert remove(mask, "A2501-001")
    assert give(mask, OLD) == "A2501-001"
    assert not remove(mask, "(PROV3)")
    assert not remove("no counter", "A2611-002")


def test_the_offset_holds_after_the_last_one_is_deleted(served: Served) -> None:
    assert give("A{000+9}") == "A010"
    assert remove("A{000+9}", "A010")
    assert give("A{000+9}") == "A010"


def test_each_customer_has_a_counter(served: Served) -> None:
    def of(customer: str, mask: str = "V{cccc000}") -> str:
        return give(mask, customer_code=customer)

    assert [of("ACME-1"), of("ACME-2"), of("BOLT"), of("A")] == ["VACME001", "VACME002", "VBOLT001", "VA###001"]
    assert remove("V{cccc000}", "VACME002")
    assert of("ACME-3") == "VACME002"
    both = "{cc000}-{yy}{mm}-{0000@99}"
    assert [of("AA", both), of("BB", both), of("AA", both)] == ["AA001-2611-0001", "BB001-2611-0002", "AA002-2611-0003"]
    assert give(both, OLD, customer_code="AA") == "AA001-2501-0001"
    assert remove(both, "AA002-2611-0003")
    assert of("BB", both) == "BB002-2611-0003"


def test_masks_that_are_changed_to_and_fro_repeat_nothing(served: Served) -> None:
    fixed, yearly = "CO{yy}{mm}-{0000}", "CO{yy}{mm}-{0000@1}"
    assert give(fixed, grows=True) == "CO2611-0001"
    assert [give(yearly) for _ in range(3)] == ["CO2611-0002", "CO2611-0003", "CO2611-0004"]
    assert [give(fixed, grows=True) for _ in range(2)] == ["CO2611-0005", "CO2611-0006"]
    assert [give(yearly), give(yearly)] == ["CO2611-0007", "CO2611-0008"]


def test_any_callable_will_do_for_the_existing_references(served: Served) -> None:
    refs = ["A007"]
    for _ in range(2):
        with transaction():
            refs.append(next_number("tests", "A{000}", Context(THIS), lambda: iter(refs)))
    refs.append("A010")
    with transaction():
        assert next_number("tests", "A{000}", Context(THIS), lambda: iter(refs)) == "A011"


def test_a_chosen_reference_counts(served: Served) -> None:
    assert give("A{000}") == "A001"
    with transaction():
        for chosen in ("A040", "A020", "other"):
            store(chosen)
            count_in("tests", "A{000}", chosen, Context(THIS))
    assert give("A{000}") == "A041"


def test_the_companys_constants(served: Served) -> None:
    assert company_context(THIS) == Context(THIS)
    set_constant("SOCIETE_FISCAL_MONTH_START", "7")
    set_constant("MAIN_COUNTER_WITH_LESS_3_DIGITS", "1")
    assert company_context(THIS, type_code="X") == Context(THIS, type_code="X", fiscal_month=7, short_counters=True)
    set_constant("SOCIETE_FISCAL_MONTH_START", "13")
    assert company_context(THIS).fiscal_month == 1


@pytest.mark.parametrize("first", ["", "PR2611-0005"])
def test_no_gap_and_no_repeat_among_threads(served: Served, first: str) -> None:
    """Several series at once, each of them new, with transactions that fail in between."""
    store(*first.split())
    masks = {"PR{yy}{mm}-{0000}": 5 if first else 0, "Q{yy}-{0000@1}": 0, "R{yy}{mm}-{0000@99}": 0, "V{cc0000}": 0}
    start = threading.Barrier(4)
    given_out: dict[str, list[str]] = {mask: [] for mask in masks}
    errors: list[BaseException] = []

    def work(seed: int) -> None:
        chance = random.Random(seed)
        order = list(masks) * 25
        chance.shuffle(order)
        start.wait()
        try:
            for mask in order:
                while True:
                    try:
                        with transaction():
                            ref = next_number("tests", mask, Context(THIS), Column(Numbered.ref))
                            Numbered.create(ref=ref)
                            if chance.random() < 0.2:
                                raise ZeroDivisionError
                    except ZeroDivisionError:
                        continue
                    break
                given_out[mask].append(ref)
        except Exception as error:
            errors.append(error)
        finally:
            close()

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    for mask, behind in masks.items():
        context = Context(THIS)
        assert sorted(given_out[mask]) == [
            fill(parse(mask), context, number, number) for number in range(behind + 1, behind + 101)
        ]


def test_no_repeat_while_others_delete(served: Served) -> None:
    start = threading.Barrier(4)
    errors: list[BaseException] = []

    def work(seed: int) -> None:
        chance = random.Random(seed)
        start.wait()
        try:
            for _ in range(25):
                ref = give("D{0000}")
                if chance.random() < 0.5:
                    remove("D{0000}", ref)
        except Exception as error:
            errors.append(error)
        finally:
            close()

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


# Properties ---------------------------------------------------------------------------------------------------------

LITERALS = st.text(st.sampled_from("ABab-_. (#1"), max_size=4)
EXTRAS = st.sampled_from(["{dd}", "{cc}", "{ccccc}", "{t}", "{ttt}", "{uu}", "{ABC-2}", "{mm}", "{yy}", ""])
COUNTERS = st.sampled_from(["{000", "{0000", "{00000"])
OPTIONS = st.sampled_from(["", "+1", "+7", "@1", "@5", "@99", "@0", "@=", "@-", "@+", "@12+3", "+3@99"])
DATES = st.sampled_from(["{yy}{mm}", "{mm}{yy}", "{yyyy}{mm}", "{yy}{mm}{yyyy}"])


@st.composite
def masks(draw: st.DrawFn) -> str:
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
    mask = parse(text, fiscal_month, grows=grows)
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
