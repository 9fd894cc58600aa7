"""What the tests of values in both profiles have in common: a customer, a product that weighs something, documents."""

DAY = "2026-11-21"


def make(client, service, /, **fields):
    identifier = client.ask("POST", f"/{service}", fields)
    assert isinstance(identifier, int)
    return identifier


class Trade:
    """A customer, a product of 1.5 kg and 2 litres that is bought, too, and a document of each kind.

    The first line is 3 × 19.99 less 10 %, the second two pieces of the product, the third 2 × 12.50.
    """

    def __init__(self, client):
        self.client = client
        self.customer = make(client, "thirdparties", name="Atelier Vasseur", client=1, status=1)
        self.product = make(
            client, "products", ref="OAK", label="Oak", price=100, tva_tx="5.5", status=1, status_buy=1,
            weight="1.5", weight_units=0, volume=2, volume_units=-3,
        )  # fmt: skip
        lines = [
            {"desc": "Desk", "qty": 3, "subprice": "19.99", "remise_percent": 10},
            {"fk_product": self.product, "qty": 2},
            {"desc": "Chair", "qty": 2, "subprice": "12.5"},
        ]
        given = {"socid": self.customer, "date": DAY, "cond_reglement_id": 2, "mode_reglement_id": 2, "lines": lines}
        more = {
            "proposals": {"availability_id": 1, "demand_reason_id": 1},
            "orders": {"availability_id": 1, "delivery_date": 1796000000},
            "invoices": {},
        }
        self.ids = {service: make(client, service, **given, **own) for service, own in more.items()}

    def read(self, service):
        return self.client.get(f"/{service}/{self.ids[service]}")

    def lines(self, service, *names):
        """Of each line of a document the values of some keys."""
        return [tuple(line[name] for name in names) for line in self.read(service)["lines"]]
