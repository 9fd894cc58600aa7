"""Series: which mask is active, and what becomes of the references."""

import pytest

from core import Refused, transaction
from modules.numbering.models import Counter
from modules.numbering.series import ActiveMask, Series
from modules.setup.constants import set_constant, unset_constant
from tests.modules.numbering.numbered import OLD, THIS, Numbered, store

ADDON, MASK, OTHER = "TESTS_ADDON", "TESTS_MASK", "TESTS_MASK_OTHER"
OPEN = Series("tests", "T{yy}-{0000}", addon=ADDON, masks={"masked": (OTHER, MASK)}, formats={"flat": "F{0000}"})
CLOSED = Series("tests", "T{0000}", addon=ADDON, masks={"masked": (MASK,)}, formats={"free": ""}, default="fixed")
SETTING = Series("tests", "T{0000}", setting=MASK)


@pytest.fixture(autouse=True)
def _constants(served):
    yield
    for name in (ADDON, MASK, OTHER):
        unset_constant(name)


def take(series, day=THIS, customer_code=None):
    with transaction():
        ref = series.take(Numbered.ref, day, customer_code)
        Numbered.create(ref=ref)
    return ref


def remove(series, ref):
    with transaction():
        Numbered.delete().where(Numbered.ref == ref).execute()
        return series.give_back(ref)


def is_last(series, ref):
    with transaction():
        return series.is_last(ref, Numbered.ref, THIS)


def test_the_constants_select_a_mask():
    assert OPEN.mask() == ActiveMask("T{yy}-{0000}") and OPEN.mask().grows
    for scheme, text in (("flat", "F{0000}"), ("unknown", "T{yy}-{0000}")):
        set_constant(ADDON, scheme)
        assert OPEN.mask() == ActiveMask(text)
    set_constant(ADDON, "masked")
    with pytest.raises(Refused, match=f"the constant {OTHER} has no numbering mask"):
        OPEN.mask()
    set_constant(MASK, " A{000} ")
    assert OPEN.mask() == ActiveMask("A{000}", MASK) and not OPEN.mask().grows
    set_constant(OTHER, "B{000}")
    assert OPEN.mask() == ActiveMask("B{000}", OTHER)


def test_a_setting_replaces_the_fixed_format():
    assert SETTING.mask() == ActiveMask("T{0000}")
    set_constant(MASK, "A{000}")
    assert SETTING.mask() == ActiveMask("A{000}", MASK)


def test_with_a_default_only_known_schemes_can_be_selected():
    known = "expected one of fixed, masked, free; got"
    for scheme in ("", "fixed"):
        set_constant(ADDON, scheme)
        assert (CLOSED.scheme(), CLOSED.mask()) == ("fixed", ActiveMask("T{0000}"))
    set_constant(ADDON, "zebra")
    with pytest.raises(Refused, match=f'the constant {ADDON}: {known} "zebra"'):
        CLOSED.mask()


def test_an_invalid_format_is_found_when_the_series_is_made():
    for more in ({"fixed": "T"}, {"fixed": "T{0000}", "formats": {"flat": "F"}}):
        with pytest.raises(ValueError, match="ErrorBadMask: expected"):
            Series("tests", **more)


def test_references_are_counted_by_period_and_customer():
    set_constant(MASK, "{yy}{mm}-{000@1}")
    assert [take(SETTING), take(SETTING), take(SETTING, OLD)] == ["2611-001", "2611-002", "2501-001"]
    set_constant(MASK, "{cc000}-{uu}")
    assert [take(SETTING, customer_code=code) for code in ("AB", "AC", "AB", None)] == [
        "AB001-XX", "AC001-XX", "AB002-XX", "##001-XX",
    ]  # fmt: skip


def test_capitals():
    assert [take(Series("tests", "t{0000}", capitals=True)) for _ in range(2)] == ["T0001", "T0002"]


def test_a_chosen_reference_counts_and_a_deleted_last_one_is_free():
    assert take(SETTING) == "T0001"
    with transaction():
        store("T0007", "other")
        SETTING.advance_past("T0007")
        SETTING.advance_past("other")
    assert take(SETTING) == "T0008"
    assert not remove(SETTING, "T0007")
    assert remove(SETTING, "T0008")
    assert take(SETTING) == "T0002"
    assert not remove(SETTING, None) and not remove(SETTING, "(PROV3)")


@pytest.mark.parametrize(("addon", "mask"), [("free", ""), ("masked", ""), ("zebra", ""), ("masked", "no counter")])
def test_without_a_usable_mask_a_chosen_reference_is_only_stored(addon, mask):
    set_constant(ADDON, addon)
    set_constant(MASK, mask)
    with transaction():
        CLOSED.advance_past("T0001")
    assert not remove(CLOSED, "T0001")
    assert Counter.select().count() == 0


def test_free_text_has_no_next_reference():
    set_constant(ADDON, "free")
    assert CLOSED.take(Numbered.ref, THIS) == ""
    assert not CLOSED.is_last("", Numbered.ref, THIS)


def test_the_last_of_a_series():
    refs = [take(SETTING) for _ in range(3)]
    # Whether or not the counter's row exists, and as often as one asks
    for _ in range(2):
        assert [is_last(SETTING, ref) for ref in (*refs, "T0004", "other")] == [False, False, True, False, False]
        Counter.delete().execute()
    assert take(SETTING) == "T0004"
    set_constant(MASK, "A{cc000}")
    assert not is_last(SETTING, "T0004")
    refs = [take(SETTING, customer_code="AB"), take(SETTING, customer_code="AC")]
    with transaction():
        found = [SETTING.is_last(ref, Numbered.ref, THIS, "AB") for ref in refs]
    assert found == [True, False]


def test_the_length_of_a_chosen_reference():
    set_constant(MASK, "A{000}")
    assert SETTING.fits("ANYT") and not SETTING.fits("ANYTH")
    set_constant(MASK, "A")
    with pytest.raises(Refused, match=f"{MASK}: ErrorBadMask"):
        SETTING.fits("A")


def test_a_mask_that_has_no_reference_for_the_column_takes_nothing():
    for mask, reason in (
        ("A", "ErrorBadMask: expected"),
        ("A{yy}-{000+999}", "ErrorMaxNumberReachForThisMask"),
        ("A" * 60 + "{000}", f"longer than 60 characters; shorten it in the constant {MASK}"),
    ):
        set_constant(MASK, mask)
        with pytest.raises(Refused, match=reason):
            take(SETTING)
    assert Counter.select().count() == 0
