"""Who attacks and who is attacked: users with keys and rights, the records of two third parties, secrets."""

import base64
import hashlib
import itertools

from .wire import with_query

KEY = "planted-administrator-key-41c7d0"
#: stands in everything that belongs to another third party
MARK = "not-for-other-eyes"
PASSWORD = "planted-password-77b2"
CONSTANT = "planted-constant-5a1e"
#: rights that are about the server itself, which no clerk has
_OVER_OTHERS = ("users.", "setup.", "metrics.", "audit.", "thirdparties.all")
#: variable of a path → service of the record it names
_NAMED = {"proposalid": "proposals", "orderid": "orders", "invoiceid": "invoices", "contactid": "contacts"}
ABSENT = 987654


class People:
    """Users, and what belongs to whom."""

    #: who must not see anything of the other third party
    BLIND = ("external", "internal", "nobody", "")

    def __init__(self, field):
        self._numbers = itertools.count(1)
        self.keys = {"admin": KEY, "": ""}
        self.ids = {}
        #: service → record of the other third party, and of the attackers' own
        self.others = {}
        self.own = {}
        #: service → further values of a path, of either
        self._parts = {"other": {}, "own": {}}
        #: service → a record without a third party
        self._common = {}
        self._field = field
        self.secrets = [each.encode() for each in (KEY, digest(KEY), PASSWORD, CONSTANT, "$argon2")]

    def add(self, who, rights, *, socid=None, **fields):
        """A further user with a key; answers the key."""
        made = self._field.made
        body = {"login": who, "lastname": who, "email": f"{who}@example.org", **fields}
        self.ids[who] = made("/users", body)
        if rights:
            made(f"/users/{self.ids[who]}/rights", rights, verb="PUT")
        if socid:
            made(f"/users/{self.ids[who]}/thirdparty", {"socid": socid}, verb="PUT")
        self.keys[who] = made(f"/users/{self.ids[who]}/keys", {"label": who})["key"]
        return self.keys[who]

    def fresh(self, what):
        """A name that nobody has yet."""
        return f"{what}{next(self._numbers)}"

    def fill(self, field):
        """Make third parties, users and records."""
        rights = field.published.rights
        business = [each for each in rights if not each.startswith(_OVER_OTHERS)]
        for whose, records in (("other", self.others), ("own", self.own)):
            body = {"name": f"{_mark(whose)} Ltd", "email": f"{_mark(whose)}@example.org", "client": 1}
            records["thirdparties"] = field.made(
                "/thirdparties", {**body, "barcode": _mark(whose), "ref_ext": _mark(whose)}
            )
        own = self.own["thirdparties"]
        # What the external user holds does not matter: none of it leads to others
        self.add("external", rights, socid=own)
        self.add("internal", business)
        self.add("clerk", [*business, "thirdparties.all", "users.read", "setup.read"])
        self.add("nobody", [])
        field.made(f"/thirdparties/{own}/representatives/{self.ids['internal']}", None)
        for who in ("external", "nobody"):
            field.made(f"/users/{self.ids[who]}", {"pass": PASSWORD}, verb="PUT")
        for name in ("PLANTED_API_KEY_FREE_TEXT", "PLANTED_TOKEN_FREE_TEXT"):
            field.made(f"/setup/conf/{name}", {"value": CONSTANT}, verb="PUT")
        for operation in field.published.operations:
            # A user's third party is who the user acts for, not whose record the user is
            owned = "socid" in operation.fields and operation.service != "users"
            if operation.verb == "POST" and operation.path.count("/") == 1 and owned:
                for whose, records in (("other", self.others), ("own", self.own)):
                    self._make(field, operation, whose, records)
        self._common["categories"] = field.made("/categories", {"label": self.fresh("kind"), "type": 2})
        self._common["products"] = field.made("/products", {"ref": self.fresh("GOODS"), "label": "Goods"})
        for whose, records in (("other", self.others), ("own", self.own)):
            lines = [{"desc": _mark(whose), "qty": 1, "subprice": 5}]
            template = {"title": _mark(whose), "socid": records["thirdparties"], "lines": lines}
            self._parts[whose]["templates"] = {"id": field.made("/invoices/templates", template)}
        field.watch.secrets += [key.encode() for key in self.keys.values() if key and key != KEY]
        field.watch.secrets += [digest(key).encode() for key in self.keys.values() if key]

    def _make(self, field, operation, whose, records):
        body = dict(operation.example) | {"socid": records["thirdparties"]}
        if "origin_id" in operation.fields:
            body |= self._shipped(field, records["thirdparties"])
        texts = [
            each for each in ("note_public", "note_private", "lastname", "ref_ext", "email") if each in operation.fields
        ]
        body |= {each: f"c.{_mark(whose)}@example.org" if each == "email" else _mark(whose) for each in texts}
        if isinstance(body.get("lines"), list):
            body["lines"] = [{**line, "desc": _mark(whose)} for line in body["lines"]]
        service = operation.service
        records[service] = identifier = field.made(operation.path, body)
        record = field.made(f"/{service}/{identifier}", None, verb="GET")
        parts = {name: record[name] for name in ("ref", "ref_ext", "email") if record.get(name)}
        if record.get("lines"):
            parts["lineid"] = record["lines"][0]["id"]
        self._parts[whose][service] = parts
        self._upload(field, service, str(record.get("ref") or identifier), whose)

    @staticmethod
    def _shipped(field, owner):
        """What names a validated order, and a line of it that has no stock."""
        lines = [{"desc": "Care", "qty": 5, "subprice": 1, "product_type": 1}]
        order = field.made("/orders", {"socid": owner, "date": "2026-11-21", "lines": lines})
        line = field.made(f"/orders/{order}/validate", {})["lines"][0]["id"]
        return {"origin_id": order, "lines": [{"fk_origin_line": line, "qty": 1}]}

    def _upload(self, field, service, ref, whose):
        body = {
            "modulepart": service.removesuffix("s"),
            "ref": ref,
            "filename": "told.txt",
            "filecontent": f"told {_mark(whose)}",
        }
        if field.ask("admin", "POST", "/documents/upload", body).status == 200:
            self._parts[whose][service]["file"] = f"{ref}/told.txt"

    def file(self, service, whose):
        """The path of a file of somebody's record."""
        return str(self._parts[whose][service]["file"])

    def part(self, service, whose, name):
        """What else is known of somebody's record: `ref`, `lineid` …; None where it has none."""
        return self._parts[whose].get(service, {}).get(name)

    def values(self, operation, whose):
        """Values for the path of an operation: of the `other` third party, of the attackers' `own`, or `absent`."""
        if whose == "absent":
            return {name: _absent(name) for name in operation.variables}
        records = self.others if whose == "other" else self.own
        of_templates = operation.path.startswith("/invoices/templates")
        known = self._parts[whose].get("templates" if of_templates else operation.service, {})
        values = {
            "id": (records | self._common).get(operation.service, 1),
            "type": "BILLING",
            "user_id": self.ids["nobody"],
            # They aren't merged: the other one would be gone
            "idtodelete": ABSENT,
        }
        values |= {name: records.get(service, ABSENT) for name, service in _NAMED.items()}
        values |= {"barcode": _mark(whose), "email": f"{_mark(whose)}@example.org", "ref_ext": _mark(whose)} | known
        return values


def digest(key):
    """What the server keeps of a key."""
    return hashlib.sha256(key.encode()).hexdigest()


def encoded(content):
    """Bytes as uploads take them."""
    return base64.b64encode(content).decode()


def raw_file(part, file):
    """The path that fetches a file as it is."""
    return with_query("/documents/raw", modulepart=part, original_file=file)


def _mark(whose):
    return MARK if whose == "other" else "our-own-words"


def _absent(name):
    return {"email": "absent@example.org", "type": "BILLING"}.get(name, ABSENT)
