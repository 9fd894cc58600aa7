"""What is sent is stored, or the response says otherwise: by its `Warning`, which names the field, or by an error.

Made from the OpenAPI document: each field that a record has or takes gets values, on creation and by PATCH or PUT.
"""

import re
from decimal import Decimal, InvalidOperation
from itertools import count

import pytest

pytestmark = pytest.mark.slow

LINE = {"desc": "Desk", "qty": 2, "subprice": "100", "tva_tx": "20"}
DOCUMENT = {"socid": 1, "date": "2026-11-21", "lines": [LINE]}
#: path of a creation → a body with `{}` for a number, and the path of a record if it isn't below
KINDS = {
    "/bankaccounts": ({"ref": "B{}", "label": "Bank", "type": 1}, ""),
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
    "/products/1/selling_multiprices/per_quantity": ({"quantity": 10, "unitprice": 5}, ""),
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


def values(name, schema, number):
    """Yield values for a field."""
    kinds = schema.get("type", "string")
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if "enum" in schema:
        yield from [each for each in schema["enum"] if each is not None][:3]
    elif schema.get("format") == "unix-time" or "date" in schema.get("format", ""):
        yield 1796083200
    elif "object" in kinds or "array" in kinds:
        return
    elif "number" in kinds or "0-9" in schema.get("pattern", ""):
        yield from ("12.34567891", "7", "-3.5", "150")
    elif "integer" in kinds:
        yield from (1, 2)
    elif "boolean" in kinds:
        yield from (True, False)
    else:
        yield from (f"Aé/{number} b", f" x{number}:y ", f"a{number}@example.org", f"{number}", "FR", "TTC")


def same(sent, read):
    if str(sent).strip() == str(read).strip() or (sent in (None, "") and read in (None, "")):
        return True
    try:
        return Decimal(str(int(sent) if isinstance(sent, bool) else sent)) == Decimal(
            str(int(read) if isinstance(read, bool) else read)
        )
    except InvalidOperation:
        return False


def read(admin, path, identifier):
    answer = admin.simulate_get(path)
    if answer.status_code == 200:
        return answer.json
    found = admin.simulate_get(path.rpartition("/")[0], params={"limit": "1000"}).json
    found = found.get("prices_by_qty_list", found) if isinstance(found, dict) else found
    return next(each for each in found if str(each["id"]) == str(identifier))


def wrong(admin, schemas, kind):
    """Yield each value that was neither stored nor named."""
    body, item = KINDS[kind]

    def made(more):
        number = next(numbers)
        path = kind.replace("{}", str(number))
        sent = {
            key: value.replace("{}", str(number)) if isinstance(value, str) else value for key, value in body.items()
        }
        answer = admin.simulate_post(path, json=sent | more)
        assert answer.status_code < 500, answer.text
        if answer.status_code != 200:
            return answer, "", None
        identifier = answer.json["id"] if isinstance(answer.json, dict) and "id" in answer.json else answer.json
        return answer, (item or f"{path}/{{id}}").format(id=identifier, number=number), identifier

    answer, path, identifier = made({})
    assert path, answer.text
    verb = next((verb for verb in ("PATCH", "PUT") if schemas.fields(verb, path)), None)
    first = read(admin, path, identifier)
    fields = {key: {} for key in first} | schemas.fields("PUT", path) | schemas.fields("POST", kind.replace("{}", "x"))
    for name, schema in fields.items():
        schema = schemas.resolved(schema) if "$ref" in schema else schema
        if isinstance(first.get(name), (dict, list)) or name in ("id", "lines"):
            continue
        for value in values(name, schema, next(numbers)):
            answer, path, identifier = made({name: value})
            if path:
                yield from problem("POST", kind, name, value, answer, read(admin, path, identifier))
            if verb:
                _, path, identifier = made({})
                answer = admin.simulate_request(verb, path, json={name: value})
                assert answer.status_code < 500, answer.text
                if answer.status_code == 200:
                    yield from problem(verb, kind, name, value, answer, read(admin, path, identifier))


def problem(verb, kind, name, value, answer, record):
    warned = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", answer.headers.get("warning", ""))
    if not warned and not same(value, record.get(name)):
        yield verb, kind, name, value, record.get(name)


@pytest.mark.parametrize("path", KINDS)
def test_each_value_is_stored_or_named(world, path):
    assert not (found := list(wrong(*world, path))), "\n".join(map(str, found))
