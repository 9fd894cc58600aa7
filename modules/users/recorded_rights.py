"""Rights in the form of Dolibarr 16: module → right → 1, some with a level in between."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from typing import Any

from ..setup.recorded_names import recorded_name

#: value for a user without rights, or if the rights were not requested
NONE: dict[str, Any] = {
    "user": {"user": {}, "self": {}, "user_advance": {}, "self_advance": {}, "group_advance": {}},
}
#: service → keys under which its rights are; others have the name of their records' extra fields, or their own
PLACES = {
    "contacts": ("societe", "contact"),
    "products": ("produit",),
    "bankaccounts": ("banque",),
    "warehouses": ("stock",),
    "users": ("user", "user"),
}
#: verb → its name in Dolibarr; other verbs have the same name
VERBS = {"read": "lire", "write": "creer", "delete": "supprimer", "pay": "paiement"}
#: rights at other keys
ELSEWHERE = {
    "thirdparties.all": ("societe", "client", "voir"),
    "users.self": ("user", "self", "creer"),
    "documents.write": ("ecm", "upload"),
    "proposals.validate": ("propal", "propal_advance", "validate"),
    "proposals.close": ("propal", "propal_advance", "close"),
    "orders.validate": ("commande", "order_advance", "validate"),
    "orders.close": ("commande", "order_advance", "close"),
    "invoices.validate": ("facture", "invoice_advance", "validate"),
}


def as_recorded(rights: Iterable[str]) -> dict[str, Any]:
    """Return rights such as ``proposals.read`` in the form of Dolibarr 16: ``{"propal": {"lire": 1}}``."""
    found = deepcopy(NONE)
    for name in rights:
        service, _, verb = name.partition(".")
        *places, last = ELSEWHERE.get(name) or (*PLACES.get(service, (recorded_name(service),)), VERBS.get(verb, verb))
        level = found
        for place in places:
            level = level.setdefault(place, {})
        level[last] = 1
    return found
