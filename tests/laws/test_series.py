"""Series that join two features, played with the machine's rules: what a search with fixed seeds may not come upon."""

import pytest

from core.testing import serving
from tests.laws.amounts import exact
from tests.laws.goods import Business
from tests.laws.ledger import DEPOSIT, PROPOSAL, STANDARD, VALIDATED

pytestmark = pytest.mark.slow

PER_RATE = ("MAIN_ROUNDOFTOTAL_NOT_TOTALOFROUND", "1")
COIN = ("MAIN_ROUNDING_RULE_TOT", "0.05")


def line(price, qty="1", rate="20", *, gross=False, discount="0", taxes="charged"):
    return {"price": price, "qty": qty, "rate": rate, "discount": discount, "gross": gross, "special": 0, "taxes": taxes}  # fmt: skip


DESK, REBATE, GROSS = line("200"), line("-50"), line("9.99", gross=True)
SWISS = [line("33.35", rate="8.1"), line("17.15", rate="2.6"), line("4.40", "2", "2.6")]


@pytest.fixture(scope="module", params=["specification", "dolibarr16"])
def business(request, tmp_path_factory):
    """The machine's class, on a server of the profile."""
    with serving(tmp_path_factory.mktemp("laws"), profile_name=request.param) as served:
        more = {"client": served.client(), "is_old": request.param == "dolibarr16", "settings_now": {}}
        yield type("Machine", (Business,), more)


@pytest.fixture
def trade(business):
    """A series; all laws are checked at its end, and that nothing was refused."""
    played = business()
    yield played
    played.teardown()
    refused = [each for each in played.journal.lines if " -> 200" not in each and not each.startswith("#")]
    assert not refused, "\n".join(played.journal.lines)


@pytest.mark.parametrize("setting", [None, PER_RATE, COIN])
@pytest.mark.parametrize(
    "lines", [[DESK, REBATE], [GROSS] * 3, SWISS, [line("0.145", "7")], [DESK, line("-10", rate="10")]]
)
def test_an_invoice_and_its_credit_note(trade, setting, lines):
    if setting:
        trade.set_rounding(setting=setting)
    trade.sell(lines=lines, type=STANDARD)
    # The note has the rounding of its invoice
    trade.set_rounding(setting=("MAIN_ROUNDING_RULE_TOT", "1"))
    trade.credit_whole(which=0, is_validated=True)
    trade.make_discount(which=0)


@pytest.mark.parametrize("setting", [None, PER_RATE])
def test_seven_pieces_given_back_one_by_one(trade, setting):
    if setting:
        trade.set_rounding(setting=setting)
    trade.sell(lines=[line("0.145", "7")], type=STANDARD)
    for _ in range(7):
        trade.credit_part(which=0, how="quantity", place=0, is_validated=True)
    (invoice,) = trade.those("invoices", types=(STANDARD,))
    assert len(trade.notes_of(invoice)) == 7


def test_a_deposit_is_deducted_and_its_invoice_credited(trade):
    trade.set_rounding(setting=PER_RATE)
    trade.sell_with_discount(advance=[line("5.02", rate="19")], lines=[line("10.08", rate="19")], place=0, as_line=True)
    trade.set_rounding(setting=("MAIN_ROUNDOFTOTAL_NOT_TOTALOFROUND", "0"))
    trade.credit_whole(which=0, is_validated=True)


@pytest.mark.parametrize("as_line", [True, False])
def test_an_invoice_with_a_discount_is_replaced(trade, as_line):
    trade.sell_with_discount(advance=[line("50")], lines=[DESK], place=0, as_line=as_line)
    if not as_line:
        trade.back_to_draft(which=0)
        trade.validate(which=0)
    trade.replace(which=0, is_validated=True, is_whole=False)
    assert [each.use for each in trade.discounts] == [None]
    trade.pay_with_discount(which=0, place=0)


