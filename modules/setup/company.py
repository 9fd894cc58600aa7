"""The company that runs the server, stored in constants."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Never, TypedDict

from peewee import IntegerField

from core import BadRequest, current_caller, profile, shown, transaction, warn
from core.for_natives import OnlyWhere

from ..dictionaries.entries import entries
from ..dictionaries.lists import DICTIONARIES
from ..dictionaries.models import Country, State
from .constants import constant, constants, set_constant

#: field in the API → its constant
FIELDS = {
    "name": "MAIN_INFO_SOCIETE_NOM",
    "address": "MAIN_INFO_SOCIETE_ADDRESS",
    "zip": "MAIN_INFO_SOCIETE_ZIP",
    "town": "MAIN_INFO_SOCIETE_TOWN",
    "phone": "MAIN_INFO_SOCIETE_TEL",
    "fax": "MAIN_INFO_SOCIETE_FAX",
    "email": "MAIN_INFO_SOCIETE_MAIL",
    "url": "MAIN_INFO_SOCIETE_WEB",
    "managers": "MAIN_INFO_SOCIETE_MANAGERS",
    "socialobject": "MAIN_INFO_SOCIETE_OBJECT",
    "note_private": "MAIN_INFO_SOCIETE_NOTE",
    "capital": "MAIN_INFO_CAPITAL",
    "forme_juridique_code": "MAIN_INFO_SOCIETE_FORME_JURIDIQUE",
    "idprof1": "MAIN_INFO_SIREN",
    "idprof2": "MAIN_INFO_SIRET",
    "idprof3": "MAIN_INFO_APE",
    "idprof4": "MAIN_INFO_RCS",
    "idprof5": "MAIN_INFO_PROFID5",
    "idprof6": "MAIN_INFO_PROFID6",
    "tva_intra": "MAIN_INFO_TVAINTRA",
    "currency_code": "MAIN_MONNAIE",
}
#: the field that only internal users can read and write
NOTE = "note_private"
#: holds ``identifier:code:label`` of the country, or only its code
COUNTRY = "MAIN_INFO_SOCIETE_COUNTRY"
COUNTRY_FIELDS = ("country_id", "country_code", "country")
#: holds ``identifier:code:name`` of the state
STATE = "MAIN_INFO_SOCIETE_STATE"
STATE_FIELD = "state_id"
LONGEST = 4000
#: languages of country names that are accepted, in addition to the dictionary's name
LANGUAGES = ("en", "fr", "de", "es", "it", "nl", "pl", "pt")
NONE = ("", "0")

_COUNTRY = re.compile(r"([0-9]{0,9}):([A-Za-z]{0,3}):(.*)|[A-Za-z]{2,3}", re.DOTALL)
_CURRENCY = re.compile("[A-Z]{3}")


class Company(TypedDict, total=False):
    """The own company; null: not set. It stands on documents."""

    name: Annotated[str | None, "name"]
    address: Annotated[str | None, "street and house number"]
    zip: Annotated[str | None, "postal code"]
    town: Annotated[str | None, "town"]
    phone: Annotated[str | None, "phone number"]
    fax: Annotated[str | None, "fax number"]
    email: Annotated[str | None, "email address"]
    url: Annotated[str | None, "web site"]
    managers: Annotated[str | None, "names of the managers"]
    socialobject: Annotated[str | None, "purpose of the company"]
    note_private: Annotated[str | None, "never printed"]
    capital: Annotated[str | None, "share capital, as printed"]
    forme_juridique_code: Annotated[str | None, "code of the legal form"]
    idprof1: Annotated[str | None, "professional identifier 1"]
    idprof2: Annotated[str | None, "professional identifier 2"]
    idprof3: Annotated[str | None, "professional identifier 3"]
    idprof4: Annotated[str | None, "professional identifier 4"]
    idprof5: Annotated[str | None, "professional identifier 5"]
    idprof6: Annotated[str | None, "professional identifier 6"]
    tva_intra: Annotated[str | None, "VAT number"]
    currency_code: Annotated[str | None, "ISO 4217 code of the currency that amounts are in, such as EUR"]
    country_id: Annotated[int | None, IntegerField, "country in the dictionary; sets its code and name as well"]
    country_code: Annotated[str | None, "ISO 3166-1 code of the country, such as FR; sets all three"]
    country: Annotated[str | None, "name of the country; sets all three"]
    state_id: Annotated[int | str | None, "state in the dictionary; 0: none"]


def company() -> Company:
    """Return the company; unset fields are null."""
    known = constants()
    fields: dict[str, Any] = {name: known.get(key) or None for name, key in FIELDS.items()}
    identifier, code, label = _country(known.get(COUNTRY, ""))
    state, _, _ = _country(known.get(STATE, ""))
    record: Any = fields | {
        "country_id": _shown(identifier),
        "country_code": code,
        "country": label,
        STATE_FIELD: _shown(state),
    }
    answer: Company = record
    return answer


def hides_note() -> bool:
    """Return whether the private note is hidden from the caller: external users can't see it."""
    caller = current_caller()
    return caller is not None and not caller.is_internal


