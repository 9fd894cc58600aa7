"""A record that a caller may not see is not there: each response is that of an ID that nothing has."""

import copy
import json
import re

import pytest

from tests.attacks.published import Published
from tests.modules.callers.world import (
    DAY,
    HIDDEN,
    HIDDEN_WORDS,
    INTERNAL,
    MISSING,
    MISSING_WORDS,
    OWN,
    OWN_WORDS,
)

pytestmark = pytest.mark.slow

#: the first IDs of hidden records
FIRST = {"external": (HIDDEN, INTERNAL), "representative": (HIDDEN,)}
LIMITED = [*FIRST]
#: operations in which internal users see the company's own records, which may refer to any customer's
OF_THE_COMPANY = ("bankaccounts", "stockmovements", "users", "jobs")
#: services without any record of a customer
PASSED = ("setup", "explorer", "login", "health", "metrics", "dictionaries")
#: parts of the paths of what is switched off
SWITCHED_OFF = ("per_segment", "per_quantity", "setpricelevel")
#: what differs between two requests
_VOLATILE = ("X-Request-ID", "Content-Length", "ETag", "Date", "Server-Timing")
#: a field or parameter whose name says that its value leads to a record
_LEADS = re.compile(
    "id$|ids$|^fk_|origin|parent|account|linked|contact|amounts|source|supplier|category|ref$|modulepart"
)
_LEADS_TO_INTERNAL = re.compile("account|bank|user|origin|^id$")
_NO_RECORD = re.compile(
    "entity|country|state|_reglement|incoterm|typent|effectif|stcomm|method|unit|date|paymentid|code|amount$|mode|level|_id_prof"
)
REFS = {"proposals": "PR", "orders": "CO", "invoices": "FA", "shipments": "SH"}


@pytest.fixture(scope="module")
def operations(world):
    document = Published(world.admin.get("/explorer/openapi.json"))
    return [each for each in document.operations if each.service not in PASSED and "setGroup" not in each.path]


class Pair:
    """The same request, once with what is hidden and once with what is missing."""

    def __init__(self, world, undo, who):
        self.world, self.undo, self.who = world, undo, who
        self.client = world.callers[who]
        self.compared, self.different = 0, []

    def ask(self, verb, path, body, headers=None):
        """Return the response without what differs between two requests, and undo what it did."""
        sent = {} if body is None else {"json": body}
        answer = self.client.simulate_request(verb, path, headers=headers, **sent)
        self.undo()
        names = {each.lower() for each in _VOLATILE}
        kept = sorted(item for item in answer.headers.items() if item[0].lower() not in names)
        text = re.sub(r'"request_id":"[^"]*"', "", answer.content.decode(errors="replace"))
        return f"{answer.status_code} {kept} {text}"

    def compare(self, verb, hidden, missing, values, headers=None):
        """Note a difference between two requests.

        :param hidden: path and body
        :param missing: path and body
        :param values: pairs of a hidden value and a missing one, which both responses may repeat
        """
        found, expected = self.ask(verb, *hidden, headers), self.ask(verb, *missing, headers)
        for one, other in sorted(values, key=lambda pair: -len(str(pair[0]))):
            found, expected = found.replace(str(one), "@"), expected.replace(str(other), "@")
        self.compared += 1
        if found != expected:
            at = next((place for place, (a, b) in enumerate(zip(found, expected, strict=False)) if a != b), 0)
            texts = [f"  {each[max(0, at - 60) : at + 100]}" for each in (found, expected)]
            self.different.append("\n".join([f"{verb} {hidden[0]} {json.dumps(hidden[1]):.150}", *texts]))


@pytest.fixture
def pair(world, undo):
    """A function that returns the `Pair` of a caller, which holds at the end of the test."""
    made = []

    def make(who):
        made.append(Pair(world, undo, who))
        return made[-1]

    yield make
    assert not any(each.different for each in made), "\n".join(line for each in made for line in each.different)
    assert all(each.compared for each in made)


# IDs, references and addresses in a path ------------------------------------------------------------------------------


