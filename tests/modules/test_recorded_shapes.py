"""Each key that release 16.0.3 was seen to answer of ten kinds of records, and which shapes its values had.

`recorded_shapes.tsv` holds what was seen: the shapes of a freshly read record first; ``absent`` where some records of a
kind lack the key. Records that are made here over HTTP, as those were, are held against it. What differs stands in
`left_shapes.tsv` with its reason, and nothing else does.
"""

import csv
import json
import re
from collections import defaultdict
from pathlib import Path

import pytest

from core.for_natives import catalogue, settings
from core.testing import serving

HERE = Path(__file__).parent
DAY = 1795219200
FREE = {"desc": "free line", "qty": 3, "subprice": "19.99", "tva_tx": "20", "product_type": 0, "remise_percent": 10}
#: shape → further ones that a value of its kind may have
WIDER = {
    "text": ("digits", "decimal", '"0"'),
    "digits": ('"0"',),
    "integer": ("0",),
    "decimal": ('"0.',),
    "list": ("[]",),
}


def table(name):
    with (HERE / name).open(newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def shape(value):
    """What a value looks like: what is empty as it is, of all else its kind."""
    if not value or (isinstance(value, str) and re.fullmatch(r"0(\.0+)?", value)):
        return json.dumps(value)
    if isinstance(value, str):
        found = re.fullmatch(r"-?\d+(\.(\d+))?", value)
        return "text" if not found else f"decimal{len(found[2])}" if found[1] else "digits"
    return {int: "integer", float: "float", list: "list", dict: "map", bool: "true"}[type(value)]


def fits(seen, recorded):
    """Whether a shape is among those that were recorded, or is what their kind of value may be as well."""
    for each in recorded:
        kind = re.sub(r"(?<=decimal)\d+", "", each)
        places = "." not in seen or kind != "decimal" or len(seen) == len('"0."') + int(each.removeprefix("decimal"))
        if seen == each or (any(seen.startswith(other) for other in WIDER.get(kind, ())) and places):
            return True
    return False


@pytest.fixture(scope="module")
def old(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("shapes"), profile_name="dolibarr16") as served:
        yield served


@pytest.fixture(scope="module")
def records(old):
    """Of each kind a few records, made and read as the recorded ones were."""
    client = old.client()
    found = defaultdict(list)

    def made(kind, service, **body):
        identifier = int(client.ask("POST", f"/{service}", body))
        found[kind].append(client.get(f"/{service}/{identifier}"))
        return identifier

    customer = made(
        "thirdparty", "thirdparties", name="Contract Test Customer", client="1", code_client="-1", zip="75001",
        email="customer@example.com", address="1 Test Street", town="Paris", country_id=1, tva_assuj=1, status=1,
    )  # fmt: skip
    made("thirdparty", "thirdparties", name="Bare", client="1", status=1)
    found["thirdparty"] += client.get("/thirdparties")
    made(
        "contact", "contacts", lastname="Doe", firstname="Jane", email="jane@example.com", phone_pro="0611223344",
        socid=customer, statut=1,
    )  # fmt: skip
    product = made(
        "product", "products", ref="PROD", label="Test product", type=0, price="100", price_base_type="HT",
        tva_tx="20.000", status=1, status_buy=1,
    )  # fmt: skip
    made("user", "users", login="rita", lastname="Restricted", firstname="Rita", email="rita@example.com", statut=1)
    lines = [FREE, {"desc": "product line", "qty": "2", "subprice": 100, "tva_tx": "5.5", "fk_product": product}]
    notes = {"ref_client": "CREF1", "note_public": "public note", "note_private": "private note"}
    terms = {"cond_reglement_id": 2, "mode_reglement_id": 2}
    body = {"socid": customer, "date": DAY, "lines": lines, **terms}
    proposal = made("proposal", "proposals", duree_validite=30, **notes, **body)
    order = made("order", "orders", **notes, **body)
    made("order", "orders", socid=customer, date=DAY, ref_client="CREF2")
    signed = client.ask("POST", "/proposals", body | {"duree_validite": 30, **notes})
    copied = client.ask("POST", f"/orders/createfromproposal/{signed}")
    billed = client.ask("POST", f"/invoices/createfromorder/{copied['id']}")
    found["order"].append(client.get(f"/orders/{copied['id']}"))
    invoice = int(billed["id"])
    found["invoice"].append(client.get(f"/invoices/{invoice}"))
    for service, identifier in (("proposals", proposal), ("orders", order), ("invoices", invoice)):
        kind = service.removesuffix("s")
        client.ask("POST", f"/{service}/{identifier}/validate", {})
        found[kind].append(client.get(f"/{service}/{identifier}"))
        found[f"{kind} line"] = [line for record in found[kind] for line in record["lines"]]
        found[f"{kind} line"] += client.get(f"/{service}/{identifier}/lines")
    found["proposal"] += client.get("/proposals", sqlfilters=f"(t.rowid:=:{proposal})")
    return found


def differences(records):
    """Kind and key → the shapes of ours that were not recorded."""
    found = {}
    for row in table("recorded_shapes.tsv"):
        kind, key, recorded = row["kind"], row["key"], row["shapes"].split(" ")
        ours = {shape(each[key]) if key in each else "absent" for each in records[kind]}
        if wrong := sorted(each for each in ours if not fits(each, recorded)):
            found[kind, key] = " ".join(wrong)
    return found


def test_what_differs_is_what_is_left(records):
    left = {(row["kind"], row["key"]): row["ours"] for row in table("left_shapes.tsv")}
    assert differences(records) == left


SERVICES = {
    "thirdparty": "thirdparties", "contact": "contacts", "product": "products", "user": "users",
    "proposal": "proposals", "order": "orders",
}  # fmt: skip


@pytest.mark.parametrize("kind", SERVICES)
def test_what_was_read_is_sent_back_without_a_warning(old, records, kind):
    """But of what the server alone writes, and lines, which have addresses of their own."""
    client = old.client()
    path = f"/{SERVICES[kind]}/{records[kind][0]['id']}"
    record = client.get(path)
    model = catalogue().services[SERVICES[kind]].records.model
    keys = settings().profile.key_tables[model].keys
    fields = {*model._meta.fields, *model._meta.aliases}
    assert len({*keys} & {*record}) == len(keys)
    for verb in ("PUT", "PATCH"):
        answer = client.simulate_request(verb, path, json=record)
        assert answer.status_code == 200
        warned = {*re.findall(r"\w+", answer.headers.get("warning", ""))}
        assert warned & {*keys} - fields == set()
        assert client.get(path) == record


def test_each_row_that_is_left_has_its_reason():
    rows = table("left_shapes.tsv")
    assert [row for row in rows if not row["reason"]] == []
    assert len({(row["kind"], row["key"]) for row in rows}) == len(rows)
