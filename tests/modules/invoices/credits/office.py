"""A client with a customer of its own, in either profile, and what the tests of credit notes do with invoices."""

from tests.modules.invoices.credits.credits import act, read, refuse

#: amounts of a document and of a line
AMOUNTS = ("total_ht", "total_tva", "total_ttc")


def open_office(server, *, is_old=False):
    """Return an office of a server.

    :param is_old: its profile is `dolibarr16`
    """
    client = server.client()
    return Office(client, client.ask("POST", "/thirdparties", {"name": "Customer Ltd", "client": 1}), is_old=is_old)


class Office:
    """What these tests do with invoices."""

    def __init__(self, client, customer, *, is_old):
        self.client = client
        self.customer = customer
        self.is_old = is_old

    def make(self, *lines, validated=True, **fields):
        body = {"socid": self.customer, "date": "2026-11-21", "lines": list(lines), **fields}
        identifier = self.client.ask("POST", "/invoices", body)
        if validated:
            act(self.client, identifier, "validate")
        return identifier

    def credit(self, source, *lines, validated=True):
        """Make a credit note; without lines, of those of its invoice as they are read."""
        sent = lines or read(self.client, source)["lines"]
        return self.make(*sent, validated=validated, type=2, fk_facture_source=source)

    def total(self, identifier):
        return short(read(self.client, identifier)["total_ttc"])

    def amounts(self, identifier):
        """Return the totals of an invoice, then those of its lines."""
        record = read(self.client, identifier)
        return [tuple(short(each[name]) for name in AMOUNTS) for each in (record, *record["lines"])]

    def refused(self, identifier, action="validate"):
        return refuse(self.client, identifier, action)

    def set(self, name, value):
        self.client.ask("PUT", f"/setup/conf/{name}", {"value": value})

    def discounts(self, source):
        """Return the amounts of the discounts that were made from an invoice: rate, net, VAT, gross."""
        rows = self.client.get(f"/thirdparties/{self.customer}/fixedamountdiscounts")
        names = ("tva_tx", "amount_ht", "amount_tva", "amount_ttc")
        mine = [row for row in rows if int(row["fk_facture_source"]) == source]
        return [tuple(short(row[name]) for name in names) for row in mine]


def short(amount):
    whole, _, places = str(amount).partition(".")
    return f"{whole}.{places.rstrip('0'):0<2}"


def opposite(amounts):
    return [tuple(each.removeprefix("-") if each.startswith("-") else minus(each) for each in row) for row in amounts]


def minus(amount):
    return amount if amount == "0.00" else f"-{amount}"