def change_company(body: Mapping[str, Any]) -> None:
    """Set the fields in a body; null and an empty text unset one. Any country field sets all of them.

    :raises BadRequest: a value is invalid, the country does not exist, or its fields refer to different ones
    """
    known = {*FIELDS, *COUNTRY_FIELDS, STATE_FIELD} - ({NOTE} if hides_note() else set())
    ignored = sorted(str(name) for name in body if name not in known)
    values = {name: _text(name, value) for name, value in body.items() if name in known}
    with transaction():
        for name in values.keys() & FIELDS.keys():
            set_constant(FIELDS[name], values[name])
        if sent := {name: values[name] for name in COUNTRY_FIELDS if name in values}:
            stored = dict(zip(COUNTRY_FIELDS, _country(constant(COUNTRY)), strict=True))
            set_constant(COUNTRY, _country_constant(sent, stored))
        if STATE_FIELD in values:
            set_constant(STATE, _state_constant(values[STATE_FIELD]))
    if ignored:
        warn(f"ignored, because you can't set these company fields: {', '.join(ignored)}")


def _country(value: str) -> tuple[str | None, str | None, str | None]:
    identifier, code, label = [*value.split(":", 2), "", ""][:3] if ":" in value else ("", value, "")
    fits = identifier.isascii() and identifier.isdigit() and len(identifier) < 10
    return (identifier if fits else None), code or None, label or None


def _shown(identifier: str | None) -> int | str | None:
    return identifier if profile().text_values or identifier is None else int(identifier)


def check_country(name: str, text: str) -> None:
    """Check the constant with the country.

    :raises ValueError: it isn't a country
    """
    if not _COUNTRY.fullmatch(text):
        raise ValueError("expected a country such as 1:FR:France")


def check_currency(name: str, text: str) -> None:
    """Check the constant with the currency.

    :raises ValueError: it isn't a currency
    """
    if not _CURRENCY.fullmatch(text):
        raise ValueError("expected a currency such as EUR")


def _text(name: str, value: Any) -> str:
    reason = ""
    text = "" if value is None else str(value).strip()
    if isinstance(value, (bool, dict, list)):
        reason = f"expected text, got {shown(value)}"
    elif len(text) > LONGEST:
        reason = f"expected at most {LONGEST} characters, got {len(text)}"
    elif name in ("country_id", STATE_FIELD) and text and not (text.isascii() and text.isdigit() and len(text) < 10):
        reason = f"expected a whole number, got {shown(text)}"
    elif name == "country_code" and text and not (text.isascii() and text.isalpha() and len(text) <= 3):
        reason = f"expected a country code such as FR, got {shown(text)}"
    elif name == "currency_code" and text and not _CURRENCY.fullmatch(text):
        reason = f"expected a currency such as EUR, got {shown(text)}"
    if reason:
        raise BadRequest(errors=[(name, reason)])
    return text


# Its country: ID, code and name are set together, as in the dictionary ------------------------------------------------


def _country_constant(sent: Mapping[str, str], stored: Mapping[str, str | None]) -> str:
    """Return the new value of the country's constant, ``identifier:code:name``; empty without a country.

    Empty fields are ignored unless all are empty.

    :param sent: those of `country_id`, `country_code` and `country` that the body contains
    :param stored: the current values of the three; a client may send back a record as it was read
    :raises BadRequest: the country does not exist, or the fields refer to different ones
    """
    given = {name: text for name, text in sent.items() if text not in NONE}
    if not given:
        return ""
    if all(stored[name] == text for name, text in given.items()):
        country = _by_code(stored["country_code"] or "") if not all(stored.values()) else None
        return _written(country) if country else ":".join(text or "" for text in stored.values())
    found = {name: FINDERS[name](text) for name, text in given.items()}
    unknown = [name for name, country in found.items() if country is None]
    if unknown:
        raise BadRequest(
            errors=[(name, f"expected a country from the dictionary, got {shown(given[name])}") for name in unknown]
        )
    countries = {country.id: country for country in found.values() if country is not None}
    if len(countries) > 1:
        several = " and ".join(f"{country.label} in `{name}`" for name, country in found.items() if country is not None)
        raise BadRequest(errors=[(name, f"expected one country, got {several}") for name in found])
    return _written(next(iter(countries.values())))