def value_of(world, operation, variable, first, offset):
    """Return a value for a variable of a path: that of a record, or of nothing."""
    words = {OWN: OWN_WORDS, MISSING: MISSING_WORDS}.get(first, HIDDEN_WORDS)
    fixed = {"category_id": 3, "warehouse_id": 1, "model": "sepamandate", "price_level": 1, "group": 1, "key": 1}
    if variable == "type":
        return "customer" if operation.service == "categories" else "BILLING"
    if variable == "ref":
        if operation.service not in REFS:
            return "LAMP"
        holder = world.own if first == OWN else world.hidden
        return holder.refs[operation.service] if first != MISSING else f"{REFS[operation.service]}2611-0999"
    if variable == "ref_ext":
        return f"E{ {'proposals': 1, 'orders': 3, 'shipments': 6, 'invoices': 8}.get(operation.service, 1) + offset }-{words}"
    if variable == "email":
        return {"contacts": "c.", "users": "u."}.get(operation.service, "") + f"{words}@example.org"
    if variable == "barcode":
        return f"B-{words}"
    if variable == "login":
        return words
    if (
        variable == "id"
        and operation.service in ("categories", "products", "warehouses")
        and "/{id}/" in operation.path
    ):
        return 3 if operation.service == "categories" else 1
    return fixed.get(variable, first + offset)


def paths_of(world, operation, first, offset):
    """Return pairs of paths: all variables lead to what is hidden, then one of them, then all others."""
    names = operation.variables
    own, hidden, missing = (
        {name: value_of(world, operation, name, each, offset) for name in names} for each in (OWN, first, MISSING)
    )
    chosen = [set(names), *({name} for name in names), *(set(names) - {name} for name in names)]
    for some in chosen:
        both = [own | {name: values[name] for name in some} for values in (hidden, missing)]
        values = [(both[0][name], both[1][name]) for name in names if both[0][name] != both[1][name]]
        if values:
            yield operation.at(both[0]), operation.at(both[1]), values


def is_about_the_company(operation, who):
    return who == "representative" and operation.service in OF_THE_COMPANY


@pytest.mark.parametrize("who", LIMITED)
def test_a_path_to_a_hidden_record_leads_nowhere(world, operations, pair, who):
    both = pair(who)
    for operation in operations:
        for first in FIRST[who] if not is_about_the_company(operation, who) else ():
            for offset in (0, 1):
                asked = {path[0]: path for path in paths_of(world, operation, first, offset)}
                for hidden, missing, values in asked.values():
                    body = operation.example if operation.verb != "GET" else None
                    both.compare(operation.verb, (hidden, body), (missing, body), values)
    assert both.compared > 500


@pytest.mark.parametrize("who", ["invoices", "none"])
def test_without_a_permission_no_id_makes_a_difference(world, operations, pair, who):
    both = pair(who)
    for operation in operations:
        if who == "invoices" and "invoices.read" in operation.permission:
            continue
        for hidden, missing, values in paths_of(world, operation, HIDDEN, 0):
            body = operation.example if operation.verb != "GET" else None
            both.compare(operation.verb, (hidden, body), (missing, body), values)
    assert both.compared > 300


def test_a_path_to_nothing_is_404(world, operations, undo):
    wrong = []
    for operation in operations:
        own = {name: value_of(world, operation, name, OWN, 0) for name in operation.variables}
        if any(each in operation.path for each in SWITCHED_OFF):
            continue
        for name in {*operation.variables} - {"type"}:
            missing = value_of(world, operation, name, MISSING, 0)
            path = operation.at(own | {name: missing if missing != own[name] else MISSING})
            body = operation.example if operation.verb != "GET" else None
            answer = world.admin.simulate_request(operation.verb, path, **({} if body is None else {"json": body}))
            undo()
            wrong += [(operation.verb, path, answer.text)] if answer.status_code != 404 else []
    assert wrong == [], "\n".join(map(str, wrong))


# IDs in a body or a query ---------------------------------------------------------------------------------------------


def with_own_records(value):
    """Return an example whose references lead to the first customer."""
    leads = {"socid", "fk_soc", "fourn_id", "fk_socpeople", "origin_id", "fk_origin_line"}
    if isinstance(value, list):
        return [with_own_records(each) for each in value]
    if not isinstance(value, dict):
        return value
    fresh = {"ref": "FRESH", "arrayofamounts": {str(OWN): "1.00"}}
    return {
        name: OWN if name in leads else fresh.get(name, with_own_records(each))
        for name, each in value.items()
        if name != "id"
    }


def forms_of(name, value):
    """Return the forms in which a field may refer to a record."""
    if name == "linked_objects":
        return [{kind: value} for kind in ("propal", "commande", "facture", "shipping")]
    if name == "arrayofamounts":
        return [{str(value): "1.00"}]
    if name == "contacts_ids":
        return [[{"id": value, "type": "BILLING"}]]
    return [value]


