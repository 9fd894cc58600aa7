"""Rules about documents: made, changed, sent back as read, copied, and moved from state to state."""

from __future__ import annotations

import functools
from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.laws.amounts import Agreed, exact
from tests.laws.ledger import (
    ABANDONED,
    CREDIT_NOTE,
    DEPOSIT,
    DRAFT,
    INVOICE,
    ORDER,
    PROPOSAL,
    REPLACEMENT,
    SITUATION,
    STANDARD,
    TEMPLATE,
    VALIDATED,
    Row,
    amounts_of,
    differences,
    totals_of,
)
from tests.laws.trade import DAY, PICK, EndedError, IdleError, Trade

PRICES = (
    "100", "9.99", "200", "19.99", "0.145", "5.02", "0.07", "33.35", "0.333", "1.005", "17.15", "123.456789", "30000",
    "-50", "-9.99",
)  # fmt: skip
QUANTITIES = ("0.333333333", "1", "2", "3", "7", "10", "0.5", "1.5", "0.333333333", "10000", "-1")
#: the VAT rate that has local taxes
LOCAL = "20"
RATES = ("20", "19", "5.5", "8.1", "2.6", "0", "10")
DISCOUNTS = ("0", "0", "0", "10", "33.3333333", "12.3456", "100")

PRICE = st.one_of(st.sampled_from(PRICES), st.integers(1, 99999).map(lambda cents: f"{cents / 100:.2f}"))
LINE = st.fixed_dictionaries(
    {
        "price": PRICE,
        "qty": st.sampled_from(QUANTITIES),
        "rate": st.sampled_from(RATES),
        "discount": st.sampled_from(DISCOUNTS),
        "gross": st.booleans(),
        "special": st.sampled_from((0, 0, 0, 0, 0, 0, 3)),
        "taxes": st.sampled_from(("charged",) * 6 + ("uncharged", "local")),
    }
)
LINES = st.lists(LINE, min_size=1, max_size=3)
#: stamp duty of an invoice
STAMP = st.sampled_from(("0", "0", "0", "1.6", "0.02"))
PROGRESS = st.sampled_from(("100", "30", "25.5", "33.33"))
FIELDS = st.sampled_from(("qty", "tva_tx", "remise_percent", "subprice", "desc", "gross"))
#: constants and their values
SETTINGS = (
    ("MAIN_ROUNDOFTOTAL_NOT_TOTALOFROUND", "1"), ("MAIN_ROUNDOFTOTAL_NOT_TOTALOFROUND", "1"),
    ("MAIN_ROUNDOFTOTAL_NOT_TOTALOFROUND", "0"), ("MAIN_ROUNDING_RULE_TOT", "0.05"), ("MAIN_ROUNDING_RULE_TOT", "1"),
    ("MAIN_ROUNDING_RULE_TOT", "0.1"), ("MAIN_ROUNDING_RULE_TOT", "0"), ("MAIN_MAX_DECIMALS_UNIT", "2"),
    ("MAIN_MAX_DECIMALS_UNIT", "8"), ("MAIN_MAX_DECIMALS_STOCK", "2"), ("MAIN_MAX_DECIMALS_STOCK", "8"),
)  # fmt: skip
#: what is done with proposals and orders
MOVES = ("validate", "settodraft", "close", "reopen", "cancel", "setinvoiced", "setuninvoiced")
#: services of the documents that are made with lines
DOCUMENTS = (PROPOSAL, ORDER, INVOICE, TEMPLATE)


def step(**drawn):
    """Make a method a rule that does nothing once the series is over."""

    def wrap(function):
        @functools.wraps(function)
        def run(self, **values):
            if not self.is_over:
                try:
                    function(self, **values)
                except (EndedError, IdleError):
                    pass

        return rule(**drawn)(run)

    return wrap


def given(*kinds, **which):
    """Make a rule wait for a document of these kinds, states and types."""
    return precondition(lambda self: self.is_over or bool(self.those(*kinds, **which)))


