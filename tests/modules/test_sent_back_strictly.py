"""Every record of the demonstration data can be sent back as it was read, with `Prefer: handling=strict`."""

import re
from collections import Counter
from itertools import islice

import pytest

from core.commands.demo import make_demonstration
from core.contract.catalogue import catalogue
from core.testing import serving
from core.web.views import relations

pytestmark = pytest.mark.slow

STRICT = {"Prefer": "handling=strict"}
#: records of one operation that are sent back, and records of a list whose parts are
MOST, MOST_HOLDERS = 40, 80
#: parameters that change the form of values
FORMS = {"lang": "fr_FR", "dates": "iso", "empty": "0"}
#: constants, prices of whose kinds are disabled otherwise
PRICES = {
    "PRODUIT_MULTIPRICES": ("per_segment", {"price_level": 1, "price": 1}),
    "PRODUIT_CUSTOMER_PRICES": ("per_customer", {"fk_soc": 1, "price_ttc": "66"}),
    "PRODUIT_CUSTOMER_PRICES_BY_QTY": ("per_quantity", {"quantity": 10, "unitprice": 90}),
}
#: records that no list at the path above them has
FURTHER = {
    "/products/attributes/values/{}": "/products/attributes/values/1",
    "/products/variants/{}": "/products/variants/1",
    "/setup/dictionary/{}/{}": "/setup/dictionary/units/1",
    "/setup/extrafields/{}/{}": "/setup/extrafields/commande/colour",
    "/products/{}/selling_multiprices/per_segment/{}": "/products/1/selling_multiprices/per_segment/1",
    "/products/{}/selling_multiprices/per_customer/{}": "/products/1/selling_multiprices/per_customer/1",
    "/products/{}/selling_multiprices/per_quantity/{}": "/products/1/selling_multiprices/per_quantity/1",
}
#: lists whose latest records are drafts, which have lines that can change
WITH_DRAFTS = ("/proposals", "/orders", "/invoices")
#: a value and lists of permissions, not records
OTHER_THINGS = ("/setup/conf/{}", "/users/{}/rights", "/users/groups/{}/rights")


@pytest.fixture(scope="module", params=["specification", "dolibarr16"])
def served(request, tmp_path_factory):
    with serving(tmp_path_factory.mktemp("strict"), profile_name=request.param) as server:
        assert make_demonstration(server.settings) == []
        admin = server.client()
        admin.ask("POST", "/setup/extrafields/commande/colour", {"label": "Colour", "type": "varchar"})
        admin.ask("POST", "/webhooks", {"url": "https://example.com/hook", "events": "*"})
        for constant, (kind, price) in PRICES.items():
            admin.ask("PUT", f"/setup/conf/{constant}", {"value": "1"})
            admin.ask("POST", f"/products/1/selling_multiprices/{kind}", price)
        yield server


def read(client, path, query=None):
    answer = client.simulate_get(path, params=query)
    return answer.json if answer.status_code == 200 else None


def records(client, path, limit):
    query = {"limit": str(limit), "sortorder": "DESC" if path in WITH_DRAFTS else "ASC"}
    found = read(client, path, query if path.count("/") == 1 else None)
    if isinstance(found, dict):
        found = found.get("prices_by_qty_list")
    return found[:limit] if isinstance(found, list) else []


def plain(template):
    return re.sub(r"\{\w+\}", "{}", template)


def readers():
    return {plain(each.template): each for each in catalogue().operations if each.verb == "GET"}


def changes():
    """Yield every operation that changes a record which can also be read, by its ID or in a list."""
    known = readers()
    for each in catalogue().operations:
        template = plain(each.template)
        is_in_list = template.endswith("{}") and template.rpartition("/")[0] in known
        if each.verb in ("PUT", "PATCH") and template not in OTHER_THINGS and (template in known or is_in_list):
            yield each


