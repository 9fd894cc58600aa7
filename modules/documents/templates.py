"""Which template a document is made with: dropped-in files, `doctemplates/pdf_<name>.py` of any module."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from core import ApiError, Forbidden, NotFound, Refused, catalogue, current_caller

from ..setup.constants import constant
from .kinds import Kind

if TYPE_CHECKING:
    from .template import Template

FOLDER, FILES = "doctemplates", "pdf"

#: element type → the constant that names its template, and the template where nothing is said
DEFAULTS = {
    "propal": ("PROPALE_ADDON_PDF", "azur"),
    "commande": ("COMMANDE_ADDON_PDF", "einstein"),
    "facture": ("FACTURE_ADDON_PDF", "crabe"),
}


def templates_of(kind: Kind) -> dict[str, type[Template]]:
    """The templates that make documents of a kind, by name."""
    found: dict[str, type[Template]] = {}
    for each in catalogue().templates:
        if (each.folder, each.kind) == (FOLDER, FILES):
            for made in _classes(each.content):
                if made.documents.service == kind.service:
                    found.setdefault(each.name, made)
    return found


def _classes(content: Any) -> Iterable[type[Template]]:
    """The templates that stand in a file, not those it imports."""
    return (
        value
        for value in vars(content).values()
        if isinstance(value, type)
        and value.__module__ == content.__name__
        and hasattr(value, "render")
        and getattr(getattr(value, "documents", None), "service", "")
    )


def choose(kind: Kind, asked: str, record: Mapping[str, Any]) -> tuple[str, type[Template]]:
    """The template of a document: the one that is asked for, else the record's own, the setting's, the usual one, any.

    :raises Forbidden: there are no documents of this kind
    :raises NotFound: there is no such template; those there are are named
    :raises Refused: the template cannot be loaded; administrators are told why
    """
    known = templates_of(kind)
    name, usual = DEFAULTS.get(kind.element, (f"{kind.element.upper()}_ADDON_PDF", ""))
    wanted = [asked] if asked else [record.get("model_pdf") or "", constant(name), usual]
    for each in wanted:
        if each and each in known:
            return each, known[each]
        if each:
            _refuse_broken(kind, each)
    if not known:
        _refuse_broken(kind)
        raise Forbidden("Generation not available for this modulepart")
    if asked:
        raise NotFound(f"Template {asked[:60]} not found; there are {', '.join(sorted(known))}")
    return next(iter(known.items()))


def can_build(kind: Kind) -> bool:
    """Whether there are templates of a kind, be they broken."""
    usual = DEFAULTS.get(kind.element, ("", ""))[1]
    return bool(templates_of(kind) or _broken(kind) or (usual and _broken(kind, usual)))


def _broken(kind: Kind, name: str = "") -> tuple[str, str] | None:
    """A template that cannot be loaded, and why: the one of a name, or one that stands in the kind's own module."""
    for failure in catalogue().failures:
        file = failure.name.removeprefix(f"{failure.module}/{FOLDER}/{FILES}_")
        if file != failure.name and (file == name if name else failure.module == kind.module):
            return file, failure.reason
    return None


def _refuse_broken(kind: Kind, name: str = "") -> None:
    broken = _broken(kind, name)
    if broken is not None:
        raise _failed(broken[0], "cannot be loaded", broken[1])


def failed(name: str, error: Exception) -> ApiError:
    """What is said of a template that failed at its work."""
    return _failed(name, "failed", type(error).__name__)


def _failed(name: str, what: str, reason: str) -> Refused:
    caller = current_caller()
    return Refused(f"the template {name} {what}" + (f": {reason}" if caller is None or caller.admin else ""))
