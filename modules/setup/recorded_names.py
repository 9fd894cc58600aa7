"""Dolibarr 16's names of modules and kinds of records."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from core.for_natives import Catalogue, cached_per_catalogue, catalogue

#: module → its names in Dolibarr, which has no module for some; others have the name of their records' extra fields, or
#: their own
MODULES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("audit", "dictionaries", "jobs", "login", "numbering", "prices", "recurring", "setup"), ()),
    "banks": ("banque",),
    "core": ("api",),
    "documents": ("ecm",),
    "mandates": ("prelevement",),
    "products": ("product", "service"),
}


def module_names(modules: Iterable[str]) -> list[str]:
    """Return Dolibarr's names of modules."""
    return sorted({name for each in modules for name in MODULES.get(each, (recorded_name(each),))})


def recorded_name(service: str) -> str:
    """Return the name of a service's extra fields; the service's own if it has none."""
    return _kinds().get(singular(service), service)


def kind_named(word: str) -> str:
    """Return the kind of record for a word, such as ``invoice``; the name of a kind takes precedence."""
    return word if word in own_kinds() else _kinds().get(word, word)


@cached_per_catalogue
def _kinds(served: Catalogue) -> dict[str, str]:
    """Return the name of each service's kind of record, by the word for one record."""
    kinds = {singular(name): _meta(each.records.model) for name, each in served.services.items() if each.records}
    return {word: meta.extrafields for word, meta in kinds.items() if meta.extrafields}


def singular(service: str) -> str:
    """Return the word for one record of a service."""
    return f"{service[:-3]}y" if service.endswith("ies") else service.removesuffix("s")


def own_kinds() -> set[str]:
    """Return the kinds of records that may have extra fields."""
    return {meta.extrafields for meta in (_meta(model) for model in catalogue().models) if meta.extrafields}


def _meta(model: Any) -> Any:
    return model._meta
