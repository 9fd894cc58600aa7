"""The laws, as functions of a document or of the books. Each returns what is wrong, as texts; an empty list is a law that
holds.

1. Sent back is unchanged: `unchanged`.
2. Sums: `sums`, `local_taxes`; the amount due: `owed`, `issued`.
3. Agreed gross stays, and every other price is what the guides say: `agreed`.
4. The coin: `coin`.
5. Giving back: `opposite`, `given_back`, `made_once`.
6. Money: `balance`, `discounts`, `rates`, `outstanding`.
7. Stock and bank: `stock`, `average`, `bank`.
8. What is validated stays: `unchanged`, with the amounts of the validation.
"""

from __future__ import annotations

from fractions import Fraction

from tests.laws.amounts import NOTHING, Totals, exact, half_up, lines_totals, text, to_multiple, total
from tests.laws.ledger import ABANDONED, CREDIT_NOTE, DEPOSIT, PAID, VALIDATED, amounts_of, differences, totals_of

TITLE = 9
#: rates of the local taxes of the machine's rate `LT`, percent; and what the second one is due on
FIRST, SECOND = Fraction(5), Fraction(50)
TAXED = ("total_ht", "total_tva")


def unchanged(before, record):
    """Return the amounts of a document that aren't those of an earlier reading."""
    return differences(before, amounts_of(record))


def sums(record):
    """A document's totals are the sums of its lines, and the parts of each total add up."""
    wrong = []
    counted = [line for line in record["lines"] if int(line["product_type"]) != TITLE]
    for name in ("total_ht", "total_tva", "total_localtax1", "total_localtax2"):
        summed = sum((exact(line[name]) for line in counted), Fraction(0))
        if summed != exact(record[name]):
            wrong.append(f"{name} is {text(exact(record[name]))}, its lines add up to {text(summed)}")
    for where, each in [("the document", record), *((f"line {line['id']}", line) for line in counted)]:
        parts = ["total_ht", "total_tva", "total_localtax1", "total_localtax2", "rounding_amount", "revenuestamp"]
        summed = sum((exact(each.get(name)) for name in parts), Fraction(0))
        if summed != exact(each["total_ttc"]):
            wrong.append(
                f"total_ttc of {where} is {text(exact(each['total_ttc']))}, its parts add up to {text(summed)}"
            )
    return wrong


def local_taxes(document, *, rounds_lines):
    """The first local tax is due on the net amounts, the second on those with VAT; all lines with them have one VAT rate.

    A line has its share rounded; with VAT per rate, the whole document has: to the cent.

    :param rounds_lines: a coin rounds lines (Dolibarr 16)
    """
    rounding = next(iter(document.roundings))
    lines = [line for line in document.lines if exact(line["localtax1_tx"])]
    if len(document.roundings) > 1 or (rounds_lines and rounding.coin) or document.type == CREDIT_NOTE:
        return []
    wrong = []
    for name, rate, based_on in (("total_localtax1", FIRST, ("total_ht",)), ("total_localtax2", SECOND, TAXED)):
        due = [sum(exact(line[each]) for each in based_on) * rate / 100 for line in lines]
        found = [exact(line[name]) for line in lines]
        if rounding.per_rate:
            due, found = [half_up(sum(due, Fraction(0)), 2)], [sum(found, Fraction(0))]
        # The base of a line's own tax isn't rounded
        most = Fraction(0) if rounding.per_rate else Fraction(2, 100)
        wrong += [f"{name} is {text(is_)}, due {text(is_due)}"
                  for is_, is_due in zip(found, due, strict=True) if abs(is_ - is_due) > most]  # fmt: skip
    return wrong


