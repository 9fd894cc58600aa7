"""Identifiers and references of the recording, and those of ours: which is which is learnt as the sequence goes.

A creation answers an identifier in the recording and one here: from then on the one stands for the other in paths, queries
and bodies, and in answers it has to be the one that it was before. Likewise references (`PR2611-0014`) and keys.
"""

import re
from fnmatch import fnmatchcase

#: what stands before an identifier in a path → whose it is
_IN_PATHS = {
    "thirdparties": "thirdparties", "contacts": "contacts", "contact": "contacts", "products": "products",
    "proposals": "proposals", "orders": "orders", "invoices": "invoices", "users": "users",
    "createfromproposal": "proposals", "createfromorder": "orders", "merge": "thirdparties", "payments": "payments",
    "representatives": "users",
}  # fmt: skip

#: key of a body or an answer, at whatever depth → whose identifier it holds
_BY_KEY = {
    "socid": "thirdparties", "fk_soc": "thirdparties", "fk_thirdparty": "thirdparties", "parent": "thirdparties",
    "fk_product": "products", "fk_facture_source": "invoices", "fk_propal": "proposals", "fk_commande": "orders", "commande_id": "orders",
    "fk_facture": "invoices", "commandeid": "orders", "user_creation": "users", "user_creation_id": "users",
    "user_modification": "users", "user_modification_id": "users", "user_author_id": "users", "user_author": "users",
    "fk_user_author": "users", "fk_user_creat": "users", "fk_user_modif": "users", "user_valid": "users",
    "user_validation": "users", "user_validation_id": "users", "user_closing_id": "users",
    "fk_user_valid": "users", "user_id": "users", "accountid": "bankaccounts",
}  # fmt: skip

#: service and key of an answer → whose identifier it holds; `*` is any element of a list
_BY_PLACE = (
    ("* line_id", "{service} lines"),
    ("* lines.#.id", "{service} lines"),
    ("* lines.#.rowid", "{service} lines"),
    ("proposals/*/lines #.*id", "{service} lines"),
    ("orders/*/contacts #.id", "contacts"),
    ("orders/*/contacts #.rowid", "links"),
    ("* contacts_ids.#", "contacts"),
    ("invoices/*/discount id", "discounts"),
    ("invoices/*/discount discount_type", ""),
    ("* lines.#.origin_id", "{source} lines"),
    ("* lines.#.fk_origin_line", "{source} lines"),
    ("orders/* linked_objects.propal", "proposals"),
    ("orders/* linkedObjectsIds.propal.#", "proposals"),
    ("invoices/* linked_objects.commande", "orders"),
    ("invoices/* linkedObjectsIds.commande.#", "orders"),
    ("orders/* origin_id", "proposals"),
    ("invoices/* origin_id", "orders"),
    ("* data.#", "{service}"),
    ("products #", "{service}"),
    ("* #.id", "{service}"),
    ("* #.rowid", "{service}"),
    ("* id", "{service}"),
    ("thirdparties/* ref", "{service}"),
    ("contacts/* ref", "{service}"),
    ("users/* ref", "{service}"),
    ("* success.token", "keys"),
)

_RECORDS = ("thirdparties", "contacts", "products", "proposals", "orders", "invoices", "users")
_SOURCES = {"orders": "proposals", "invoices": "orders"}
_REFERENCE = re.compile(r"\(PROV[0-9]+\)|\b(?:PR|CO|FA|AV|AC|CU|SU|PAY)[0-9]{4}-[0-9]+")
_NUMBER = re.compile(r"[0-9]+")


class Identifiers:
    """Both ways between the recording and ours."""

    def __init__(self):
        self._ours = {}

    def bind(self, kind, recorded, ours):
        """Let one stand for the other from now on."""
        self._ours.setdefault(kind, {})[str(recorded)] = str(ours)

    def ours(self, kind, recorded):
        """What stands for an identifier; itself where nothing does."""
        return self._ours.get(kind, {}).get(str(recorded), str(recorded))

    def is_same(self, kind, recorded, ours):
        """Whether ours is what stands for a recorded one; the first time it is."""
        if str(recorded) not in self._ours.get(kind, {}):
            self.bind(kind, recorded, ours)
        return self.ours(kind, recorded) == str(ours)

    def forget(self):
        """Begin anew, with another installation."""
        self._ours.clear()

    # Requests --------------------------------------------------------------------------------------------------------

    def path(self, path):
        """A recorded path, as it is here."""
        return self.references("/".join(self._segments(path.split("/"))))

    def _segments(self, parts):
        for place, part in enumerate(parts):
            before = parts[place - 1] if place else ""
            kind = f"{parts[1]} lines" if before in ("line", "lines") else _IN_PATHS.get(before)
            yield self.ours(kind, part) if kind and _NUMBER.fullmatch(part) else part

    def query(self, query):
        """A recorded query string, as it is here."""
        of_files = re.match("modulepart=(proposal|propal|thirdparty)", query)
        if of_files:
            kind = "thirdparties" if of_files[1] == "thirdparty" else "proposals"
            query = re.sub(r"\bid=([0-9]+)", lambda found: f"id={self.ours(kind, found[1])}", query)
        query = re.sub(
            r"(?<=thirdparty_ids=)[0-9,]+",
            lambda found: _NUMBER.sub(lambda each: self.ours("thirdparties", each[0]), found[0]),
            query,
        )
        return self.references(query)

    def body(self, body, key=""):
        """A recorded body, as it is here."""
        if isinstance(body, dict):
            if key == "arrayofamounts":
                return {self.ours("invoices", each): value for each, value in body.items()}
            return {name: self.body(value, name) for name, value in body.items()}
        if isinstance(body, list):
            return [self.body(each, key) for each in body]
        if key in _BY_KEY and isinstance(body, int) and body:
            return int(self.ours(_BY_KEY[key], body))
        if key == "subdir":
            # A folder of a third party is called by its identifier
            body = self.ours("thirdparties", body)
        return self.references(body) if isinstance(body, str) else body

    def references(self, text):
        """A text in which recorded references are those of ours."""
        return _REFERENCE.sub(lambda found: self.ours("references", found[0]), text)

    # Answers ---------------------------------------------------------------------------------------------------------

    def kind(self, path, key):
        """Whose identifier a key of an answer holds; None: it holds none.

        :param path: the recorded one
        """
        parts = path.strip("/").split("/")
        if parts[0] not in (*_RECORDS, "login"):
            return None
        last = key.rpartition(".")[2]
        if last in _BY_KEY:
            return _BY_KEY[last]
        asked = f"{'/'.join(parts)} {key}"
        for pattern, kind in _BY_PLACE:
            if fnmatchcase(asked, pattern):
                return kind.format(service=parts[0], source=_SOURCES.get(parts[0], parts[0])) or None
        return None

    def created(self, path):
        """Whose identifier a creation answers, a bare number."""
        parts = path.strip("/").split("/")
        if len(parts) == 1 and parts[0] in _RECORDS:
            return parts[0]
        if parts[-1] in ("line", "lines"):
            return f"{parts[0]} lines"
        return "payments" if parts[-1] in ("payments", "paymentsdistributed") else None


def is_reference(text):
    """Whether a text is nothing but a reference."""
    return isinstance(text, str) and _REFERENCE.fullmatch(text) is not None
