"""Counters that leave no gap and repeat nothing."""

import random
import threading

import pytest
from peewee import OperationalError

from core import transaction
from core.storage.database import close, is_temporary
from modules.numbering.counters import Column, advance, next_number, step_back
from modules.numbering.mask_constants import company_mask
from modules.numbering.masks import Context, MaskError, fill, parse
from modules.numbering.models import Counter
from modules.setup.constants import set_constant
from tests.modules.numbering.numbered import OLD, THIS, Numbered, give, store

pytestmark = pytest.mark.every_database


def remove(mask, ref):
    with transaction():
        Numbered.delete().where(Numbered.ref == ref).execute()
        return step_back("tests", parse(mask), ref)


def test_a_transaction_is_needed(served):
    mask = parse("A{000}")
    with pytest.raises(RuntimeError, match="transaction"):
        next_number("tests", mask, Context(THIS), list)
    with pytest.raises(RuntimeError, match="transaction"):
        step_back("tests", mask, "A001")
    with pytest.raises(RuntimeError, match="transaction"):
        advance("tests", mask, "A001")


def test_a_refusal_names_the_error_and_takes_nothing(served):
    store("A999")
    for _ in range(2):
        with pytest.raises(MaskError, match="ErrorMaxNumberReachForThisMask"):
            give("A{000}")
    assert Counter.select().count() == 0
    with pytest.raises(ValueError, match="series name"), transaction():
        next_number("a/b", parse("A{000}"), Context(THIS), list)


def test_a_fixed_format_grows_in_the_database(served):
    store("CO2611-9999")
    assert [give("CO{yy}{mm}-{0000}", grows=True) for _ in range(2)] == ["CO2611-10000", "CO2611-10001"]
    Counter.delete().execute()
    assert give("CO{yy}{mm}-{0000}", grows=True) == "CO2611-10002"


def test_what_is_rolled_back_gives_its_number_back(served):
    assert give("A{000}") == "A001"
    with pytest.raises(ZeroDivisionError), transaction():
        assert next_number("tests", parse("A{000}"), Context(THIS), Column(Numbered.ref)) == "A002"
        raise ZeroDivisionError
    assert give("A{000}") == "A002"


def test_deleting_the_last_one_frees_its_number(served):
    mask = "A{yy}{mm}-{000@1}"
    assert [give(mask) for _ in range(3)] == ["A2611-001", "A2611-002", "A2611-003"]
    assert give(mask, OLD) == "A2501-001"
    assert not remove(mask, "A2611-002")
    assert remove(mask, "A2611-003")
    assert give(mask) == "A2611-002"
    assert remove(mask, "A2501-001")
    assert give(mask, OLD) == "A2501-001"
    assert not remove(mask, "(PROV3)")


def test_the_offset_holds_after_the_last_one_is_deleted(served):
    assert give("A{000+9}") == "A010"
    assert remove("A{000+9}", "A010")
    assert give("A{000+9}") == "A010"


def test_each_customer_has_a_counter(served):
    def of(customer, mask="V{cccc000}"):
        return give(mask, customer_code=customer)

    assert [of("ACME-1"), of("ACME-2"), of("BOLT"), of("A")] == ["VACME001", "VACME002", "VBOLT001", "VA###001"]
    assert remove("V{cccc000}", "VACME002")
    assert of("ACME-3") == "VACME002"
    both = "{cc000}-{yy}{mm}-{0000@99}"
    assert [of("AA", both), of("BB", both), of("AA", both)] == ["AA001-2611-0001", "BB001-2611-0002", "AA002-2611-0003"]
    assert give(both, OLD, customer_code="AA") == "AA001-2501-0001"
    assert remove(both, "AA002-2611-0003")
    assert of("BB", both) == "BB002-2611-0003"


def test_masks_that_are_changed_to_and_fro_repeat_nothing(served):
    fixed, yearly = "CO{yy}{mm}-{0000}", "CO{yy}{mm}-{0000@1}"
    assert give(fixed, grows=True) == "CO2611-0001"
    assert [give(yearly) for _ in range(3)] == ["CO2611-0002", "CO2611-0003", "CO2611-0004"]
    assert [give(fixed, grows=True) for _ in range(2)] == ["CO2611-0005", "CO2611-0006"]
    assert [give(yearly), give(yearly)] == ["CO2611-0007", "CO2611-0008"]


def test_any_callable_will_do_for_the_existing_references(served):
    refs = ["A007"]
    for _ in range(2):
        with transaction():
            refs.append(next_number("tests", parse("A{000}"), Context(THIS), lambda: iter(refs)))
    refs.append("A010")
    with transaction():
        assert next_number("tests", parse("A{000}"), Context(THIS), lambda: iter(refs)) == "A011"


def test_a_chosen_reference_counts(served):
    assert give("A{000}") == "A001"
    with transaction():
        for chosen in ("A040", "A020", "other"):
            store(chosen)
            advance("tests", parse("A{000}"), chosen)
    assert give("A{000}") == "A041"


def test_the_companys_constants(served):
    mask = "{yy}{mm}{000@0}"
    assert company_mask(mask) == parse(mask, 1)
    with pytest.raises(MaskError, match="ErrorCounterMustHaveMoreThan3Digits"):
        company_mask("{0}")
    set_constant("SOCIETE_FISCAL_MONTH_START", "7")
    set_constant("MAIN_COUNTER_WITH_LESS_3_DIGITS", "1")
    assert company_mask(mask) == parse(mask, 7) != parse(mask, 1)
    assert company_mask("{0}", grows=True) == parse("{0}", short_counters=True, grows=True)
    set_constant("SOCIETE_FISCAL_MONTH_START", "13")
    assert company_mask(mask) == parse(mask, 1)


@pytest.mark.parametrize("first", ["", "PR2611-0005"])
def test_no_gap_and_no_repeat_among_threads(served, first):
    """Several series at once, each of them new, with transactions that fail in between."""
    store(*first.split())
    masks = {"PR{yy}{mm}-{0000}": 5 if first else 0, "Q{yy}-{0000@1}": 0, "R{yy}{mm}-{0000@99}": 0, "V{cc0000}": 0}
    start = threading.Barrier(4)
    given_out = {mask: [] for mask in masks}
    errors = []

    def work(seed):
        chance = random.Random(seed)
        order = list(masks) * 25
        chance.shuffle(order)
        start.wait()
        try:
            for mask in order:
                while True:
                    try:
                        with transaction():
                            ref = next_number("tests", parse(mask), Context(THIS), Column(Numbered.ref))
                            Numbered.create(ref=ref)
                            if chance.random() < 0.2:
                                raise ZeroDivisionError
                    except ZeroDivisionError:
                        continue
                    except OperationalError as error:
                        # Of two that wait for each other the database undoes one, which tries again
                        if is_temporary(error):
                            continue
                        raise
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


def test_no_repeat_while_others_delete(served):
    start = threading.Barrier(4)
    errors = []

    def work(seed):
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