def bodies_of(operation, base, hidden, missing):
    """Return pairs of bodies, each with one reference to what is hidden, and to nothing."""
    leads = _LEADS if hidden == HIDDEN else _LEADS_TO_INTERNAL
    one = base[0] if isinstance(base, list) and base else base
    if not isinstance(one, dict):
        return
    names = {*operation.fields, *one} | ({"linked_objects", "contacts_ids"} if "socid" in operation.fields else set())
    for name in sorted(each for each in names if leads.search(each) and not _NO_RECORD.search(each)):
        for some, other in zip(forms_of(name, hidden), forms_of(name, missing), strict=True):
            made = []
            for value in (some, other):
                body = copy.deepcopy(base)
                (body[0] if isinstance(body, list) else body)[name] = value
                made.append(body)
            yield made
    for name in ("fk_parent_line", "fk_fournprice", "fk_origin_line", "id") if one.get("lines") else ():
        made = [copy.deepcopy(one) for _ in range(2)]
        for body, value in zip(made, (hidden, missing), strict=True):
            body["lines"][0][name] = value
        yield made


@pytest.mark.parametrize("who", LIMITED)
def test_a_body_cannot_refer_to_a_hidden_record(world, operations, pair, who):
    both = pair(who)
    for operation in operations:
        if operation.verb not in ("POST", "PUT") or "builddoc" in operation.path:
            continue
        values = {name: value_of(world, operation, name, OWN, 2) for name in operation.variables}
        draft = {"invoices": 2, "orders": 2, "proposals": 1, "shipments": 1}.get(operation.service, 0)
        path = operation.at(values | ({"id": OWN + draft} if values.get("id") == OWN + 2 else {}))
        for first in FIRST[who]:
            for bodies in bodies_of(operation, with_own_records(operation.example), first, MISSING):
                both.compare(operation.verb, (path, bodies[0]), (path, bodies[1]), [(first, MISSING)])
    assert both.compared > 200


@pytest.mark.parametrize("who", LIMITED)
def test_no_parameter_and_no_filter_finds_a_hidden_record(world, operations, pair, who):
    both = pair(who)
    for operation in operations:
        if operation.verb != "GET" or is_about_the_company(operation, who):
            continue
        path = operation.at({name: value_of(world, operation, name, OWN, 0) for name in operation.variables})
        for name in operation.parameters:
            if _LEADS.search(name):
                hidden, missing = (f"{path}?{name}={value}" for value in (HIDDEN, MISSING))
                both.compare("GET", (hidden, None), (missing, None), [(HIDDEN, MISSING)])
        for field in (
            ("t.rowid", "t.fk_soc", "t.socid", "s.nom", "t.parent", "t.ref", "t.label") if operation.is_list else ()
        ):
            for hidden, missing in ((str(HIDDEN), str(MISSING)), (HIDDEN_WORDS, MISSING_WORDS)):
                asked = [(f"{path}?sqlfilters=({field}:like:'%25{value}%25')", None) for value in (hidden, missing)]
                both.compare("GET", *asked, [(hidden, missing)])
    assert both.compared > 200


@pytest.mark.parametrize("who", LIMITED)
def test_a_batch_has_the_same_errors(pair, who):
    both = pair(who)
    for service in ("thirdparties", "contacts", "proposals", "orders", "invoices", "shipments"):
        bodies = [
            {
                "atomic": False,
                "entries": [
                    {"method": "PATCH", "id": value, "body": {"note_public": "x"}},
                    {"method": "DELETE", "id": value},
                    {
                        "method": "POST",
                        "body": {"socid": value, "parent": value, "date": DAY, "name": "x", "lastname": "x"},
                    },
                ],
            }
            for value in (HIDDEN, MISSING)
        ]
        path = f"/{service}/batch"
        both.compare("POST", (path, bodies[0]), (path, bodies[1]), [(HIDDEN, MISSING)])
        for header in ("If-Match", "If-None-Match"):
            paths = [(f"/{service}/{value}", {"note_public": "x"}) for value in (HIDDEN, MISSING)]
            both.compare("PUT", *paths, [(HIDDEN, MISSING)], {header: "*"})