def owed(document, remains, printed):
    """The current PDF of an open invoice, or of a settled one, and its payment code ask for what remains.

    :param remains: total less payments and discounts, by the books
    """
    wrong = []
    if exact(document.seen["remaintopay"]) != remains:
        wrong.append(f"remaintopay is {text(exact(document.seen['remaintopay']))}, by the books {text(remains)}")
    if printed.due != remains:
        wrong.append(f"the PDF asks for {text(printed.due)}, {text(remains)} remains")
    due = remains if remains > 0 and document.state == VALIDATED and document.type != CREDIT_NOTE else None
    if printed.coded != due:
        wrong.append(f"the payment code asks for {printed.coded}, {text(remains)} remains")
    return wrong + _electronic(document, remains, printed)


def issued(document, printed):
    """The issued PDF and its XML ask for the total at the validation."""
    gross = document.fixed["total_ttc"]
    wrong = [] if printed.due == gross else [f"the issued PDF asks for {text(printed.due)}, it was {text(gross)}"]
    return wrong + _electronic(document, gross, printed)


def _electronic(document, due, printed):
    due = -due if document.type == CREDIT_NOTE else due
    wrong = printed.electronic not in (None, due)
    return [f"the XML asks for {text(printed.electronic)}, expected {text(due)}"] if wrong else []


def agreed(document, *, rounds_lines):
    """Each line has the totals that were agreed; with an unchanged rounding, to the cent of net and VAT as well.

    :param rounds_lines: a coin rounds lines (Dolibarr 16)
    """
    rounding = next(iter(document.roundings))
    if document.type == CREDIT_NOTE or (rounds_lines and any(each.coin for each in document.roundings)):
        return []
    wrong = []
    rows = {row.id: row for row in document.rows}
    lines = document.lines
    if set(rows) != {int(line["id"]) for line in lines}:
        return [f"lines {sorted(rows)} were made, {[line['id'] for line in lines]} are read"]
    for line in lines:
        row = rows[int(line["id"])]
        if row.agreed is not None and not row.agreed.is_title:
            due = half_up(row.agreed.amount, rounding.decimals)
            # Local taxes come on top
            names = TAXED if row.agreed.is_gross else ("total_ht",)
            found = sum(exact(line[name]) for name in names)
            if due != found:
                wrong.append(f"{names} of line {row.id} was agreed to be {text(due)}, it is {text(found)}")
    has_local_taxes = any(exact(line["localtax1_tx"]) for line in lines)
    if len(document.roundings) > 1 or has_local_taxes or not all(row.is_exact for row in document.rows):
        return wrong
    expected = lines_totals([rows[int(line["id"])].agreed for line in lines], rounding)
    for line, due in zip(lines, expected, strict=True):
        if totals_of(line) != due:
            wrong.append(f"line {line['id']} is {totals_of(line)}, by hand {due}")
    whole = total(expected)
    gross = whole.gross + document.stamp
    gross = to_multiple(gross, rounding.coin) if rounding.coin else gross
    if totals_of(document.seen) != Totals(whole.net, whole.vat, gross):
        wrong.append(f"the document is {totals_of(document.seen)}, by hand {Totals(whole.net, whole.vat, gross)}")
    return wrong


def coin(document):
    """The total is a multiple of the coin that was in force all the time."""
    coins = {each.coin for each in document.roundings}
    step = next(iter(coins))
    if len(coins) > 1 or not step or exact(document.seen["total_ttc"]) % step == 0:
        return []
    return [f"the total {text(exact(document.seen['total_ttc']))} is no multiple of {text(step)}"]


def opposite(note, source):
    """A credit note of the same lines is the opposite of its invoice, line by line."""
    wrong = []
    for line, given in zip(source.lines, note.lines, strict=True):
        if totals_of(given) != -totals_of(line):
            wrong.append(f"line {line['id']} is {totals_of(line)}, given back as {totals_of(given)}")
    if totals_of(note.seen) != -totals_of(source.seen):
        wrong.append(f"the invoice is {totals_of(source.seen)}, given back as {totals_of(note.seen)}")
    return wrong