class Sales(Trade):
    """What is done with documents of every kind."""

    def sent(self, line):
        """Return the body of a drawn line, and what it agrees on, without local taxes."""
        body = {"desc": self.text_of_line(), "qty": line["qty"], "subprice": line["price"], "tva_tx": line["rate"]}
        if line["discount"] != "0":
            body["remise_percent"] = line["discount"]
        if line["gross"]:
            body["price_base_type"] = "TTC"
        if line["special"]:
            body["special_code"] = line["special"]
        if line["taxes"] == "uncharged":
            body["info_bits"] = 1
        if line["taxes"] == "local":
            body |= {"tva_tx": LOCAL, "vat_src_code": "LT", "localtax1_tx": "5", "localtax2_tx": "50"}
        agreed = Agreed(
            exact(line["price"]), line["gross"], exact(line["qty"]), exact(body["tva_tx"]), exact(line["discount"]),
            uncharged=line["taxes"] == "uncharged",
        )  # fmt: skip
        return body, agreed

    def make(self, kind, bodies, rows, *, type=STANDARD, roundings=(), **more):
        """Create a document, and enter it into the books."""
        body = {"socid": self.customer, "date": DAY, "lines": bodies, **more}
        if kind == TEMPLATE:
            body["title"] = f"T{self.own}-{self.text_of_line()}"
        if type:
            body["type"] = type
        made = self.post(f"/{kind}", body).made
        return self.keep(kind, made, rows, roundings, type=type, stamp=exact(more.get("revenuestamp")))

    # Settings --------------------------------------------------------------------------------------------------------

    @step(setting=st.sampled_from(SETTINGS))
    def set_rounding(self, setting):
        """Round the VAT per rate or line, to a coin or none, or store other decimals, from now on."""
        self.set_constant(*setting)

    # Making and changing ---------------------------------------------------------------------------------------------

    @step(kind=st.sampled_from((INVOICE, ORDER, PROPOSAL, TEMPLATE)), lines=LINES)
    def create(self, kind, lines):
        """Create a document."""
        sent = [self.sent(line) for line in lines]
        self.make(kind, [body for body, _ in sent], [agreed for _, agreed in sent])

    def sell_lines(self, lines, type, stamp="0", *, is_electronic=False):
        """Create an invoice or a deposit, and validate it; return it if that was possible."""
        sent = [self.sent(line) for line in lines]
        bodies, rows = [body for body, _ in sent], [agreed for _, agreed in sent]
        more = {"revenuestamp": stamp} if exact(stamp) else {}
        invoice = self.make(INVOICE, bodies, rows, type=type, **more)
        self.validate_one(invoice, is_electronic=is_electronic)
        if invoice.state != VALIDATED:
            raise IdleError
        return invoice

    @step(lines=LINES, progress=st.lists(PROGRESS, min_size=3, max_size=3), place=st.integers(1, 4))
    def create_situation(self, lines, progress, place):
        """Create a situation invoice, with the progress of each line."""
        sent = [self.sent(line) for line in lines]
        bodies = [body | {"situation_percent": part} for (body, _), part in zip(sent, progress, strict=False)]
        rows = [agreed.with_values(progress=exact(part)) for (_, agreed), part in zip(sent, progress, strict=False)]
        cycle = {"situation_cycle_ref": self.own % 30000 + 1, "situation_counter": place}
        self.make(INVOICE, bodies, rows, type=SITUATION, **cycle)

    @given(INVOICE, states=(DRAFT,))
    @step(which=PICK, stamp=STAMP, verb=st.sampled_from(("PATCH", "PUT")))
    def set_stamp(self, which, stamp, verb):
        """Change the stamp duty of a draft."""
        document = self.pick(which, self.those(INVOICE, states=(DRAFT,)))
        answer = self.journal.call(verb, document.path, {"revenuestamp": stamp})
        if self.expect(answer, True, document):
            document.stamp = exact(stamp)
            document.price(self.rounding)
            self.look(document, changed=True)

    @given(*DOCUMENTS)
    @step(which=PICK, line=LINE)
    def add_line(self, which, line):
        """Add a line."""
        document = self.pick(which, self.those(*DOCUMENTS))
        body, agreed = self.sent(line)
        answer = self.journal.call("POST", f"{document.path}/lines", [body])
        if self.expect(answer, document.is_draft, document):
            document.price(self.rounding)
            self.take_lines(document, Row(0, None if document.type == CREDIT_NOTE else agreed))

    def take_lines(self, document, *rows):
        """Enter new lines of a document into the books, and check it."""
        known = {row.id for row in document.rows}
        found = sorted(int(line["id"]) for line in self.journal.get(document.path)["lines"])
        new = [identifier for identifier in found if identifier not in known]
        if len(new) != len(rows):
            self.broken("3 agreed", f"{document} has the new lines {new}, expected {len(rows)}")
        for identifier, row in zip(new, rows, strict=True):
            document.rows.append(replace(row, id=identifier))
        self.look(document, changed=True)
        self.mark_lossy(document)

    @given(*DOCUMENTS)
    @step(which=PICK, place=PICK, field=FIELDS, line=LINE, verb=st.sampled_from(("PATCH", "PUT")))
    def change_line(self, which, place, field, line, verb):
        """Change one field of a line; PUT sends the others as they were read."""
        document = self.pick(which, self.lossy(which) or self.those(*DOCUMENTS))
        if not document.rows:
            return
        row = self.pick(place, document.rows)
        if row.is_lossy and place % 2:
            field = "tva_tx"
        read = next(each for each in document.lines if int(each["id"]) == row.id)
        change, agreed = self.changed(field, line, row.agreed)
        if row.is_lossy and field not in ("desc", "tva_tx"):
            agreed = None
        body = {**read, **change} if verb == "PUT" else change
        if field == "gross":
            # `subprice` is the price including VAT here
            body.pop("subprice_ttc", None)
        answer = self.journal.call(verb, f"{document.path}/lines/{row.id}", body)
        allowed = document.is_draft if not row.discount and document.type != CREDIT_NOTE else None
        if self.expect(answer, allowed, document):
            document.price(self.rounding)
            row.source = row.copied = 0
            row.is_changed = True
            if field != "desc":
                row.agreed = None if document.type == CREDIT_NOTE else agreed
            self.look(document, changed=True)
            self.mark_lossy(document)

    def lossy(self, which):
        """Return the drafts with lines that keep a total, if these are chosen."""
        return [each for each in self.those(*DOCUMENTS) if each.is_lossy and each.is_draft and which % 2]

    def changed(self, field, line, agreed):
        """Return the body of a change of one field, and what is agreed then."""
        values = {
            "qty": ({"qty": line["qty"]}, {"qty": exact(line["qty"])}),
            "tva_tx": ({"tva_tx": line["rate"]}, {"rate": exact(line["rate"])}),
            "remise_percent": ({"remise_percent": line["discount"]}, {"discount": exact(line["discount"])}),
            "subprice": ({"subprice": line["price"]}, {"price": exact(line["price"]), "is_gross": False}),
            "gross": (
                {"subprice": line["price"], "price_base_type": "TTC"},
                {"price": exact(line["price"]), "is_gross": True},
            ),
            "desc": ({"desc": self.text_of_line()}, {}),
        }
        change, new = values[field]
        # A net price that is sent may be the one that is stored, so that an agreed gross price stays
        is_unclear = agreed is None or (field == "subprice" and agreed.is_gross)
        # As in Dolibarr 16, another rate is computed from the stored values, which may be rounded
        is_unclear = is_unclear or (self.is_old and field == "tva_tx")
        return change, None if is_unclear else agreed.with_values(**new)

    @given(*DOCUMENTS)
    @step(which=PICK, place=PICK)
    def delete_line(self, which, place):
        """Delete a line; a discount that it deducts is free again."""
        document = self.pick(which, self.those(*DOCUMENTS))
        if not document.rows:
            return
        row = self.pick(place, document.rows)
        answer = self.journal.call("DELETE", f"{document.path}/lines/{row.id}")
        # A line that was shipped stays
        allowed = (
            None if document.is_draft and document.kind == ORDER and self.has_heirs(document) else document.is_draft
        )
        if self.expect(answer, allowed, document):
            document.rows.remove(row)
            document.price(self.rounding)
            for each in self.discounts:
                if each.id == row.discount:
                    each.use = None
            self.look(document, changed=True)

    # Sent back as read -----------------------------------------------------------------------------------------------

    @given(*DOCUMENTS)
    @step(which=PICK, verb=st.sampled_from(("PUT", "PATCH")), some=st.sets(st.integers(0, 99), max_size=20))
    def send_back(self, which, verb, some):
        """Send a document back as it was read: whole, or some of its own values by PATCH."""
        document = self.pick(which, self.those(*DOCUMENTS))
        body = dict(document.seen)
        if some and verb == "PATCH":
            names = sorted(body)
            body = {names[place % len(names)]: body[names[place % len(names)]] for place in some}
        answer = self.journal.call(verb, document.path, body)
        self.expect(answer, True if document.is_draft else None, document)
        self.look(document)

    @given(*DOCUMENTS)
    @step(which=PICK, place=PICK, verb=st.sampled_from(("PUT", "PATCH")), some=st.sets(st.integers(0, 99), max_size=12))
    def send_line_back(self, which, place, verb, some):
        """Send a line back as it was read: whole, or some of its own values where they are merged."""
        document = self.pick(which, self.lossy(which) or self.those(*DOCUMENTS))
        if not document.rows:
            return
        row = self.pick(place, document.rows)
        body = dict(next(each for each in document.lines if int(each["id"]) == row.id))
        if some and (verb == "PATCH" or document.kind == PROPOSAL):
            names = sorted(body)
            body = {names[place % len(names)]: body[names[place % len(names)]] for place in some}
        answer = self.journal.call(verb, f"{document.path}/lines/{row.id}", body)
        self.expect(answer, None if row.discount or not document.is_draft else True, document)
        self.look(document)

    @given(PROPOSAL, ORDER, INVOICE)
    @step(which=PICK, kind=st.sampled_from((INVOICE, ORDER, PROPOSAL, TEMPLATE)))
    def make_of_lines_as_read(self, which, kind):
        """Create a document of another's lines as they were read: the same amounts.

        Of a line that keeps the total of what was sent, a warning said that others get another one.
        """
        source = self.pick(which, [*self.those(PROPOSAL, ORDER), *self.those(INVOICE, types=(STANDARD,))])
        if (
            source.is_lossy
            or not source.rows
            or source.roundings != {self.rounding}
            or any(row.discount for row in source.rows)
        ):
            return
        body = {"socid": self.customer, "date": DAY, "lines": source.lines}
        if kind == TEMPLATE:
            body["title"] = f"T{self.own}-{self.text_of_line()}"
        answer = self.ok(self.journal.call("POST", f"/{kind}", body))
        rows = [Row(0, row.agreed) for row in sorted(source.rows, key=lambda row: row.id)]
        made = self.keep(kind, answer.made, rows, source.roundings)
        if not source.stamp and totals_of(made.seen) != totals_of(source.seen):
            self.broken("1 new", f"{source} is {totals_of(source.seen)}, of its lines {totals_of(made.seen)}")

    # Copies ----------------------------------------------------------------------------------------------------------

    def copy(self, source, kind, path, body, allowed):
        """Copy a document to another kind: the same amounts."""
        answer = self.journal.call("POST", path, body)
        if not self.expect(answer, allowed, source):
            return
        copied = [row for row in sorted(source.rows, key=lambda row: row.id) if not row.discount]
        rows = [Row(0, row.agreed, is_lossy=row.is_lossy, is_changed=True) for row in copied]
        made = self.keep(kind, answer.made, rows, source.roundings)
        made.is_lossy |= source.is_lossy
        if len(made.roundings) == 1 and len(rows) == len(source.rows):
            wrong = [
                f"line {old['id']} is {totals_of(old)}, its copy {totals_of(new)}"
                for old, new in zip(source.lines, made.lines, strict=True)
                if totals_of(old) != totals_of(new)
            ]
            # The stamp duty isn't copied
            if not source.stamp and totals_of(made.seen) != totals_of(source.seen):
                wrong.append(f"{source} is {totals_of(source.seen)}, its copy {totals_of(made.seen)}")
            self.hold("3 copy", wrong, made)

    @given(PROPOSAL, ORDER, INVOICE, TEMPLATE)
    @step(which=PICK)
    def copy_on(self, which):
        """Make an order of a proposal, an invoice of an order or a template, or a template of an invoice."""
        source = self.pick(which, self.those(PROPOSAL, ORDER, INVOICE, TEMPLATE))
        body = {}
        if source.kind == PROPOSAL:
            kind, path = ORDER, f"/orders/createfromproposal/{source.id}"
            allowed = source.state != 3 and bool(source.rows)
        elif source.kind == ORDER:
            kind, path, allowed = INVOICE, f"/invoices/createfromorder/{source.id}", source.state != -1
        elif source.kind == INVOICE:
            kind, path = TEMPLATE, f"/invoices/templates/createfrominvoice/{source.id}"
            body = {"title": f"T{self.own}-{self.text_of_line()}"}
            allowed = None if source.type == REPLACEMENT else source.type == STANDARD
        else:
            kind, path, allowed = INVOICE, f"{source.path}/createinvoice", True
            body = {"date": "2026-11-21"}
        self.copy(source, kind, path, body, allowed)

    # States ----------------------------------------------------------------------------------------------------------

    @given(PROPOSAL, ORDER)
    @step(which=PICK, action=st.sampled_from(MOVES))
    def move(self, which, action):
        """Move a proposal or an order to another state."""
        document = self.pick(which, self.those(PROPOSAL, ORDER))
        if document.kind == PROPOSAL and action in ("reopen", "cancel"):
            return
        body = {"status": 2 + which % 2} if document.kind == PROPOSAL and action == "close" else {}
        answer = self.journal.call("POST", f"{document.path}/{action}", body)
        states = {
            PROPOSAL: {"validate": (0,), "settodraft": (1, 2, 3), "close": (1,), "setinvoiced": (2,), "setuninvoiced": (4,)},
            ORDER: {"validate": (0,), "settodraft": (1,), "close": (1, 2), "reopen": (3, -1), "cancel": (1,),
                    "setinvoiced": (1, 3), "setuninvoiced": (-1, 0, 1, 2, 3)},
        }[document.kind][action]  # fmt: skip
        allowed = document.state in states
        if document.kind == ORDER and action in ("settodraft", "cancel", "setinvoiced", "setuninvoiced"):
            allowed = None if allowed else False
        if self.expect(answer, allowed, document):
            self.moved(document)

    def moved(self, document):
        """Take over the state of a document, whose amounts have to be the same."""
        before = document.seen
        document.seen = self.journal.get(document.path)
        document.state = int(document.seen["statut"])
        self.hold("8 moved", differences(amounts_of(before), amounts_of(document.seen)), document)
        document.fixed = None if document.state == DRAFT else amounts_of(document.seen)
        self.look(document)

    @given(INVOICE, states=(DRAFT,))
    @step(which=PICK)
    def validate(self, which):
        """Validate an invoice."""
        self.validate_one(self.pick(which, self.those(INVOICE, states=(DRAFT,))))

    def validate_one(self, document, *, is_electronic=False):
        """Validate a draft invoice.

        :param is_electronic: it is refused if the standard doesn't allow it
        """
        answer = self.journal.call("POST", f"{document.path}/validate", {})
        allowed = None if is_electronic else self.may_validate(document)
        if self.expect(answer, allowed, document):
            if document.type == CREDIT_NOTE:
                document.seen = self.journal.get(document.path)
            self.moved(document)
            if document.type == REPLACEMENT:
                self.abandoned(document.source)
                self.take_over(document)

    def may_validate(self, document):
        """Return whether a draft has to be validated; None if the books can't tell."""
        if not document.rows:
            return False
        source = document.source
        if document.type == CREDIT_NOTE:
            if source.is_deleted or source.state not in (VALIDATED, 2):
                return False
            left = source.gross + sum(exact(note.seen["total_ttc"]) for note in self.notes_of(source))
            if source.type == SITUATION or (source.type == DEPOSIT and self.made_of(source)):
                return None
            return -document.gross <= left if left > 0 else False
        if document.type == REPLACEMENT:
            is_free = source.state == VALIDATED and not source.is_deleted and not source.paid
            return (is_free and not self.notes_of(source) and not self.used_as_payment(source)) or None
        # Nobody owes less than nothing, nor less than was credited
        notes = self.notes_of(document)
        if notes:
            return -sum(exact(note.seen["total_ttc"]) for note in notes) <= document.gross
        return True if document.gross >= 0 else None

    def abandoned(self, document):
        """Free the discounts of an invoice that was abandoned or replaced."""
        self.released(document)
        document.seen = self.journal.get(document.path)
        document.state = int(document.seen["statut"])
        if document.state != ABANDONED:
            self.broken("0 state", f"{document} was replaced, its state is {document.state}")

    def take_over(self, document):
        """Deduct the discounts whose lines a replacement has copied."""
        for row in document.rows:
            for each in self.discounts:
                if each.id == row.copied and each.use is None:
                    each.use, each.as_line, each.freed_by, row.discount = document, True, None, each.id

    def released(self, document, *, payments_only=False):
        """Free the discounts that an invoice uses."""
        for each in self.discounts:
            if each.use is document and not (payments_only and each.as_line):
                each.freed_by = document
                each.use = None

    @given(*DOCUMENTS)
    @step(which=PICK)
    def delete(self, which):
        """Delete a document."""
        document = self.pick(which, self.those(*DOCUMENTS))
        answer = self.journal.call("DELETE", document.path)
        # A reference that was assigned may have to stay
        is_new = document.kind == INVOICE and str(document.seen["ref"]).startswith("(")
        is_known = document.kind == TEMPLATE or is_new
        if self.expect(answer, None if not is_known or self.has_heirs(document) else True, document):
            document.is_deleted = True
            self.released(document)
            self.look(document)

    def has_heirs(self, document):
        """Return whether another document may refer to this one."""
        return any(each.source is document for each in self.documents) or bool(self.made_of(document))


__all__ = ["DOCUMENTS", "LINES", "Sales", "given", "step"]
