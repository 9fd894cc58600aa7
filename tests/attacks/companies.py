"""Every operation × the records of another company, for an external user and a representative: reads, then writes.

`others.py` attacks what belongs to somebody in each way that is known; these rows leave out no operation of the
description, so that one that is added is attacked, too.
"""

import json
import re

from .people import MARK
from .rows import row
from .wire import with_query

#: an external user who holds every right, and an internal one who represents another third party
WHO = ("external", "internal")
_HIDDEN = (400, 401, 403, 404, 405, 409)
_CHANGES = ("POST", "PUT", "PATCH", "DELETE")
#: services whose writes are about the server, or about nobody's records
_NOT_ABOUT_COMPANIES = ("login", "setup", "jobs", "audit", "documents", "bankaccounts", "dictionaries", "metrics")
#: what a field or a parameter that leads to a record is called
_LEADS = re.compile(
    r"^(socid|id|ref|.*_ids?|fk_.*|.*id|supplier|contact.*|thirdparty.*|linked.*|arrayof.*|email|barcode)$"
)
#: further forms of a list
_FORMS = ("limit=1000", "pagination_data=1&limit=1000", "count=1", "sortorder=desc&limit=1000", "q=eyes")


class Companies:
    """The records of the other company and of one's own: those of `People`, and what belongs to these."""

    def __init__(self, field):
        self.field = field
        people = field.people
        self.product = _id_of(field.made("/products", {"ref": people.fresh("GOODS"), "label": "Goods", "price": 10}))
        self.category = _id_of(field.made("/categories", {"label": people.fresh("kind"), "type": 2}))
        self.parts = {"other": self._parts(people.others, MARK), "own": self._parts(people.own, "our-own-words")}

    def _parts(self, records, words):
        """What belongs to the records of a company: variable or field → its value."""
        field, socid = self.field, records["thirdparties"]
        line = {"desc": words, "qty": 1, "subprice": 5}
        account = {"label": words, "bank": words, "iban": "FR7630006000011234567890189", "bic": "AGRIFRPP"}
        template = {"title": field.people.fresh(words), "socid": socid, "lines": [line]}
        paid = _id_of(field.made("/invoices", {"socid": socid, "date": "2026-11-21", "lines": [line]}))
        field.made(f"/invoices/{paid}/validate", {})
        name = field.people.fresh("GIRO")
        bank = {"ref": name, "label": name, "type": 1, "currency_code": "EUR", "country_id": 1}
        giro = _id_of(field.made("/bankaccounts", bank | {"date_solde": "2026-11-21"}))
        payment = {"datepaye": 1795219200, "paymentid": 2, "closepaidinvoices": "no", "accountid": giro}
        price = {"fk_soc": socid, "price": "7.77", "ref_customer": words}
        field.made("/setup/conf/PRODUIT_CUSTOMER_PRICES", {"value": "1"}, verb="PUT")
        purchase = {
            "qty": 1,
            "buyprice": 4,
            "price_base_type": "HT",
            "fourn_id": socid,
            "availability": 1,
            "tva_tx": 20,
        }
        field.made(f"/thirdparties/{socid}", {"fournisseur": 1}, verb="PUT")
        bought = field.made(
            f"/products/{self.product}/purchase_prices", purchase | {"ref_fourn": field.people.fresh(words)}
        )
        credit = {"type": 2, "fk_facture_source": paid, "socid": socid, "date": "2026-11-21", "lines": [line]}
        given = _id_of(field.made("/invoices", credit))
        field.made(f"/invoices/{given}/validate", {})
        field.made(f"/invoices/{given}/markAsCreditAvailable", {})
        return {
            "discountid": _id_of(field.made(f"/invoices/{given}/discount", None, verb="GET")),
            "purchase": _id_of(bought),
            "bankaccount_id": _id_of(field.made(f"/thirdparties/{socid}/bankaccounts", account)),
            "template": _id_of(field.made("/invoices/templates", template)),
            "paid": paid,
            "payment": _id_of(field.made(f"/invoices/{paid}/payments", payment)),
            "priceid": _id_of(field.made(f"/products/{self.product}/selling_multiprices/per_customer", price)),
        }

    def values(self, operation, whose):
        """Values for the variables of an operation, all of them of one company."""
        people, parts = self.field.people, self.parts[whose]
        records = people.others if whose == "other" else people.own
        values = people.values(operation, whose) | {
            "object_id": records["thirdparties"], "object_ref": records["thirdparties"], "type": "BILLING",
            "bankaccount_id": parts["bankaccount_id"], "category_id": self.category, "idtodelete": records["thirdparties"],
            "contactid": records["contacts"],
            "discountid": parts["discountid"],
        }  # fmt: skip
        if operation.service == "products":
            price = parts["purchase" if "purchase_prices" in operation.path else "priceid"]
            values |= {"id": self.product, "priceid": price}
        elif operation.service == "categories":
            values |= {"id": self.category, "type": "customer"}
        elif operation.service == "users":
            values |= {"id": people.ids["clerk" if whose == "other" else "nobody"]}
        elif operation.path.startswith("/invoices/templates"):
            values |= {"id": parts["template"]}
        elif operation.path.startswith("/invoices/payments"):
            values |= {"id": parts["payment"]}
        return values

    def path(self, operation, whose):
        """The path of an operation, with values of one company."""
        return operation.at(self.values(operation, whose))

    def paths(self, operation):
        """The paths of an operation that lead to the other company: all values of it, and each beside own ones."""
        other, own = self.values(operation, "other"), self.values(operation, "own")
        differing = [name for name in operation.variables if other.get(name) != own.get(name)]
        mixed = [values for name in differing for values in ({**own, name: other[name]}, {**other, name: own[name]})]
        yield from dict.fromkeys(
            operation.at(each) for each in (other, *mixed) if operation.at(each) != operation.at(own)
        )

    def foreign(self, name):
        """What a field or a parameter may be told of the other company, by its name."""
        others, parts = self.field.people.others, self.parts["other"]
        if "email" in name or name in ("ref", "ref_ext", "barcode"):
            return [f"{MARK}@example.org" if "email" in name else MARK]
        if name.startswith("linked"):
            return [{"propal": others["proposals"], "commande": others["orders"], "facture": others["invoices"]}]
        if name == "arrayofamounts":
            return [{str(parts["paid"]): "1.00"}]
        if name == "contacts":
            return [[{"id": others["contacts"], "type": "BILLING"}]]
        named = {"contact": "contacts", "socpeople": "contacts", "facture": "invoices", "invoice": "invoices",
                 "order": "orders", "commande": "orders", "origin": "orders", "propal": "proposals"}  # fmt: skip
        service = next((each for part, each in named.items() if part in name), "thirdparties")
        return [others[service], *([parts["bankaccount_id"]] if "account" in name else [])]

    def belongs(self, operation):
        """Whether the variables of an operation lead to a company."""
        return any(self.paths(operation))

    def state(self):
        """All that the other company has, as an administrator reads it."""
        field, others, parts = self.field, self.field.people.others, self.parts["other"]
        told = dict(field.snapshot())
        socid = others["thirdparties"]
        paths = [f"/thirdparties/{socid}/{each}" for each in ("bankaccounts", "categories", "representatives")]
        paths += [f"/invoices/templates/{parts['template']}", f"/invoices/{parts['paid']}"]
        paths += [f"/invoices/{parts['paid']}/payments", f"/contacts/{others['contacts']}/categories"]
        paths += [f"/{name}/{others[name]}/contacts" for name in ("proposals", "orders", "invoices") if name in others]
        paths += [f"/thirdparties/{socid}/fixedamountdiscounts", f"/products/purchase_prices?supplier={socid}"]
        paths += [f"/products/{self.product}/selling_multiprices/per_customer?thirdparty_id={socid}"]
        paths += [f"/users/{field.people.ids['clerk']}", f"/users/{field.people.ids['clerk']}/keys"]
        for path in paths:
            answer = field.ask("admin", "GET", path)
            told[path] = answer.json if answer.status == 200 else answer.status
        for each in field.published.lists:
            if not each.variables and "socid" in field.published.record_of(each):
                path = with_query(each.path, sqlfilters=f"(t.fk_soc:=:{socid})", limit=1000, properties="id")
                answer = field.ask("admin", "GET", path)
                told[each.path] = answer.json if answer.status == 200 else answer.status
        return json.dumps(told, sort_keys=True)