def given_back(source, notes):
    """The notes of an invoice never exceed it, and settle exactly what they give back wholly.

    :param notes: its validated credit notes
    """
    wrong = []
    gross = exact(source.seen["total_ttc"])
    so_far = sum((exact(note.seen["total_ttc"]) for note in notes), Fraction(0))
    has_coin = any(each.coin for each in source.roundings)
    stamp_left = source.stamp + sum((note.stamp for note in notes), Fraction(0))
    if -so_far > max(gross, Fraction(0)):
        wrong.append(f"the invoice has {text(gross)}, its credit notes {text(so_far)}")
    if any(note.was_abandoned for note in notes):
        return wrong
    given = {}
    quantities = {}
    for note in notes:
        for row, line in zip(sorted(note.rows, key=lambda row: row.id), note.lines, strict=True):
            if not row.source:
                return wrong
            given[row.source] = given.get(row.source, NOTHING) + totals_of(line)
            quantities[row.source] = quantities.get(row.source, 0) + abs(exact(line["qty"]))
    rates = {}
    for line in source.lines:
        identifier = int(line["id"])
        is_whole = quantities.get(identifier, 0) == abs(exact(line["qty"])) or not totals_of(line).gross
        if is_whole and given.get(identifier, NOTHING) != -totals_of(line):
            wrong.append(f"line {identifier}, {totals_of(line)}, was given back as {given.get(identifier, NOTHING)}")
        rates.setdefault(line["tva_tx"], []).append((identifier, line, is_whole))
    for rate, lines in rates.items():
        if all(is_whole for *_, is_whole in lines):
            due = total(totals_of(line) for _, line, _ in lines)
            done = total(given.get(identifier, NOTHING) for identifier, *_ in lines)
            if done != -due:
                wrong.append(f"the rate {rate}, {due}, was given back as {done}")
    is_all = all(is_whole for lines in rates.values() for *_, is_whole in lines)
    # The stamp duty is on no line. Without it, a note has a coin of its own
    if is_all and so_far != stamp_left - gross and not (stamp_left and has_coin):
        wrong.append(f"all of {text(gross)} but {text(stamp_left)} was given back, as {text(so_far)}")
    return wrong


def made_once(source, made, notes, used):
    """What discounts give back of a source, with refunds and credit notes, is at most what there was to give back.

    :param made: the sum of the discounts made of it
    :param notes: its validated credit notes
    :param used: the sum of the discounts that pay it
    """
    paid = sum(source.paid, used)
    if source.type == CREDIT_NOTE:
        most, refunded = -source.gross, -paid
    else:
        refunded = -sum((exact(note.seen["total_ttc"]) for note in notes), Fraction(0))
        most = paid if source.type == DEPOSIT else paid - source.gross
        if source.type != DEPOSIT:
            refunded = Fraction(0)
    if made and made + refunded > most:
        return [f"{text(made)} was made a discount and {text(refunded)} given back, of {text(most)}"]
    return []


def balance(document, used, listed):
    """Total = payments − refunds + discounts used as payment + what remains.

    :param used: the sum of the discounts used as payments
    :param listed: the amounts of its list of payments
    """
    paid = sum(document.paid, Fraction(0))
    remains = document.gross - paid - used
    wrong = []
    if exact(document.seen["remaintopay"]) != remains:
        wrong.append(
            f"total {text(document.gross)} − paid {text(paid)} − discounts {text(used)} is {text(remains)}, "
            f"remaintopay is {text(exact(document.seen['remaintopay']))}"
        )
    if sum(listed, Fraction(0)) != paid + used:
        wrong.append(f"the list of payments adds up to {text(sum(listed, Fraction(0)))}, not {text(paid + used)}")
    return wrong


