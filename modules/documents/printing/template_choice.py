"""Choose the template of a PDF, from the files `doctemplates/pdf_<name>.py` of all modules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from core import ApiError, NotFound, Refused, current_caller, profile
from core.for_natives import Catalogue, cached_per_catalogue, catalogue

from ...setup.constants import constant
from ..files.record_types import RecordType, record_types
from ..template import Template

FOLDER, FILES = "doctemplates", "pdf"
SUFFIX = ".pdf"
#: end of the constants with the template of a kind
ADDON = "ADDON_PDF"


def templates_of(record_type: RecordType) -> dict[str, type[Template]]:
    """Return the templates for records of a type, by name."""
    return _templates().get(record_type.service, {})


@cached_per_catalogue
def _templates(served: Catalogue) -> dict[str, dict[str, type[Template]]]:
    """Return the templates of each service, by name."""
    found: dict[str, dict[str, type[Template]]] = {}
    for each in served.templates:
        if (each.folder, each.kind) == (FOLDER, FILES):
            for made in _classes(each.content):
                found.setdefault(made.documents.service, {}).setdefault(each.name, made)
    return found


def pdf_name(folder: str) -> str:
    """Return the file name of the PDF of a record, from the record's folder."""
    return folder.rpartition("/")[2] + SUFFIX


def _classes(content: Any) -> Iterable[type[Template]]:
    """Return the templates that a file defines, without those it imports."""
    return (
        value
        for value in vars(content).values()
        if isinstance(value, type)
        and issubclass(value, Template)
        and value.__module__ == content.__name__
        and hasattr(value, "documents")
    )


def choose_template(record_type: RecordType, asked: str, record: Mapping[str, Any]) -> tuple[str, type[Template]]:
    """Return the template for a record: the requested one, else that of the record, the constant, the default, any.

    :raises BadRequest: records of this type have no PDF; in the profile `dolibarr16` Forbidden
    :raises NotFound: there is no such template; the message lists the known ones
    :raises Refused: the template can't be loaded; the message contains the reason for administrators only
    """
    known = templates_of(record_type)
    chosen, usual = constant(record_type.constant_name(ADDON)), getattr(record_type.records, "template", "")
    wanted = [asked] if asked else [record.get("model_pdf") or "", chosen, usual]
    for each in wanted:
        if each and each in known:
            return each, known[each]
        if each:
            _refuse_broken(record_type, each)
    if not known:
        _refuse_broken(record_type)
        theirs = "Generation not available for this modulepart"
        reason = f"`modulepart`: {record_type.kind} records have no PDF"
        raise ApiError(reason, dolibarr=theirs, status=profile().kind_not_printed)
    if asked:
        raise NotFound(f"Template {asked[:60]} not found; known templates: {', '.join(sorted(known))}")
    return next(iter(known.items()))


def can_print(record_type: RecordType) -> bool:
    """Return whether records of a type have PDFs; True also if their only templates are broken."""
    usual = getattr(record_type.records, "template", "")
    return bool(templates_of(record_type) or _broken(record_type) or (usual and _broken(record_type, usual)))


def check_template(name: str, text: str) -> None:
    """Check a constant with the template of a kind.

    :raises ValueError: there is no such template
    """
    types = (each for each in record_types() if each.constant_name(ADDON) == name)
    known = {each for record_type in types for each in templates_of(record_type)}
    if known and text not in known:
        raise ValueError(f"expected one of {', '.join(sorted(known))}")


def _broken(record_type: RecordType, name: str = "") -> tuple[str, str] | None:
    """Return a template that can't be loaded, and the reason: with a name, or in the module of the records."""
    for failure in catalogue().failures:
        file = failure.name.removeprefix(f"{failure.module}/{FOLDER}/{FILES}_")
        if file != failure.name and (file == name if name else failure.module == record_type.module):
            return file, failure.reason
    return None


def _refuse_broken(record_type: RecordType, name: str = "") -> None:
    broken = _broken(record_type, name)
    if broken is not None:
        raise _refusal(broken[0], "can't be loaded", broken[1])


def template_failure(name: str, error: Exception) -> ApiError:
    """Return the error for a template that failed while it generated a PDF."""
    return _refusal(name, "failed", type(error).__name__)


def _refusal(name: str, what: str, reason: str) -> Refused:
    caller = current_caller()
    return Refused(
        f"the template {name} {what}" + (f": {reason}" if caller is None or caller.admin else ""),
        reason="not_configured",
    )