def test_a_replacement_takes_the_deducting_line_over(trade):
    trade.sell_with_discount(advance=[line("50")], lines=[DESK], place=0, as_line=True)
    trade.replace(which=0, is_validated=True, is_whole=True)
    assert trade.discounts[0].use is trade.documents[-1]


def test_a_replacement_deducts_an_amount_that_is_no_multiple_of_the_coin(trade):
    # 1.5 × 526.16 with 2.6 % VAT: 809.76
    deposit = trade.sell_lines([line("526.16", "1.5", "2.6")], DEPOSIT)
    trade.pay_one(deposit, "remain", "yes")
    trade.make_discount_of(deposit)
    trade.set_rounding(setting=COIN)
    trade.sell_with_discount(advance=[], lines=[line("2000")], place=0, as_line=True)
    trade.replace(which=0, is_validated=True, is_whole=True)
    assert trade.discounts[0].use is trade.documents[-1]


@pytest.mark.parametrize("as_line", [True, False])
def test_an_abandoned_invoice_takes_its_discount_again(trade, as_line):
    trade.sell_with_discount(advance=[line("50")], lines=[DESK], place=0, as_line=as_line)
    trade.close_invoice(which=0, code="badcustomer", is_reopened=True)
    assert trade.documents[-1].state == VALIDATED


@pytest.mark.parametrize("is_refunded", [False, True])
def test_a_deposit_credited_in_part_gives_the_rest_as_discounts(trade, is_refunded):
    trade.sell(lines=[line("100"), line("10", rate="10")], type=DEPOSIT)
    trade.pay(which=0, how="remain", close="yes")
    trade.credit_part(which=0, how="line", place=0, is_validated=True)
    if is_refunded:
        # The credit note is the last invoice that is validated
        trade.pay(which=0, how="remain", close="yes")
    trade.make_discount(which=0 if is_refunded else 1)


# The second one is larger than what one rate has, so that it takes that rate away and lowers the next
@pytest.mark.parametrize("against", ["-10", "-150"])
def test_a_rate_in_the_other_direction_lowers_the_largest_discount(trade, against):
    trade.take_deposit(lines=[line("100"), line(against, rate="10"), line("60", rate="5.5")])


@pytest.mark.parametrize("discount", [None, "as a line", "as a payment"])
def test_too_much_that_was_paid_is_a_discount_once(trade, discount):
    if discount:
        how = {"place": 0, "as_line": discount == "as a line", "how": "over"}
        trade.sell_with_discount(advance=[line("50")], lines=[DESK], **how)
    else:
        trade.sell_and_pay(lines=[DESK], how="over", close="yes")
    trade.make_discount(which=0)
    trade.reopen_invoice(which=0)


@pytest.mark.parametrize("setting", [None, PER_RATE, COIN])
def test_agreed_prices_stay_from_the_proposal_to_the_recurring_invoice(trade, setting):
    if setting:
        trade.set_rounding(setting=setting)
    trade.create(kind=PROPOSAL, lines=[line("0.07", "10000", gross=True), GROSS, line("13.33", "7", "5.5", gross=True)])
    trade.send_line_back(which=0, place=2, verb="PATCH", some={0, 5, 20, 40})
    trade.send_back(which=0, verb="PUT", some=set())
    trade.change_line(which=0, place=2, field="tva_tx", line=line("1", rate="10"), verb="PUT")
    # From the proposal to an order, an invoice, a template and another invoice
    for _ in range(4):
        trade.copy_on(which=0)
        trade.send_line_back(which=0, place=1, verb="PUT", some=set())
    trade.make_of_lines_as_read(which=0, kind="orders")