def discounts(books, rows):
    """Each discount is free or used as the books say, with its amount.

    :param rows: the discounts of the customer as read
    """
    wrong = []
    read = {int(row["id"]): row for row in rows}
    if set(read) != {each.id for each in books}:
        wrong.append(f"discounts {sorted(each.id for each in books)} were made, {sorted(read)} are read")
    for each in books:
        row = read.get(each.id)
        if row is None:
            continue
        if exact(row["amount_ttc"]) != each.gross:
            wrong.append(f"discount {each.id} was {text(each.gross)}, it is {text(exact(row['amount_ttc']))}")
        line, invoice = int(row["fk_facture_line"] or 0), int(row["fk_facture"] or 0)
        if each.use is None and (line or invoice):
            wrong.append(f"discount {each.id} should be free, line {line} or invoice {invoice} uses it")
        elif each.use is not None and each.as_line:
            if line not in {row.id for row in each.use.rows if row.discount == each.id}:
                wrong.append(f"discount {each.id} should be deducted by invoice {each.use.id}, line {line}")
        elif each.use is not None and invoice != each.use.id:
            wrong.append(f"discount {each.id} should pay invoice {each.use.id}, got {invoice}")
    return wrong


def rates(source, notes, rows):
    """The VAT of each discount is that of its rate, but for the cents of the lines; coin and stamp duty have none.

    :param notes: the validated credit notes of the source
    """
    wrong = []
    # Local taxes are part of the amount before VAT
    if any(exact(each.seen[name]) for each in (source, *notes) for name in ("total_localtax1", "total_localtax2")):
        return wrong
    for row in rows:
        gross, vat, rate = exact(row["amount_ttc"]), exact(row["amount_tva"]), exact(row["tva_tx"])
        most = Fraction(1, 100) + max((each.coin for each in source.roundings), default=0)
        for each in (source, *notes):
            most += Fraction(len(each.rows), 100) + abs(exact(each.seen.get("rounding_amount"))) + abs(each.stamp)
        if abs(vat - gross * rate / (100 + rate)) > most:
            wrong.append(f"discount {row['id']} of {text(gross)} at {text(rate)} % has a VAT of {text(vat)}")
    return wrong


def outstanding(documents, books, opened):
    """What the customer owes is what remains of validated invoices, less free discounts but those of deposits."""
    due = Fraction(0)
    for each in documents:
        if each.is_invoice and each.state == VALIDATED:
            used = sum((found.gross for found in books if found.use is each and not found.as_line), Fraction(0))
            due += each.gross - sum(each.paid, Fraction(0)) - used
    free = sum((each.gross for each in books if each.use is None and each.source.type != DEPOSIT), Fraction(0))
    return [] if opened == due - free else [f"by the books {text(due - free)} is open, the server says {text(opened)}"]


def stock(held, moved, books):
    """The level of a product in each warehouse is the sum of its movements, and what the books say.

    :param held: warehouse → quantity as read
    :param moved: warehouse → sum of the movements as read
    :param books: warehouse → quantity
    """
    wrong = []
    for place in sorted({*held, *moved, *books}):
        levels = [found.get(place, Fraction(0)) for found in (held, moved, books)]
        if len({*levels}) > 1:
            shown = [text(level) for level in levels]
            wrong.append(
                f"warehouse {place} has {shown[0]}, its movements add up to {shown[1]}, the books to {shown[2]}"
            )
    return wrong


def average(product, record):
    """The average price of a product is that by hand: 0 if it was never moved at a price, whatever its kit cost."""
    pmp = exact(record["pmp"])
    due = product.average
    return [f"product {product.id} has the average price {text(pmp)}, by hand {text(due)}"] if pmp != due else []


def bank(balance_read, lines, books):
    """A balance is the sum of its lines, and what was paid."""
    summed = sum((exact(line["amount"]) for line in lines), Fraction(0))
    if len({balance_read, summed, books}) > 1:
        return [f"the balance is {text(balance_read)}, its lines add up to {text(summed)}, the books to {text(books)}"]
    return []


__all__ = [
    "ABANDONED", "PAID", "agreed", "average", "balance", "bank", "coin", "discounts", "given_back", "issued",
    "local_taxes", "made_once", "opposite", "outstanding", "owed", "stock", "sums", "unchanged",
]  # fmt: skip