def _id_of(answered):
    return int(answered["id"] if isinstance(answered, dict) else answered)


def _tells(body, socid):
    """Whether an answer holds words of the other company, or a record of it."""
    return MARK.encode() in body or re.search(rb'"(socid|fk_soc|fourn_id)":"?%d"?[,}]' % socid, body) is not None


@row(
    "company-reads",
    "every GET with another company's IDs, references and addresses, from both companies, in every format",
)
def reading(field, tally):
    """Paths of all others' values, mixed with own ones; parameters that lead there; lists, sheets, relations."""
    companies = field.companies
    socid = field.people.others["thirdparties"]

    def attack(asked):
        who, path, hidden, headers = asked
        answer = field.ask(who, "GET", path, headers=headers)
        sent = path.encode()
        held = not _tells(answer.body if MARK.encode() not in sent else answer.body.replace(MARK.encode(), b""), socid)
        held = held and answer.status < 500 and (not hidden or answer.status in (*_HIDDEN, 406))
        tally.check(held, f"{who} GET {path} {headers or ''} -> {answer.status} {answer.body[:150]!r}")

    asked = []
    for operation in [each for each in field.published.operations if each.verb == "GET"]:
        # Lines of the company's own accounts say who paid: for every internal user who may read them
        for who in WHO if operation.service != "bankaccounts" else ("external",):
            asked += [(who, *each) for each in _reads(companies, operation)]
    field.each(asked, attack)