def _state_constant(identifier: str) -> str:
    """Return the value of the constant of the company's state, ``identifier:code:name``; empty without a state.

    :raises BadRequest: there is no such state
    """
    if identifier in NONE:
        return ""
    state = entries(State).get(int(identifier))
    if state is None:
        raise BadRequest(errors=[("state_id", f"expected the ID of a state, got {shown(identifier)}")])
    return f"{state.id}:{state.code_departement}:{state.name}"


def _written(country: Country) -> str:
    return f"{country.id}:{country.code}:{country.label}"


def _by_code(text: str) -> Country | None:
    code = text.upper()
    return next((row for row in entries(Country).values() if code in (row.code, row.code_iso)), None)


def _by_name(text: str) -> Country | None:
    name = text.casefold()
    rows = entries(Country).values()
    return next((row for row in rows if row.label.casefold() == name), None) or _by_code(_codes().get(name, "-"))


@lru_cache(maxsize=1)
def _codes() -> dict[str, str]:
    """Return name of a country, in any of the languages → its code."""
    from babel import Locale

    return {
        str(name).casefold(): code
        for language in LANGUAGES
        for code, name in Locale(language).territories.items()
        if len(code) == 2
    }


#: field → function that finds the country for its value
FINDERS: dict[str, Callable[[str], Country | None]] = {
    "country_id": lambda text: entries(Country).get(int(text)),
    "country_code": _by_code,
    "country": _by_name,
}


# In the form of the API -----------------------------------------------------------------------------------------------

#: keys that are always empty in Dolibarr 16
_NOTHING = (
    "entity", "import_key", "array_languages", "contacts_ids", "linked_objects", "linkedObjectsIds", "canvas",
    "fk_project", "fk_projet", "user", "origin", "origin_id", "ref", "ref_ext", "statut", "region_id", "barcode_type",
    "barcode_type_coder", "mode_reglement_id", "cond_reglement_id", "demand_reason_id", "transport_mode_id",
    "shipping_method_id", "model_pdf", "last_main_doc", "fk_bank", "fk_account", "note_public", "date_creation",
    "date_validation", "date_modification", "date_cloture", "user_author", "user_creation", "user_creation_id",
    "user_valid", "user_validation", "user_validation_id", "user_closing_id", "user_modification",
    "user_modification_id", "name_alias", "particulier", "barcode", "siren", "siret",
)  # fmt: skip
ONLY = OnlyWhere("company_as_recorded")
_LISTS = ("validateFieldsErrors", "array_options", "linkedObjectsFullLoaded", "socialnetworks")
_NUMBERS = {"id": 0, "status": 1, "specimen": 0}

if TYPE_CHECKING:

    class _Recorded(TypedDict, total=False):
        """What release 16 answers besides."""
else:
    _Recorded = TypedDict(
        "_Recorded",
        dict.fromkeys(_NOTHING, Annotated[None, ONLY, "always null"])
        | dict.fromkeys(_LISTS, Annotated[list[Never], ONLY, "always empty"])
        | {name: Annotated[int, ONLY, f"always {number}"] for name, number in _NUMBERS.items()},
        total=False,
    )


class CompanyRecord(Company, _Recorded, total=False):
    """The own company; null: not set. It stands on documents."""

    forme_juridique: Annotated[str | None, "legal form in words"]
    default_lang: Annotated[str | None, "language of documents: the constant MAIN_LANG_DEFAULT"]
    logo: Annotated[str | None, "file of the picture on documents: the constant MAIN_INFO_SOCIETE_LOGO"]


def company_record() -> CompanyRecord:
    """Return the company as the API shows it."""
    record: dict[str, Any] = dict(company())
    DICTIONARIES["legal_form"].add_words([record], "forme_juridique", "forme_juridique_code")
    record["default_lang"] = constant("MAIN_LANG_DEFAULT") or None
    record["logo"] = constant("MAIN_INFO_SOCIETE_LOGO") or None
    if profile().company_as_recorded:
        empty: dict[str, Any] = {**_NUMBERS, **dict.fromkeys(_NOTHING), **{name: [] for name in _LISTS}}
        # In Dolibarr an unset text is empty, and an unset state is 0
        texts = {name: record[name] or "" for name in FIELDS}
        if hides_note():
            texts[NOTE] = ""
        record = empty | record | texts | {"state_id": record["state_id"] or 0}
    elif hides_note():
        del record[NOTE]
    answer: CompanyRecord = record  # type: ignore[assignment]
    return answer
