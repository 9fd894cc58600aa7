"""What release 16 calls modules and kinds of records."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from core import catalogue

#: module → its names; any other has its own
MODULES = {
    "banks": ("banque",),
    "categories": ("categorie",),
    "core": ("api",),
    "documents": ("ecm",),
    "invoices": ("facture",),
    "mandates": ("prelevement",),
    "orders": ("commande",),
    "products": ("product", "service"),
    "proposals": ("propal",),
    "shipments": ("expedition",),
    "thirdparties": ("societe",),
    "users": ("user",),
}
#: further words for kinds of records in the paths and parameters of extra fields
KINDS = {
    "category": "categorie",
    "contact": "socpeople",
    "invoice": "facture",
    "order": "commande",
    "proposal": "propal",
    "shipment": "expedition",
    "thirdparty": "societe",
    "warehouse": "entrepot",
}


def module_names(modules: Iterable[str]) -> list[str]:
    """What modules are called."""
    return sorted({name for module in modules for name in MODULES.get(module, (module,))})


def kind_named(word: str) -> str:
    """The kind of record that a word means: its own name counts before a further one."""
    return word if word in own_kinds() else KINDS.get(word, word)


def own_kinds() -> set[str]:
    """The kinds of records that may have extra fields."""
    return {meta.extrafields for meta in (_meta(model) for model in catalogue().models) if meta.extrafields}


def _meta(model: Any) -> Any:
    return model._meta