@pytest.mark.parametrize(
    "lines", [[line("30000", "0.333333333")], [line("0.123456789", "10000")], [line("97.82", "10", discount="12.3456")]]
)
def test_a_line_that_is_stored_rounded_keeps_its_total(trade, lines):
    trade.create(kind="orders", lines=lines)
    for verb in ("PUT", "PATCH"):
        trade.send_line_back(which=0, place=0, verb=verb, some=set())
        trade.change_line(which=0, place=0, field="desc", line=DESK, verb=verb)
        if not trade.is_old:
            # As in Dolibarr 16, another rate is computed from the stored values
            trade.change_line(which=0, place=0, field="tva_tx", line=line("1", rate="10"), verb=verb)
    trade.copy_on(which=0)


@pytest.mark.parametrize("setting", [None, PER_RATE])
def test_local_taxes_are_those_of_the_settled_amounts(trade, setting):
    if setting:
        trade.set_rounding(setting=setting)
    # Four times 8.33 net have a VAT of 6.66 together, rounded one by one 6.68; so half of 39.98 is due, not of 40.00
    trade.create(kind="orders", lines=[line("8.33", taxes="local")] * 4)
    trade.create(kind="orders", lines=[line("9.99", gross=True, taxes="local")] * 4)
    for verb in ("PUT", "PATCH"):
        trade.send_line_back(which=0, place=1, verb=verb, some=set())
    trade.copy_on(which=0)


@pytest.mark.parametrize("gross", [True, False])
def test_local_taxes_are_no_part_of_what_a_line_keeps(trade, gross):
    trade.create(kind="orders", lines=[line("0.123456789", "10000", gross=gross, taxes="local")])
    for verb, rate in (("PUT", "10"), ("PATCH", "20"), ("PATCH", "10")):
        trade.send_line_back(which=0, place=0, verb=verb, some=set())
        trade.change_line(which=0, place=0, field="tva_tx", line=line("1", rate=rate), verb=verb)


def test_the_discount_of_a_line_wins_over_that_of_the_quantity(trade):
    trade.price_quantity(which=0, price="66", discount="10")
    trade.sell_products(kind="orders", sold=[(0, "10", None), (0, "10", "0"), (0, "10", "50")], is_validated=True)


@pytest.mark.parametrize("how", ["HT", "TTC"])
def test_the_price_of_a_quantity_has_rate_and_basis_of_what_it_replaces(trade, how):
    sold = {"kind": "orders", "sold": [(0, "1", None), (0, "10", None), (0, "10", "0")], "is_validated": False}
    # The product has 20 %, its segment 2 another rate
    trade.price_quantity(which=0, price="90", discount="0")
    trade.price_segment(which=0, level=2, price="80", rate="8.1", how=how, many="", qty="10")
    trade.price_quantity(which=0, price="9.99", discount="10", level=2)
    trade.sell_products(**sold)
    # Segment 1 has no price, nor has 2 in the end
    trade.price_segment(which=0, level=1, price="", rate="", how="DELETE", many="", qty="10")
    trade.price_product(which=0, price="66", rate="5.5", how="TTC")
    trade.sell_products(**sold)
    trade.price_product(which=0, price="", rate="", how="DELETE")
    trade.price_segment(which=0, level=2, price="", rate="", how="DELETE", many="", qty="10")


@pytest.mark.parametrize("setting", [PER_RATE, COIN])
def test_a_stamp_duty_is_part_of_the_total(trade, setting):
    trade.set_rounding(setting=setting)
    # 62.68 + 0.02
    for how in ("whole", "line", "rest"):
        trade.sell(lines=SWISS, type=STANDARD, stamp="0.02")
        trade.credit(0, how, 0, is_validated=True)
        trade.make_discount(which=0)
    trade.create(kind="invoices", lines=SWISS)
    for stamp, verb in (("1.61", "PATCH"), ("0.02", "PUT")):
        trade.set_stamp(which=0, stamp=stamp, verb=verb)
    trade.send_line_back(which=0, place=0, verb="PUT", some=set())
    trade.delete_line(which=0, place=0)
    trade.validate(which=0)


def test_equal_lines_with_different_discounts_are_given_back_apart(trade):
    trade.sell_products(kind="invoices", sold=[(0, "2", None), (0, "2", "50")], is_validated=True)
    # The last line first
    for _ in range(2):
        trade.credit_part(which=0, how="line", place=0, is_validated=True)


