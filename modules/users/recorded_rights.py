"""Rights in the form of release 16: module → right → 1, some with a level in between."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from typing import Any

#: what is there of a user without rights, or whose rights nobody has asked for
NONE: dict[str, Any] = {
    "user": {"user": {}, "self": {}, "user_advance": {}, "self_advance": {}, "group_advance": {}},
}
#: service → where its rights stand; any other stands under its own name
PLACES = {
    "thirdparties": ("societe",),
    "contacts": ("societe", "contact"),
    "proposals": ("propal",),
    "orders": ("commande",),
    "invoices": ("facture",),
    "products": ("produit",),
    "shipments": ("expedition",),
    "categories": ("categorie",),
    "bankaccounts": ("banque",),
    "warehouses": ("stock",),
    "users": ("user", "user"),
}
#: what a right to do something is called; any other has its own name
VERBS = {"read": "lire", "write": "creer", "delete": "supprimer", "pay": "paiement"}
#: rights that stand elsewhere
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
    """Rights such as ``proposals.read`` as release 16 tells them: ``{"propal": {"lire": 1}}``."""
    found = deepcopy(NONE)
    for name in rights:
        service, _, verb = name.partition(".")
        *places, last = ELSEWHERE.get(name) or (*PLACES.get(service, (service,)), VERBS.get(verb, verb))
        level = found
        for place in places:
            level = level.setdefault(place, {})
        level[last] = 1
    return found
