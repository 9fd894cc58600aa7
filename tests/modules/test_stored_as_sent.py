"""What is sent is stored, or the response says otherwise: by its `Warning`, which names the field, or by an error.

Made from the OpenAPI document: each field that a record has or takes gets values, on creation and by PATCH or PUT.
"""

import json
import re
from decimal import Decimal, InvalidOperation
from itertools import count

import pytest

# Some 4,000 requests
pytestmark = [pytest.mark.slow, pytest.mark.lasting]

LINE = {"desc": "Desk", "qty": 2, "subprice": "100", "tva_tx": "20"}
DOCUMENT = {"socid": 1, "date": "2026-11-21", "lines": [LINE]}
#: path of a creation → a body with `{}` for a number, and the path of a record if it isn't below
KINDS = {
    "/bankaccounts": ({"ref": "B{}", "label": "Bank {}", "type": 1}, ""),
    "/categories": ({"label": "C{}", "type": 0}, ""),
    "/contacts": ({"lastname": "Lenoir"}, ""),
    "/invoices": (DOCUMENT, ""),
    "/invoices/1/lines": (LINE, ""),
    "/invoices/templates": ({"title": "T{}", "socid": 1, "lines": [LINE]}, ""),
    "/invoices/templates/1/lines": (LINE, ""),
    "/orders": (DOCUMENT, ""),
    "/orders/1/lines": (LINE, ""),
    "/products": ({"ref": "P{}", "label": "Product"}, ""),
    "/products/1/selling_multiprices/per_customer": ({"fk_soc": 1, "price": 5}, ""),
    "/products/1/selling_multiprices/per_quantity": ({"quantity": "{}", "unitprice": 5}, ""),
    "/products/attributes": ({"ref": "A{}", "label": "Attribute"}, ""),
    "/products/attributes/1/values": ({"ref": "V{}", "value": "Value"}, "/products/attributes/values/{id}"),
    "/proposals": (DOCUMENT, ""),
    "/proposals/1/lines": (LINE, ""),
    "/setup/establishments": ({"label": "E"}, ""),
    "/setup/extrafields/product/x{}": ({"label": "Extra", "type": "varchar"}, "/setup/extrafields/product/x{number}"),
    "/shipments": ({"origin_id": 2, "lines": [{"fk_origin_line": 2, "qty": 1}]}, ""),
    "/stockmovements": ({"product_id": 1, "warehouse_id": 1, "qty": 1}, ""),
    "/thirdparties": ({"name": "Acme"}, ""),
    "/thirdparties/1/bankaccounts": ({"label": "R{}"}, ""),
    "/users": ({"login": "u{}"}, ""),
    "/users/groups": ({"name": "G{}"}, ""),
    "/warehouses": ({"label": "W{}"}, ""),
}
#: fields that aren't read: how a price is meant, a password, what makes a representative, words for the kind of origin
EXEMPT = ("id", "lines", "price_base_type", "pass", "commercial_id", "origin", "origin_type")
#: a second name in bodies → the key that shows the value
READ_AS = {
    "civility_id": "civility_code",
    "state_code": "state_id",
    "solde": "balance",
    "code_compta_client": "code_compta",
}
numbers = count(100)


@pytest.fixture(scope="module")
def world(server):
    admin = server.client()
    for name in ("One", "Two"):
        admin.ask("POST", "/thirdparties", {"name": name, "client": 1})
    admin.ask("POST", "/products", {"ref": "LAMP", "label": "Lamp", "price": "10", "tva_tx": "20"})
    admin.ask("POST", "/products", {"ref": "OAK", "label": "Oak", "price": "10", "tva_tx": "20"})
    for label in ("W1", "W2"):
        admin.ask("POST", "/warehouses", {"label": label})
    admin.ask("POST", "/stockmovements", {"product_id": 1, "warehouse_id": 1, "qty": 1000})
    admin.ask("POST", "/products/attributes", {"ref": "SIZE", "label": "Size"})
    for service in ("proposals", "orders", "invoices"):
        admin.ask("POST", f"/{service}", DOCUMENT)
    admin.ask("POST", "/invoices/templates", {"title": "T", "socid": 1, "lines": [LINE]})
    admin.ask("POST", "/orders", {**DOCUMENT, "lines": [{"fk_product": 1, "qty": 500, "subprice": 1}]})
    admin.ask("POST", "/orders/2/validate")
    for name in ("PRODUIT_CUSTOMER_PRICES", "PRODUIT_CUSTOMER_PRICES_BY_QTY"):
        admin.ask("PUT", f"/setup/conf/{name}", {"value": "1"})
    return admin, Schemas(admin.get("/explorer/openapi.json"))