def _reads(companies, operation):
    """Path, whether it is hidden as a whole, and headers."""
    # What belongs to nobody is read, as far as a right goes; of a company's record nothing is
    owned = companies.belongs(operation) and operation.service not in ("categories", "products")
    expanded = operation.parameters.get("expand", {}).get("schema", {}).get("items", {}).get("enum", ())
    own = companies.path(operation, "own")
    for path in (*companies.paths(operation), own):
        hidden = owned and operation.service != "users" and path != own
        yield path, hidden, None
        for each in (*expanded, ",".join(expanded)) if expanded else ():
            yield f"{path}?expand={each}", hidden, None
    for name in operation.parameters:
        if _LEADS.match(name):
            for value in companies.foreign(name):
                yield with_query(own, **{name: value}), False, None
    if operation.is_list:
        for form in _FORMS:
            yield f"{own}?{form}", False, None
        for kind in ("text/csv", "application/x-ndjson"):
            yield f"{own}?all=1", False, {"Accept": kind}
        record = companies.field.published.record_of(operation)
        for name in {"socid", "fk_soc", "thirdparty"} & {*record}:
            yield with_query(own, sqlfilters=f"(t.{name}:=:{companies.foreign('socid')[0]})"), False, None


@row(
    "company-writes",
    "every POST, PUT, PATCH and DELETE with another company's records in path or body, from both companies",
)
def writing(field, tally):
    """Others' records, others' parts below own ones and the reverse, others' identifiers in bodies."""
    companies = field.companies
    before = companies.state()

    def attack(asked):
        who, verb, path, body, hidden = asked
        answer = field.ask(who, verb, path, body)
        sent = json.dumps(body).encode() + path.encode()
        told = answer.body.replace(MARK.encode(), b"") if MARK.encode() in sent else answer.body
        held = answer.status < 500 and MARK.encode() not in told and (not hidden or answer.status in _HIDDEN)
        tally.check(held, f"{who} {verb} {path} {json.dumps(body)[:120]} -> {answer.status} {answer.body[:120]!r}")

    changes = [each for each in field.published.operations if each.verb in _CHANGES]
    changes = [each for each in changes if each.service not in _NOT_ABOUT_COMPANIES and "batch" not in each.path]
    for who in WHO:
        for operation in changes:
            # One after the other: what one attack has changed would be laid at the door of another one
            for verb, path, body, hidden in _writes(companies, operation):
                attack((who, verb, path, body, hidden))
        now = companies.state()
        tally.check(now == before, f"{who} has changed what another company has: {_difference(before, now)}")


def _writes(companies, operation):
    """Verb, path, body, and whether a refusal is all that may come."""
    example = operation.example if isinstance(operation.example, dict) else {}
    if companies.belongs(operation):
        for path in companies.paths(operation):
            for body in (example, {}) if operation.verb != "DELETE" else (None,):
                yield operation.verb, path, body, True
    own = companies.path(operation, "own")
    for name in sorted(operation.fields) if operation.verb != "DELETE" and operation.service != "users" else ():
        if _LEADS.match(name) and name not in ("id", "ref"):
            # A text of the other company would be one's own from then on
            for value in [each for each in companies.foreign(name) if not isinstance(each, str)]:
                yield operation.verb, own, {**example, name: value}, False


@row("batches", "no batch is a way around a permission or a row rule")
def batches(field, tally):
    """Every entry that a batch takes, for those who may not, about another company's records."""
    others = field.people.others
    before = field.snapshot()
    body = {"socid": others["thirdparties"], "name": "x", "lastname": "x", "date": "2026-11-21"}
    found = [each for each in field.published.operations if each.path.endswith("/batch")]
    tally.check(len(found) > 3, f"{len(found)} operations take batches")
    for batch in found:
        base = batch.path.removesuffix("/batch")
        for verb in ("POST", "PUT", "PATCH", "DELETE"):
            single = field.published.find(f"{verb} {base}" if verb == "POST" else f"{verb} {base}/{{id}}")
            if single is None:
                continue
            entry = {"method": verb} | ({} if verb == "POST" else {"id": others.get(batch.service, 999999)})
            entry |= {} if verb == "DELETE" else {"body": body}
            for atomic in (True, False):
                for who in ("", "nobody", *WHO):
                    answer = field.ask(who, "POST", batch.path, {"atomic": atomic, "entries": [entry]})
                    told = answer.json["results"][0]["status"] if answer.status == 200 else answer.status
                    held = told < 500 and MARK.encode() not in answer.body
                    if who == "" or (who == "nobody" and single.permission):
                        held = held and told == 401
                    elif batch.service in others and verb != "POST":
                        held = held and told in (401, 404, 405)
                    tally.check(held, f"{who} {batch.path} {entry} -> {told} {answer.body[:120]!r}")
    tally.same(before, field.snapshot(), "another's records have changed")


def _difference(before, now):
    was, is_ = json.loads(before), json.loads(now)
    return ", ".join(
        f"{name}: {str(was[name])[:150]} is {str(is_.get(name))[:150]}" for name in was if was[name] != is_.get(name)
    )
