"""The own company as it is read: what is set, what dictionaries say of it, and the keys that release 16 has besides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Never, TypedDict

from core import OnlyWhere, settings

from ..dictionaries.lists import DICTIONARIES
from .company import FIELDS, NOTE, Company, company, hides_note
from .constants import constant

#: keys that release 16 leaves empty
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
    """The own company as the interface shows it."""
    record: dict[str, Any] = dict(company())
    DICTIONARIES["legal_form"].add_words([record], "forme_juridique", "forme_juridique_code")
    record["default_lang"] = constant("MAIN_LANG_DEFAULT") or None
    record["logo"] = constant("MAIN_INFO_SOCIETE_LOGO") or None
    if settings().profile.company_as_recorded:
        empty: dict[str, Any] = {**_NUMBERS, **dict.fromkeys(_NOTHING), **{name: [] for name in _LISTS}}
        # A text that is not set is empty there, and a state that is not chosen is 0
        texts = {name: record[name] or "" for name in FIELDS}
        if hides_note():
            texts[NOTE] = ""
        record = empty | record | texts | {"state_id": record["state_id"] or 0}
    elif hides_note():
        del record[NOTE]
    answer: CompanyRecord = record  # type: ignore[assignment]
    return answer