class Schemas:
    """The bodies and records of the OpenAPI document."""

    def __init__(self, document):
        self.paths, self.schemas = document["paths"], document["components"]["schemas"]

    def resolved(self, schema):
        while "$ref" in schema or "anyOf" in schema:
            schema = self.schemas[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema["anyOf"][-1]
        return schema

    def template(self, path):
        """Return the path of an operation as the document has it."""
        wanted = path.split("/")
        fits = [
            each for each in self.paths
            if len(parts := each.split("/")) == len(wanted)
            and all(a == b or a.startswith("{") for a, b in zip(parts, wanted, strict=True))
        ]  # fmt: skip
        return max(fits, key=lambda each: sum(a == b for a, b in zip(each.split("/"), wanted, strict=True)), default="")

    def fields(self, verb, path):
        """Return the fields that a body may have, and those that the record has."""
        operation = self.paths.get(self.template(path), {}).get(verb.lower())
        if operation is None or "requestBody" not in operation:
            return {}
        sent = self.resolved(operation["requestBody"]["content"]["application/json"]["schema"])
        return dict(sent.get("properties", {}))


def values(schema, number):
    """Return values for a field: some that may be rounded, cleaned or rejected."""
    kinds = schema.get("type", "string")
    if "enum" in schema:
        return [each for each in schema["enum"] if each is not None][:3]
    if schema.get("format") == "unix-time" or "date" in schema.get("format", ""):
        return [1796083200]
    if "object" in kinds or "array" in kinds:
        return []
    if "number" in kinds or "0-9" in schema.get("pattern", ""):
        return ["12.34567891", "150"]
    if "integer" in kinds:
        return [1, 2]
    return [True] if "boolean" in kinds else [f" Aé/{number}: b.", str(number), "FR"]


def same(sent, read):
    texts = [str(int(each) if isinstance(each, bool) else each or 0).strip() for each in (sent, read)]
    try:
        return texts[0] == texts[1] or Decimal(texts[0]) == Decimal(texts[1])
    except InvalidOperation:
        return False


class Kind:
    """One kind of record: it is made, read, changed and deleted."""

    def __init__(self, admin, schemas, path):
        self.admin, self.path = admin, path
        self.body, self.item = KINDS[path]
        number, answer = self.make({})
        assert number, answer.text
        self.verb = next((verb for verb in ("PATCH", "PUT") if schemas.fields(verb, number)), "")
        record = self.read(number)
        taken = schemas.fields(self.verb or "PUT", number) | schemas.fields("POST", path.replace("{}", "x"))
        shown = {name: {} for name, value in record.items() if not isinstance(value, (dict, list))}
        self.fields = {name: schemas.resolved(each) for name, each in (shown | taken).items() if name not in EXEMPT}
        self.admin.simulate_delete(number)

    def make(self, more):
        """Return the path of a new record (empty: it was rejected), and the response."""
        number = next(numbers)
        path, body = [each.replace("{}", str(number)) for each in (self.path, json.dumps(self.body))]
        answer = self.admin.simulate_post(path, json=json.loads(body) | more)
        assert answer.status_code < 500, answer.text
        if answer.status_code != 200:
            return "", answer
        made = answer.json["id"] if isinstance(answer.json, dict) else answer.json
        return (self.item or f"{path}/{{id}}").format(id=made, number=number), answer

    def read(self, path):
        answer = self.admin.simulate_get(path)
        if answer.status_code == 200:
            return answer.json
        above, _, identifier = path.rpartition("/")
        found = self.admin.simulate_get(above, params={"limit": "1000"}).json
        found = found.get("prices_by_qty_list", found) if isinstance(found, dict) else found
        return next(each for each in found if str(each["id"]) == identifier)

    def lost(self):
        """Yield each value that was neither stored, nor rejected, nor in the `Warning`."""
        for name, schema in self.fields.items():
            for value in values(schema, next(numbers)):
                path, answer = self.make({name: value})
                if path:
                    yield from self.problem("POST", path, name, value, answer)
                    self.admin.simulate_delete(path)
                if not self.verb:
                    continue
                path, answer = self.make({})
                assert path, answer.text
                answer = self.admin.simulate_request(self.verb, path, json={name: value})
                assert answer.status_code < 500, answer.text
                if answer.status_code == 200:
                    yield from self.problem(self.verb, path, name, value, answer)
                self.admin.simulate_delete(path)

    def problem(self, verb, path, name, value, answer):
        field = READ_AS.get(name, name)
        stored, warning = self.read(path).get(field), answer.headers.get("warning", "")
        if name == "state_code" and stored:
            # A number that happens to be the code of a state
            return
        is_named = re.search(rf"(?<!\w)({re.escape(name)}|{field})(?!\w)", warning)
        if not is_named and not same(value, stored):
            yield f"{verb} {self.path} {name}: {value!r} is stored as {stored!r}"


@pytest.mark.parametrize("path", KINDS)
def test_each_value_is_stored_or_named(world, path):
    lost = list(Kind(*world, path).lost())
    assert not lost, "\n".join(lost)
