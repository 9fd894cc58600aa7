"""Check a document for missing legal notices: on request, and before its validation."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypedDict

from core import BadRequest, Refused

from ...setup.company import company
from ...setup.constants import constant, is_on
from ..content.language import choose_language
from ..files.record_types import RecordType
from ..printing.template_choice import can_print, choose_template
from .case import Case
from .constants import CHECKS
from .countries import rules_of
from .rule import Rule

COUNTRY = "company.country_code"
#: computed field of the response → field of the record to set
MADE_OF = {
    "record.nature": "lines", "record.rates": "lines", "record.tax": "lines", "record.supply": "date_pointoftax",
    "record.delivery": "contacts", "record.vat_reason": "lines",
}  # fmt: skip


class MissingField(TypedDict):
    """A field that nobody has set."""

    field: Annotated[str, "such as company.capital, thirdparty.town, record.date, or the name of a constant"]
    set_by: Annotated[str, "request that sets the field"]


class Mention(TypedDict):
    """A legal notice that a document must or should have."""

    key: Annotated[str, "ID of the rule, such as fr.capital"]
    name: Annotated[str, "name of the legal notice"]
    source: Annotated[str, "statute and article"]
    required: Annotated[bool, "false: customary only"]
    place: Annotated[
        Literal["foot", "mention", "page"], "foot: small print; mention: below the terms; page: elsewhere on the page"
    ]
    sentence: Annotated[str, "printed text; empty if something is missing"]
    missing: Annotated[list[MissingField], "fields to set"]


class MentionCheck(TypedDict):
    """The legal notices that the law of the company's country requires on a document."""

    country: Annotated[str | None, "code of the company's country; null: not set"]
    kind: Annotated[str, "document type, such as invoice or credit note; empty: any"]
    complete: Annotated[bool, "whether no required legal notice is missing"]
    summary: Annotated[str, "missing legal notices in words"]
    missing: Annotated[list[Mention], "missing legal notices"]
    there: Annotated[list[Mention], "complete legal notices"]


def check_mentions(record_type: RecordType, identifier: int) -> MentionCheck:
    """Return the legal notices that the law requires on a record, or on all records of its type.

    :param identifier: of the record; 0: the company in general
    :raises BadRequest: records of this type have no PDF
    :raises NotFound: the caller can't see such a record
    """
    if not can_print(record_type):
        reason = f"`modulepart`: {record_type.kind} records have no PDF"
        raise BadRequest(reason, errors=[("modulepart", reason)])
    record: dict[str, Any] = {}
    if identifier:
        record_type.load(identifier)
        record = record_type.records.read(identifier)
    return _checked(_case(record_type, record), record_type.service)


def _checked(case: Case, service: str) -> MentionCheck:
    mentions = [_mention(rule, case, service) for rule in rules_of(case.country) if rule.applies(case)]
    if not case.country:
        mentions.append(_without_country())
    missing = [each for each in mentions if each["missing"]]
    return {
        "country": case.country or None,
        "kind": case.kind,
        "complete": not any(each["required"] for each in missing),
        "summary": _summary(missing),
        "missing": missing,
        "there": [each for each in mentions if not each["missing"]],
    }


def _summary(missing: list[Mention]) -> str:
    """Return the missing legal notices in words, the required ones first."""
    parts = []
    for required, words in ((True, "required"), (False, "customary")):
        if named := ", ".join(_named(each) for each in missing if each["required"] is required):
            parts.append(f"missing ({words}): {named}")
    return "; ".join(parts) or "nothing is missing"


def _named(mention: Mention) -> str:
    return f"{mention['name']} ({', '.join(each['field'] for each in mention['missing'])})"


def refuse_incomplete(record_type: RecordType, record: dict[str, Any]) -> None:
    """Refuse a record without the required legal notices, if a constant such as INVOICE_CHECK_MENTIONS is on.

    :raises Refused: legal notices are missing; the error lists them all
    """
    if not (is_on(record_type.constant_name(CHECKS)) and can_print(record_type)):
        return
    checked = _checked(_case(record_type, record), record_type.service)
    lacks = [each for each in checked["missing"] if each["required"]]
    if lacks:
        names = ", ".join(map(_named, lacks))
        raise Refused(
            f"can't validate: legal notices are missing from the {record_type.kind}: {names}",
            errors=[
                (field["field"], f"missing: {each['name']}" + (f" ({each['source']})" if each["source"] else ""))
                for each in lacks
                for field in each["missing"]
            ],
            reason="incomplete",
        )


def _case(record_type: RecordType, record: dict[str, Any]) -> Case:
    template = choose_template(record_type, "", record)[1]
    if record.get("socid"):
        return template(record).case()
    return Case(company(), choose_language("", constant("MAIN_LANG_DEFAULT")), record_type.kind, record)


def _mention(rule: Rule, case: Case, service: str) -> Mention:
    missing = rule.missing(case)
    sentence = "" if missing else rule.printed(case) or _values(rule, case)
    return {
        "key": rule.key, "name": rule.name, "source": rule.source, "required": rule.must, "place": rule.place,
        "sentence": sentence,
        "missing": [{"field": name, "set_by": _set_by(name, case, service)} for name in missing],
    }  # fmt: skip


def _values(rule: Rule, case: Case) -> str:
    """Return the printed values of the fields of a rule without a sentence."""
    found = (next((text for name in need.split("|") if (text := case.text(name))), "") for need in rule.wanted)
    return ", ".join(dict.fromkeys(found))


def _set_by(name: str, case: Case, service: str) -> str:
    group, _, field = name.rpartition(".")
    if not group:
        return f"PUT /setup/conf/{name}"
    if group == "record":
        return f"PUT /{service}/{case.record.get('id') or '{id}'}: {MADE_OF.get(name, field)}"
    if group == "thirdparty":
        return f"PUT /thirdparties/{case.record.get('socid') or '{id}'}: {field}"
    return f"PUT /setup/company: {field}"


def _without_country() -> Mention:
    return {
        "key": "country", "name": "Country of the company, which determines the applicable law", "source": "",
        "required": True, "place": "page", "sentence": "",
        "missing": [{"field": COUNTRY, "set_by": "PUT /setup/company: country_code"}],
    }  # fmt: skip
