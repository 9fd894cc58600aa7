"""Contacts: people, most of whom belong to a third party."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core import Account, Loader, Refused, Values, current_caller, profile

from ..dictionaries.codes import CodedRecords, code_cleaners
from ..dictionaries.models import Country
from ..dictionaries.translated import TranslatedRecords
from ..setup.stamps import stamp, unset_zeros
from ..setup.text_cleaners import clean_email, clean_label
from .known_users import reads_users
from .models import Contact, Thirdparty

#: form of address → gender of the person
GENDERS = {"MR": "man", "MME": "woman", "MLE": "woman"}
#: alias of `civility_code` in bodies
CIVILITY = "civility_id"


class ThirdpartiesAndUsers(Loader):
    """Adds to contacts the names of their third parties, and the users created from them."""

    def sql(self, ids: Sequence[int]) -> tuple[str, Sequence[Any]]:
        """Return the statement that reads both."""
        return (
            "SELECT t.rowid, s.nom, u.rowid, u.login FROM llx_socpeople AS t "
            "LEFT JOIN llx_societe AS s ON s.rowid = t.fk_soc LEFT JOIN llx_user AS u ON u.fk_socpeople = t.rowid "
            f"WHERE t.rowid IN ({','.join(map(str, ids))})"
        ), ()

    def apply(self, rows: Sequence[tuple[Any, ...]], records: list[dict[str, Any]]) -> None:
        """Add the fields; the login only for callers who may read users."""
        known = {contact: (name, user, login) for contact, name, user, login in rows}
        as_text, tells_login = profile().text_values, reads_users()
        for record in records:
            name, user, login = known.get(int(record["id"]), (None, None, None))
            record["socname"] = name
            record["user_id"] = str(user) if as_text and user is not None else user
            record["user_login"] = login if tells_login else None


class Contacts(CodedRecords[Contact], TranslatedRecords[Contact]):
    """Contacts."""

    model = Contact
    service = "contacts"
    noun = "Contact"
    empty = "Contacts not found"
    joins = {"s": (Thirdparty, "socid", ("id", "name", "name_alias", "client", "fournisseur", "status", "zip", "town"))}
    cleaners = {"lastname": clean_label, "email": clean_email} | code_cleaners(Contact)
    extra_keys = (CIVILITY,)
    codes = {"country_code": ("country_id", Country)}
    words = {
        "civility": ("civilities", "civility_code"),
        "statut_commercial": ("contact_prospect_statuses", "stcomm_id"),
    }

    completed_from = ("socid", "civility_code", "stcomm_id", "country_id")

    def loaders(self, *, alone: bool) -> Sequence[Loader]:
        """Return the loader of third parties and users."""
        return [ThirdpartiesAndUsers()]

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Add the fields without a column. The documents of a contact are null."""
        super().complete(records)
        for record in records:
            record["fk_soc"] = record["socid"]
            record["gender"] = GENDERS.get(record["civility_code"])
            record["ref_facturation"] = record["ref_contrat"] = None
            record["ref_commande"] = record["ref_propal"] = None
            record["roles"] = []

    def read(self, value: Any, by: str = "", *, roles: bool = False) -> dict[str, Any]:
        """Read one contact.

        :param roles: with the contact's roles in documents
        """
        record = super().read(value, by)
        return record if roles else record | {"roles": None}

    def accept(
        self, body: Mapping[str, Any], *, creating: bool = True, replace: bool = False
    ) -> tuple[Values, dict[str, Any] | None]:
        """Check the body of a contact; a `civility_id` that is not empty takes precedence.

        :raises BadRequest: a field is missing or invalid; the error lists all of them
        """
        if body.get(CIVILITY) not in (None, ""):
            body = {**body, "civility_code": body[CIVILITY]}
        return super().accept(body, creating=creating, replace=replace)

    def prepare(self, values: Values, before: Contact | None) -> None:
        """Set the fields that the server sets; contacts of an external user belong to the user's third party."""
        super().prepare(values, before)
        caller = current_caller()
        if caller is not None and caller.socid is not None:
            if before is None and values.get("socid") is None:
                values["socid"] = caller.socid
            if "socid" in values and values["socid"] is None:
                raise Refused(
                    f"external users can only have contacts of their own third party; set `socid` to {caller.socid}",
                    reason="missing_permission",
                )
        unset_zeros(values, "country_id", "state_id")
        stamp(values, new=before is None)

    def removing(self, row: Contact) -> None:
        """Refuse to delete a contact from which a user was created."""
        if Account.select().where(Account.contact_id == row.id).exists():
            raise Refused(f"can't delete contact {row.id}: a user was created from it", reason="in_use")


def of_thirdparties(text: str) -> dict[str, Any]:
    """Return the condition for contacts of several third parties, such as ``1,2,3``; an empty text selects all."""
    numbers = {int(part) for part in text.split(",") if part and len(part) < 10}
    return {"socid": sorted(numbers)} if text.strip(",") else {}


contacts = Contacts()
