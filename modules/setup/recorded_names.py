"""Dolibarr 16's names of modules and kinds of records."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from core.for_natives import catalogue

#: module → its names in Dolibarr; other modules have the same name
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
#: aliases of kinds of records in the paths and parameters of extra fields
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
    """Return Dolibarr's names of modules."""
    return sorted({name for module in modules for name in MODULES.get(module, (module,))})


def kind_named(word: str) -> str:
    """Return the kind of record for a word; the name of a kind takes precedence over an alias."""
    return word if word in own_kinds() else KINDS.get(word, word)


def own_kinds() -> set[str]:
    """Return the kinds of records that may have extra fields."""
    return {meta.extrafields for meta in (_meta(model) for model in catalogue().models) if meta.extrafields}


def _meta(model: Any) -> Any:
    return model._meta