@pytest.mark.parametrize("how", ["remain", "over", "part"])
def test_a_payment_that_is_cancelled_counts_nowhere(trade, how):
    trade.sell_and_pay(lines=[DESK], how=how, close="yes")
    if how == "over":
        trade.make_discount(which=0)
    trade.cancel_payment(which=0)
    trade.back_to_draft(which=0)
    trade.validate(which=0)
    trade.pay(which=0, how="remain", close="yes")


def test_a_discount_is_taken_back_from_a_paid_invoice(trade):
    trade.sell_with_discount(advance=[line("50")], lines=[DESK], place=0, as_line=False)
    trade.pay(which=0, how="remain", close="yes")
    trade.take_discount_back(which=0)
    trade.pay_with_discount(which=0, place=0)


@pytest.mark.parametrize("gross", [True, False])
def test_vat_that_is_not_charged_is_given_back_without_vat(trade, gross):
    trade.set_rounding(setting=PER_RATE)
    trade.sell(lines=[line("100", gross=gross, taxes="uncharged"), GROSS], type=STANDARD)
    trade.credit_whole(which=0, is_validated=True)
    trade.make_discount(which=0)


@pytest.mark.parametrize("number", ["3", ""])
def test_a_kit_that_was_changed_returns_as_it_left(trade, number):
    for action in ("settodraft", "cancel"):
        trade.take_kit_back(kit=2, part=0, number="2", place=0, other=number, action=action)


def test_the_average_price_ignores_what_is_missing(trade):
    # 7.5; 9 at 12, because -5 count as 0; (4 × 12 + 2 × 7.5) / 6 = 10.5; (5 × 10.5 + 0.5 × 0.07) / 5.5
    for qty, price in (("1", "7.5"), ("-6", "7.5"), ("9", "12"), ("2", "7.5"), ("-1", ""), ("0.5", "0.07")):
        trade.move_goods(which=0, place=0, qty=qty, how="move", price=price)
    assert trade.product(0).average == exact("9.55182")
    trade.move_goods(which=0, place=0, qty="1", how="undo")
    trade.move_goods(which=0, place=0, qty="10", how="transfer")
    trade.move_goods(which=0, place=1, qty="3", how="move", price="100")


def test_nested_kits_move_with_all_their_components_and_back(trade):
    kit = {"number": "2", "place": 0, "is_undone": False, "price": "7.5"}
    trade.move_kit(kit=2, part=0, qty="5", **kit)
    trade.move_kit(kit=4, part=2, qty="-3", **kit)
    trade.move_goods(which=1, place=0, qty="1", how="transfer")
    trade.change_kit(kit=4, part=2, qty="3", moves=1)
    # The movement before the change
    trade.move_goods(which=0, place=0, qty="1", how="undo")
    trade.sell_products(kind="orders", sold=[(4, "10", None), (0, "0.5", None)], is_validated=True)
    trade.ship(which=0, place=0, share="rest")
    for action in ("validate", "settodraft", "validate", "close", "reopen", "cancel"):
        trade.move_shipment(which=0, action=action)
    # Two lines move one product: itself, and as a component
    trade.ship(which=0, place=0, share="rest")
    trade.move_shipment(which=0, action="validate")


def test_a_validated_invoice_stays_whatever_changes_afterwards(trade):
    trade.sell_products(kind="invoices", sold=[(0, "3", None), (2, "0.5", None)], is_validated=True)
    trade.price_product(which=0, price="66", rate="8.1", how="TTC")
    trade.price_product(which=2, price="66", rate="8.1", how="PATCH")
    for setting in (PER_RATE, COIN, ("MAIN_MAX_DECIMALS_UNIT", "2")):
        trade.set_rounding(setting=setting)
    trade.credit_part(which=0, how="rest", place=0, is_validated=True)