# Files ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("who", LIMITED)
def test_a_file_of_a_hidden_record_is_not_there(world, pair, who):
    both = pair(who)
    parts = {
        "thirdparty": "",
        "contact": "",
        "proposal": "proposals",
        "order": "orders",
        "invoice": "invoices",
        "shipment": "shipments",
    }
    for part, service in parts.items():
        hidden, missing = (
            (world.hidden.refs[service], f"{REFS[service]}2611-0999") if service else (str(HIDDEN), str(MISSING))
        )
        values = [(hidden, missing), (HIDDEN, MISSING)]

        def compare(verb, path, body=None, part=part, hidden=hidden, missing=missing, values=values):
            text = json.dumps([path, body])
            asked = [
                json.loads(text.replace("REF", ref).replace("ID", str(number)))
                for ref, number in zip((hidden, missing), (HIDDEN, MISSING), strict=True)
            ]
            both.compare(verb, *asked, values)

        file = f"modulepart={part}&original_file=REF/{HIDDEN_WORDS}.txt"
        for path in (
            f"?modulepart={part}&id=ID",
            f"?modulepart={part}&ref=REF",
            f"/check?modulepart={part}&id=ID",
            f"/download?{file}",
            f"/raw?{file}",
        ):
            compare("GET", f"/documents{path}")
        compare("DELETE", f"/documents?{file}")
        compare("PUT", "/documents/builddoc", {"modulepart": part, "original_file": "REF/REF.pdf"})
        upload = {"modulepart": part, "filename": f"{HIDDEN_WORDS}.txt", "filecontent": "x"}
        compare("POST", "/documents/upload", upload | {"ref": "REF"})
        compare("POST", "/documents/upload", upload | {"subdir": "REF"})


# What a refusal says --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("who", LIMITED)
def test_a_used_value_says_nothing_about_its_holder(world, undo, who):
    """A value must be unique, so its refusal can't be avoided; it is the same whether its holder is hidden."""
    client = world.callers[who]
    for path, name, value in (
        ("/thirdparties/{}", "barcode", "B-{}"),
        ("/invoices/templates/{}", "title", "T-{}"),
        ("/thirdparties/{}/bankaccounts/{}", "rum", "R-{}"),
    ):
        said = client.refused("PUT", path.format(OWN, OWN), {name: value.format(HIDDEN_WORDS)}, status=405)
        undo()
        assert said.endswith(f"rejected: {name} {value.format(HIDDEN_WORDS)} is already used")


@pytest.mark.parametrize("who", LIMITED)
def test_a_refused_deletion_counts_no_hidden_record(world, undo, who):
    for path in ("/products/1", "/warehouses/1", f"/contacts/{OWN}"):
        said = world.callers[who].refused("DELETE", path, status=405)
        undo()
        assert said.endswith("other records") or "other records;" in said
        assert "order" not in said
        assert "invoice" not in said


def test_a_payment_in_a_hidden_account_is_cancelled_by_internal_users_only(world, undo):
    path = f"/invoices/payments/{OWN}"
    said = world.callers["external"].refused("DELETE", path, status=405)
    assert said == (
        "Method Not Allowed: the payment is booked to an account of the company; only internal users can cancel it"
    )
    assert world.admin.get(f"/bankaccounts/1/lines/{OWN}")["amount"] == "60.00000000"
    world.callers["representative"].ask("DELETE", path)
    undo()


# What a visible record says about hidden ones -------------------------------------------------------------------------


@pytest.mark.parametrize("who", LIMITED)
def test_a_record_that_refers_to_a_hidden_one_has_no_more_than_its_id(world, undo, operations, who):
    """Its own fields, its history, `expand` and exports: no name, reference or text of the hidden record."""
    admin, client = world.admin, world.callers[who]
    admin.ask("PUT", f"/thirdparties/{OWN}", {"parent": HIDDEN})
    admin.ask("PUT", f"/contacts/{HIDDEN}", {"socid": OWN})
    for service in ("proposals", "orders", "invoices"):
        admin.ask("POST", f"/{service}/{OWN}/contact/{HIDDEN}/BILLING")
    admin.ask("PUT", f"/contacts/{HIDDEN}", {"socid": HIDDEN})
    admin.ask("PUT", f"/orders/{OWN}", {"linked_objects": {"facture": HIDDEN}})
    admin.ask("PUT", f"/invoices/{OWN + 2}", {"fk_facture_source": HIDDEN})
    words = re.compile("|".join([HIDDEN_WORDS, *map(re.escape, world.hidden.refs.values())]))
    found, read = [], 0
    for operation in operations:
        if operation.verb != "GET" or is_about_the_company(operation, who):
            continue
        expanded = operation.parameters.get("expand", {}).get("schema", {}).get("items", {}).get("enum", ())
        for offset in (0, 2):
            path = operation.at({name: value_of(world, operation, name, OWN, offset) for name in operation.variables})
            for form in ("", f"?expand={','.join(expanded)}") if expanded else ("",):
                answer = client.simulate_get(path + form)
                read += answer.status_code == 200
                if words.search(answer.content.decode(errors="replace")):
                    found.append((path + form, answer.text[:200]))
    undo()
    assert found == []
    assert read > 80
