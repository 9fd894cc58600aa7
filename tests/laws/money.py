"""Rules about money: payments, credit notes, deposits, replacements, and the discounts made of them."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from tests.laws import laws
from tests.laws.amounts import Agreed, exact, half_up, text
from tests.laws.ledger import (
    ABANDONED,
    CREDIT_NOTE,
    DEPOSIT,
    DRAFT,
    INVOICE,
    PAID,
    REPLACEMENT,
    SITUATION,
    STANDARD,
    VALIDATED,
    Discount,
    Payment,
    Row,
)
from tests.laws.sales import LINES, STAMP, Sales, given, step
from tests.laws.trade import DAY, PICK, TIME, IdleError

#: values of a line that its credit sends
SENT = (
    "desc", "fk_product", "qty", "subprice", "subprice_ttc", "tva_tx", "vat_src_code", "remise_percent", "product_type",
    "situation_percent", "info_bits", "special_code",
)  # fmt: skip
OPEN = (VALIDATED, PAID)
#: types of invoices that credit notes give back
CREDITED = (STANDARD, REPLACEMENT, DEPOSIT, SITUATION)


class Money(Sales):
    """What is done with invoices once they are validated."""

    # Payments --------------------------------------------------------------------------------------------------------

    @step(lines=LINES, type=st.sampled_from((STANDARD, STANDARD, DEPOSIT)), stamp=STAMP)
    def sell(self, lines, type, stamp="0"):
        """Create an invoice or a deposit, and validate it."""
        self.sell_lines(lines, type, stamp)

    @step(lines=LINES, how=st.sampled_from(("remain", "over", "part")), close=st.sampled_from(("yes", "no")))
    def sell_and_pay(self, lines, how, close):
        """Create an invoice, validate it and pay it."""
        self.pay_one(self.sell_lines(lines, STANDARD), how, close)

    @step(lines=LINES, type=st.sampled_from((STANDARD, DEPOSIT)), stamp=STAMP)
    def sell_electronically(self, lines, type, stamp):
        """Create an invoice or a deposit, and validate it with its XML if the standard allows it."""
        self._put_constant("INVOICE_FACTURX", "1")
        try:
            self.sell_lines(lines, type, stamp, is_electronic=True)
        finally:
            self._put_constant("INVOICE_FACTURX", "0")

    @step(lines=LINES)
    def take_deposit(self, lines):
        """Create a deposit that is paid and turned into discounts."""
        deposit = self.sell_lines(lines, DEPOSIT)
        self.pay_one(deposit, "remain", "yes")
        self.make_discount_of(deposit)

    @given(INVOICE, states=(VALIDATED,))
    @step(which=PICK, how=st.sampled_from(("remain", "part", "cent", "over")), close=st.sampled_from(("yes", "no")))
    def pay(self, which, how, close):
        """Pay an invoice: in part, all, or too much; or pay a credit note back."""
        self.pay_one(self.pick(which, self.those(INVOICE, states=(VALIDATED,))), how, close)

    def pay_one(self, document, how, close):
        """Pay an invoice."""
        remains = self.remains(document)
        due = -remains if document.type == CREDIT_NOTE else remains
        amounts = {"part": half_up(due / 3, 2), "cent": Fraction(1, 100), "over": due + 10, "remain": due}
        amount = amounts[how]
        body = {"datepaye": TIME, "paymentid": 2, "closepaidinvoices": close, "accountid": self.account}
        body |= {"amount": "remain" if how == "remain" else text(amount)}
        if how == "over":
            body["accepthigherpayment"] = True
        answer = self.journal.call("POST", f"{document.path}/payments", body)
        allowed = amount > 0 and due > 0 and (amount <= due or how == "over")
        # Whether more may be paid for an invoice that is paid already, or paid back for a note, isn't in the guides
        if how == "over" and (due <= 0 or document.type == CREDIT_NOTE):
            allowed = None
        if document.gross <= 0 and document.type != CREDIT_NOTE:
            allowed = None
        if self.expect(answer, allowed, document):
            signed = -amount if document.type == CREDIT_NOTE or (document.gross < 0 and amount > 0) else amount
            self.enter_payment(answer.made, (document, signed))

    def enter_payment(self, identifier, *parts):
        """Enter a payment into the books, read what has been paid, and check the balance."""
        self.payments.append(Payment(identifier, list(parts)))
        for document, amount in parts:
            document.paid.append(amount)
            self.banked += amount
        for document, _ in parts:
            document.state = int(self.journal.get(document.path)["statut"])
            if document.state not in OPEN:
                self.broken("0 state", f"{document} was paid, its state is {document.state}")
            self.look(document)
        self.check_owed(*(document for document, _ in parts))
        self.check_money()

    @given(INVOICE, states=(VALIDATED,), types=(STANDARD, DEPOSIT))
    @step(first=PICK, second=PICK, close=st.sampled_from(("yes", "no")))
    def pay_several(self, first, second, close):
        """Pay two invoices with one payment."""
        candidates = self.those(INVOICE, states=(VALIDATED,), types=(STANDARD, DEPOSIT))
        chosen = {each.id: each for each in (self.pick(first, candidates), self.pick(second, candidates))}
        amounts = {each.id: half_up(self.remains(each) / (1 + first % 2), 2) for each in chosen.values()}
        body = {"datepaye": TIME, "paymentid": 2, "closepaidinvoices": close, "accountid": self.account}
        body["arrayofamounts"] = {str(name): {"amount": text(amount)} for name, amount in amounts.items()}
        answer = self.journal.call("POST", "/invoices/paymentsdistributed", body)
        allowed = all(amount > 0 for amount in amounts.values())
        if any(each.gross <= 0 for each in chosen.values()):
            allowed = None
        if self.expect(answer, allowed, *chosen.values()):
            self.enter_payment(answer.made, *((chosen[name], amount) for name, amount in amounts.items()))

    @step(which=PICK)
    def cancel_payment(self, which):
        """Cancel a payment: it counts nowhere, and what it paid is open again."""
        payment = self.pick(which, self.payments)
        documents = [document for document, _ in payment.parts]
        closed = [each for each in documents if each.state == PAID]
        is_used = any(found.use is not None for each in closed for found in self.made_of(each))
        answer = self.journal.call("DELETE", f"/invoices/payments/{payment.id}")
        if self.expect(answer, not is_used, *documents):
            self.payments.remove(payment)
            for document, amount in payment.parts:
                document.paid.remove(amount)
                self.banked -= amount
            self.open_again(*documents)

    @step(which=PICK)
    def take_discount_back(self, which):
        """Take a discount back from the invoice that it pays."""
        discount = self.pick(which, [each for each in self.discounts if each.use is not None and not each.as_line])
        document = discount.use
        is_used = document.state == PAID and any(each.use is not None for each in self.made_of(document))
        answer = self.journal.call("DELETE", f"{document.path}/usecreditnote/{discount.id}")
        if self.expect(answer, not is_used, document):
            discount.use = None
            self.open_again(document)

    def open_again(self, *documents):
        """Enter that paid invoices are unpaid, and that discounts made of them are gone; check the balance."""
        for document in documents:
            if document.state == PAID:
                made = self.made_of(document)
                self.discounts = [each for each in self.discounts if each not in made]
                document.state = VALIDATED
            self.look(document)
        self.check_owed(*documents)
        self.check_money()

    @given(INVOICE, states=(VALIDATED,))
    @step(which=PICK, code=st.sampled_from(("", "badcustomer", "abandon")), is_reopened=st.booleans())
    def close_invoice(self, which, code, is_reopened):
        """Mark an invoice as paid, or write it off; without any payment it is abandoned. Perhaps reopen it."""
        candidates = self.those(INVOICE, states=(VALIDATED,))
        using = [each for each in candidates if any(found.use is each for found in self.discounts)] if which % 2 else []
        document = self.pick(which, using or candidates)
        answer = self.journal.call("POST", f"{document.path}/settopaid", {"close_code": code} if code else {})
        if self.expect(answer, None, document):
            document.state = int(self.journal.get(document.path)["statut"])
            if document.state == ABANDONED:
                self.released(document)
            self.look(document)
            self.check_money()
            if is_reopened:
                self.reopen(document)

    @given(INVOICE, states=(PAID, ABANDONED))
    @step(which=PICK)
    def reopen_invoice(self, which):
        """Mark an invoice as unpaid: discounts made of it go, and it takes those that it used again."""
        self.reopen(self.pick(which, self.those(INVOICE, states=(PAID, ABANDONED))))

    def reopen(self, document):
        """Mark an invoice as unpaid."""
        made = self.made_of(document)
        taken = [each for each in self.discounts if each.freed_by is document]
        is_replaced = any(
            each.type == REPLACEMENT and each.source is document and not each.is_deleted for each in self.documents
        )
        is_used = any(each.use is not None for each in made)
        is_elsewhere = any(each.use is not None for each in taken)
        answer = self.journal.call("POST", f"{document.path}/settounpaid", {})
        allowed = None if is_replaced else not is_used and not is_elsewhere
        if document.state == PAID:
            allowed = None if is_replaced else not is_used
        elif document.type == CREDIT_NOTE and document.source is not None and allowed:
            # What other notes have given back meanwhile counts
            allowed = self.may_validate(document)
        if self.expect(answer, allowed, document):
            self.discounts = [each for each in self.discounts if each not in made]
            document.was_abandoned |= document.state == ABANDONED
            for each in taken:
                if document.state == ABANDONED:
                    each.use, each.freed_by = document, None
            document.state = VALIDATED
            self.look(document)
            self.check_money()

    @given(INVOICE, states=(VALIDATED,))
    @step(which=PICK)
    def back_to_draft(self, which):
        """Set an invoice back to draft; a discount used as payment is free then."""
        document = self.pick(which, self.those(INVOICE, states=(VALIDATED,)))
        answer = self.journal.call("POST", f"{document.path}/settodraft", {})
        allowed = None if self.has_heirs(document) or self.used_as_payment(document) else not document.paid
        if self.expect(answer, allowed, document):
            self.released(document, payments_only=True)
            self.moved(document)
            self.check_money()

    # Giving back -----------------------------------------------------------------------------------------------------

    @given(INVOICE, states=OPEN, types=CREDITED)
    @step(which=PICK, is_validated=st.sampled_from((True, True, False)))
    def credit_whole(self, which, is_validated):
        """Make a credit note of the lines of an invoice as read."""
        self.credit(which, "whole", 0, is_validated)

    @given(INVOICE, states=OPEN, types=CREDITED)
    @step(
        which=PICK, how=st.sampled_from(("rest", "rest", "line", "quantity", "quantity")), place=PICK,
        is_validated=st.sampled_from((True, True, False)),
    )  # fmt: skip
    def credit_part(self, which, how, place, is_validated):
        """Make a credit note of all that is left of an invoice, of a line, or of a part of its quantity."""
        self.credit(which, how, place, is_validated)

    def credit(self, which, how, place, is_validated):
        """Make a credit note."""
        source = self.pick(which, self.those(INVOICE, states=OPEN, types=CREDITED))
        if source.gross <= 0:
            return
        lines = self.to_credit(source, how, place)
        if sum((exact(line["total_ttc"]) for line in lines), Fraction(0)) <= 0:
            return
        sent = lines if how == "whole" else [self.credit_line(line) for line in lines]
        body = {"socid": self.customer, "date": DAY, "type": CREDIT_NOTE, "fk_facture_source": source.id, "lines": sent}
        # All that is given back has its stamp duty; parts have none
        stamp = -source.stamp if how == "whole" else Fraction(0)
        if stamp:
            body["revenuestamp"] = text(stamp)
        answer = self.journal.call("POST", "/invoices", body)
        is_first = not any(each.source is source and not each.is_deleted for each in self.documents)
        if not self.expect(answer, True if is_first else None, source):
            return
        rows = [Row(0, None, 0, int(line["id"])) for line in lines]
        more = {"type": CREDIT_NOTE, "source": source, "stamp": stamp}
        note = self.keep(INVOICE, answer.made, rows, source.roundings, **more)
        # What was made discounts can't be given back again, so that the note stays a draft
        if how == "whole" and is_first and not self.made_of(source):
            self.hold("5 opposite", laws.opposite(note, source), note)
        if is_validated:
            self.validate_one(note)

    def to_credit(self, source, how, place):
        """Return lines of an invoice, with the quantities that a credit note is to give back."""
        if how == "whole":
            return source.lines
        given_back = {}
        for note in self.documents:
            if note.source is source and note.type == CREDIT_NOTE and not note.is_deleted:
                for row, line in zip(sorted(note.rows, key=lambda row: row.id), note.lines, strict=True):
                    given_back[row.source] = given_back.get(row.source, Fraction(0)) + abs(exact(line["qty"]))
        found = []
        for line in source.lines:
            sign = -1 if exact(line["qty"]) < 0 else 1
            left = abs(exact(line["qty"])) - given_back.get(int(line["id"]), Fraction(0))
            if left > 0:
                found.append((line, sign, left))
        if how != "rest" and found:
            line, sign, left = self.pick(place, found)
            found = [(line, sign, min(left, Fraction(1)) if how == "quantity" else left)]
        return [{**line, "qty": text(sign * left)} for line, sign, left in found]

    def credit_line(self, line):
        """Return a line of a credit note, with what a client would send."""
        return {name: line[name] for name in SENT if line.get(name) is not None}

    @given(INVOICE, states=(VALIDATED,), types=(STANDARD,))
    @step(which=PICK, is_validated=st.booleans(), is_whole=st.booleans())
    def replace(self, which, is_validated, is_whole):
        """Make a replacement of an invoice, with its lines as read, or those that deduct nothing."""
        source = self.pick(which, self.those(INVOICE, states=(VALIDATED,), types=(STANDARD,)))
        lines = [line for line in source.lines if is_whole or not source.row(int(line["id"])).discount]
        body = {"socid": self.customer, "date": DAY, "type": REPLACEMENT, "fk_facture_source": source.id}
        answer = self.journal.call("POST", "/invoices", {**body, "lines": lines})
        if self.expect(answer, None, source):
            copied = [source.row(int(line["id"])) for line in lines]
            rows = [Row(0, None if row.discount or row.is_lossy else row.agreed, copied=row.discount) for row in copied]
            made = self.keep(INVOICE, answer.made, rows, source.roundings, type=REPLACEMENT, source=source)
            if is_validated:
                self.validate_one(made)

    # Discounts -------------------------------------------------------------------------------------------------------

    @given(INVOICE, states=OPEN)
    @step(which=PICK)
    def make_discount(self, which):
        """Turn a credit note, a paid deposit or an overpayment into discounts."""
        candidates = self.those(INVOICE, states=OPEN)
        good = [each for each in candidates if self.to_give(each) > 0 and not self.made_of(each)]
        self.make_discount_of(self.pick(which, good or candidates))

    def make_discount_of(self, source):
        """Turn an invoice into discounts."""
        due = self.to_give(source)
        answer = self.journal.call("POST", f"{source.path}/markAsCreditAvailable", {})
        if not self.expect(answer, self.may_give(source, due), source):
            return
        made = self.adopt_discounts(source)
        self.hold("6 rates", laws.rates(source, self.notes_of(source), self.rows_of_discounts(source)), source)
        if made != due:
            self.broken("6 discounts", f"{source} has {text(due)} to give, the discounts made of it {text(made)}")
        self.state_may_change(source)
        self.check_money()

    def adopt_discounts(self, source):
        """Enter the new discounts of an invoice into the books; return their sum."""
        known = {each.id for each in self.discounts}
        rows = [
            row
            for row in self.journal.get(f"/thirdparties/{self.customer}/fixedamountdiscounts")
            if int(row["id"]) not in known
        ]
        for row in rows:
            if int(row["fk_facture_source"] or 0) != source.id:
                self.broken("6 discounts", f"discount {row['id']} isn't one of {source}")
            self.discounts.append(Discount(int(row["id"]), source, exact(row["amount_ttc"])))
        return sum((exact(row["amount_ttc"]) for row in rows), Fraction(0))

    def rows_of_discounts(self, source):
        """Return the discounts of an invoice as read."""
        rows = self.journal.get(f"/thirdparties/{self.customer}/fixedamountdiscounts")
        return [row for row in rows if int(row["fk_facture_source"] or 0) == source.id]

    def state_may_change(self, document):
        """Read a document whose state an operation may have changed."""
        document.state = int(self.journal.get(document.path)["statut"])
        self.look(document)

    def to_give(self, source):
        """Return what discounts of an invoice add up to."""
        if source.type == CREDIT_NOTE:
            return -self.remains(source)
        if source.type == DEPOSIT:
            credited = sum((exact(note.seen["total_ttc"]) for note in self.notes_of(source)), Fraction(0))
            is_paid = sum(source.paid, self.used_as_payment(source)) >= source.gross
            return source.gross + credited if is_paid else Fraction(0)
        return -self.remains(source)

    def may_give(self, source, due):
        """Return whether an invoice has to be turned into discounts; None if the books can't tell."""
        if due <= 0 or self.made_of(source):
            return False
        if source.type == DEPOSIT:
            # A payment that isn't money, or too much of it, leaves two ways
            return True if sum(source.paid, Fraction(0)) == source.gross else None
        if source.type == CREDIT_NOTE:
            return True if source.state == VALIDATED and not source.paid else None
        return True if source.gross > 0 and source.type == STANDARD and not self.notes_of(source) else None

    @step(
        advance=LINES, lines=LINES, place=PICK, as_line=st.sampled_from((True, True, False)),
        how=st.sampled_from(("", "", "over", "remain")),
    )  # fmt: skip
    def sell_with_discount(self, advance, lines, place, as_line, how=""):
        """Create an invoice that uses a discount, made of a deposit if none is free; validate it, and perhaps pay it."""
        free = [each for each in self.discounts if each.use is None]
        if not free:
            deposit = self.sell_lines(advance, DEPOSIT)
            self.pay_one(deposit, "remain", "yes")
            self.make_discount_of(deposit)
            free = self.made_of(deposit)
        sent = [self.sent(line) for line in lines]
        invoice = self.make(INVOICE, [body for body, _ in sent], [agreed for _, agreed in sent])
        discount = self.pick(place, free)
        if discount.gross > invoice.gross:
            raise IdleError
        if not as_line:
            self.validate_one(invoice)
        self.use_one(invoice, discount, as_line=as_line)
        if as_line:
            self.validate_one(invoice)
        if how and invoice.state == VALIDATED and self.remains(invoice) > 0:
            self.pay_one(invoice, how, "yes")

    @given(INVOICE)
    @step(which=PICK, place=PICK)
    def deduct(self, which, place):
        """Deduct a discount from a draft."""
        self.use_discount(which, place, as_line=True)

    @given(INVOICE)
    @step(which=PICK, place=PICK)
    def pay_with_discount(self, which, place):
        """Pay a validated invoice with a discount."""
        self.use_discount(which, place, as_line=False)

    def use_discount(self, which, place, *, as_line):
        """Use a discount."""
        if not self.discounts:
            return
        state = DRAFT if as_line else VALIDATED
        candidates = self.those(INVOICE, states=(state,)) or self.those(INVOICE)
        discount = self.pick(place, [each for each in self.discounts if each.use is None] or self.discounts)
        fitting = [each for each in candidates if self.remains(each) >= discount.gross] if place else []
        self.use_one(self.pick(which, fitting or candidates), discount, as_line=as_line)

    def use_one(self, document, discount, *, as_line):
        """Use a discount for an invoice."""
        state = DRAFT if as_line else VALIDATED
        action = "usediscount" if as_line else "usecreditnote"
        answer = self.journal.call("POST", f"{document.path}/{action}/{discount.id}", {})
        allowed = document.state == state and discount.use is None
        if allowed and not as_line:
            allowed = discount.gross <= self.remains(document)
        if allowed and (document.type not in (STANDARD, SITUATION) or discount.source is document):
            allowed = None
        if allowed is not False and as_line and discount.gross > document.gross:
            allowed = False
        if self.expect(answer, allowed, document):
            self.use(document, discount, as_line=as_line)
            self.check_money()

    def use(self, document, discount, *, as_line):
        """Enter the use of a discount into the books."""
        discount.use, discount.as_line, discount.freed_by = document, as_line, None
        if as_line:
            document.price(self.rounding)
            self.take_lines(document, Row(0, self.deducted(discount), discount.id))
        else:
            self.state_may_change(document)
            self.check_owed(document)

    def deducted(self, discount):
        """Return what a line that deducts a discount agrees on."""
        return Agreed(-discount.gross, is_gross=True)


__all__ = ["Money"]