def paths(client, template):
    """Yield the path of each record that a template leads to, and the record as its list has it."""
    before, variable, after = template.partition("{}")
    if not variable or template in FURTHER:
        path = FURTHER.get(template, template)
        listed = records(client, path.rpartition("/")[0], MOST) if variable else []
        yield path, next(iter(listed), {})
        return
    for record in records(client, before.rstrip("/"), MOST_HOLDERS if after else MOST):
        path = f"{before}{record['id']}{after}"
        yield from paths(client, path) if "{" in after else [(path, record)]


def queries(reader):
    """Yield no parameters, all that add keys, and all that change the form of values."""
    yield {}
    names = {each.name for each in reader.inputs if each.place == "query"} if reader else set()
    added = dict.fromkeys(names - FORMS.keys() - {"properties", "expand"}, "1")
    if reader and reader.shape and "expand" in names:
        added["expand"] = ",".join(relations().paths(reader.shape))
    yield from filter(None, (added, {name: value for name, value in FORMS.items() if name in names}))


def test_every_record_with_every_parameter_of_its_read(served):
    client, known, wrong = served.client(), readers(), []
    sent = Counter()
    for operation in changes():
        reader = known.get(plain(operation.template))
        for path, listed in islice(paths(client, plain(operation.template)), MOST):
            for query in queries(reader):
                record = read(client, path, query) if reader else listed
                # The prices of a segment are a list, the latest first
                record = record[0] if isinstance(record, list) and record else record
                assert record, f"{path} {query}"
                done = client.simulate_request(operation.verb, path, json=record, headers=STRICT)
                # Documents that are not drafts, and what records of other modules use, refuse some changes
                if done.status_code not in (200, 304, 405):
                    wrong.append(f"{operation.verb} {path} {query}: {done.text[:300]}")
                sent[f"{operation.verb} {operation.template}"] += done.status_code == 200
    assert "\n".join(wrong) == ""
    never = {f"{each.verb} {each.template}" for each in changes()} - {each for each, number in sent.items() if number}
    assert never == set()


@pytest.mark.parametrize("service", ["proposals", "orders", "invoices"])
def test_lines_with_their_products(served, service):
    client, number = served.client(), 0
    found = client.get(f"/{service}", limit=MOST_HOLDERS, sortfield="t.rowid", sortorder="DESC", expand="lines.product")
    for record in found:
        for line in record["lines"]:
            done = client.simulate_put(f"/{service}/{record['id']}/lines/{line['id']}", json=line, headers=STRICT)
            assert done.status_code in (200, 405), done.text
            number += done.status_code == 200 and bool(line["product"])
    assert number > 0


@pytest.mark.parametrize("service", ["proposals", "orders", "invoices"])
def test_a_copy_of_a_document(served, service):
    """A new document may be made from one that was read; `id` and `ref` are ignored."""
    client = served.client()
    found = client.get(f"/{service}", limit=MOST, expand="thirdparty,lines.product")
    record = next(each for each in found if each["lines"])
    made = client.simulate_post(f"/{service}", json=record, headers=STRICT)
    assert made.status_code == 200 and int(made.text.strip('"')) != int(record["id"]), made.text


@pytest.mark.parametrize(("sent", "meant"), [("options_color", "options_colour"), ("nonsense", "")])
def test_an_extra_field_that_is_not_defined(served, sent, meant):
    client = served.client()
    body = {"array_options": {sent: "red"}}
    for verb, path, more in (("PATCH", "/orders/1", {}), ("PUT", "/orders/1", {}), ("POST", "/orders", {"socid": 1})):
        done = client.simulate_request(verb, path, json={**more, **body}, headers=STRICT)
        (error,) = [each for each in done.json["error"]["errors"] if "array_options" in each["field"]]
        assert (done.status_code, error["field"]) == (400, f"array_options.{sent}")
        assert (f"Did you mean `array_options.{meant}`?" in error["message"]) == bool(meant)
    lenient = client.simulate_patch("/orders/1", json=body)
    assert lenient.status_code == 200 and f"array_options.{sent}" in lenient.headers["warning"]
