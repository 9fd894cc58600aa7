"""The language of masks, and the series of numbers that were observed."""

from datetime import date

import pytest

from modules.numbering.masks import Context, MaskError, fill, fits, parse, period, read
from tests.modules.numbering.numbered import OLD, THIS, give, store

#: the days of the observed series, in their order
OBSERVED_DAYS = [date(2026, 11, 21), date(2026, 11, 21), date(2026, 3, 1), date(2025, 1, 1)]

# The observed series --------------------------------------------------------------------------------------------------
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
def test_observed_series(served, mask, existing, days, expected, more):
    store(*existing.split())
    assert [give(mask, day, **more) for day in days] == expected.split()


# The mask language ----------------------------------------------------------------------------------------------------


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
        ("{user_extra_desk}{000}{user_extra_team}", "ErrorBadMask"),
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
def test_an_unusable_mask_is_named(mask, error):
    with pytest.raises(MaskError) as caught:
        parse(mask)
    assert caught.value.name == error
    assert str(caught.value).startswith(f"{error}: expected ")


def test_short_counters_where_the_company_allows_them():
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
def test_what_is_printed(mask, more, expected):
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
def test_fiscal_years(mask, day, printed, key):
    parsed = parse(mask, 4)
    assert fill(parsed, Context(day), 1) == printed
    assert period(parsed, day) == key
    said = read(parsed, printed)
    assert said is not None
    assert said.period == key


@pytest.mark.parametrize("mask", ["{ccc000}{0000}", "{0000}{user_extra_desk}"])
def test_where_a_number_ends_can_be_told(mask):
    assert parse(mask).text == mask
    with pytest.raises(MaskError, match="ErrorBadMask: expected at most one part of variable length"):
        parse(mask, grows=True)


def test_a_full_counter_is_refused_or_grows():
    with pytest.raises(MaskError, match=r"^ErrorMaxNumberReachForThisMask: the mask"):
        fill(parse("A{000}"), Context(THIS), 1000)
    growing = parse("A{000}", grows=True)
    assert fill(growing, Context(THIS), 1000) == "A1000"
    said = read(growing, "A1000")
    assert said is not None
    assert said.number == 1000
    assert read(parse("A{000}"), "A1000") is None


def test_what_is_not_of_a_mask():
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


def test_the_length_of_a_code():
    assert fits(parse("CU{yy}-{000}"), "ANYTHING")
    assert not fits(parse("CU{yy}-{000}"), "ANYTHING1")
    assert fits(parse("CU{yy}-{000}", grows=True), "ANYTHING1")
