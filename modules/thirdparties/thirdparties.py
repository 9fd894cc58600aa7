"""Third parties: what is checked and completed when they are written, and who represents them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from peewee import fn

from core import (
    Account,
    BadRequest,
    NotFound,
    Page,
    Records,
    Refused,
    current_caller,
    settings,
    transaction,
    utc_now,
    warn,
    wrong_fields,
)

from ..dictionaries.codes import code_cleaners
from ..dictionaries.entries import add_codes
from ..dictionaries.models import CompanyType, Country
from ..dictionaries.spoken import SpokenRecords
from ..numbering.counters import Column
from ..setup.constants import constant
from ..setup.stamps import stamp, unset_zeros
from ..setup.text_cleaners import clean_code, clean_email, clean_label, clean_phone, clean_url, clean_vat_number
from .codes import check_code, next_code, release_code
from .discounts import available, list_discounts
from .known_users import shown_of_users
from .models import Representative, Thirdparty
from .representatives import note_representative
from .rows import ALL

#: what asks for the next code
AUTOMATIC = ("-1", "auto")
#: kind of code → field that holds it, field that makes it count
CODES = {"customer": ("code_client", "client"), "supplier": ("code_fournisseur", "fournisseur")}
#: `mode` of a list → what the third parties must have
MODES: dict[int, dict[str, Any]] = {
    1: {"client": (1, 3)},
    2: {"client": (2, 3)},
    3: {"client": 0},
    4: {"fournisseur": 1},
}

accounts = Records(Account, noun="User")


class Thirdparties(SpokenRecords[Thirdparty]):
    """Third parties."""

    model = Thirdparty
    service = "thirdparties"
    noun = "Thirdparty"
    empty = "Thirdparties not found"
    owned = ((Representative, "socid"),)
    extra_keys = ("commercial_id",)
    words = {
        "effectif": ("staff", "effectif_id"),
        "forme_juridique": ("legal_form", "forme_juridique_code"),
        "status_prospect_label": ("prospect_statuses", "stcomm_id"),
    }
    cleaners = {
        "name": clean_label,
        "email": clean_email,
        "phone": clean_phone,
        "fax": clean_phone,
        "url": clean_url,
        "tva_intra": clean_vat_number,
        "barcode": clean_code,
        "code_client": clean_code,
        "code_fournisseur": clean_code,
    } | code_cleaners(Thirdparty)

    # Reading --------------------------------------------------------------------------------------------------------

    completed_from = ("effectif_id", "forme_juridique_code", "stcomm_id", "country_id", "typent_id")

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Add what is no column. The region, which the state knows, is null."""
        super().complete(records)
        add_codes(records, "country_code", Country, "country_id")
        add_codes(records, "typent_code", CompanyType, "typent_id")
        for record in records:
            record["prospect"] = 0
            record["region_id"] = None

    def read(self, value: Any, by: str = "") -> dict[str, Any]:
        """Read one third party, with the discounts it may still use."""
        record = super().read(value, by)
        discount, credit = available(int(record["id"]))
        return record | {"absolute_discount": discount, "absolute_creditnote": credit}

    def discounts(self, identifier: int, state: str = "none", **order: str) -> list[dict[str, Any]]:
        """The discounts of a third party; parameters as in `list_discounts`.

        :raises NotFound: there is no such third party, or the caller may not see it
        """
        self.load(identifier)
        return list_discounts(identifier, state, **order)

    # Writing --------------------------------------------------------------------------------------------------------

    def change(self, identifier: Any, body: Mapping[str, Any], **more: Any) -> bool:
        """Change a third party. Who gives one another parent company waits for others who do: no circle together."""
        with transaction():
            if body.get("parent"):
                lock_parents()
            return super().change(identifier, body, **more)

    def prepare(self, values: dict[str, Any], before: Thirdparty | None) -> None:
        """Check what depends on several fields, and set what the server sets."""
        if before is None:
            self._prepare_new(values)
        elif "parent" in values:
            _check_parent(before.id, values["parent"])
        _clear_local_taxes(values, before)
        unset_zeros(values, "country_id", "state_id")
        stamp(values, new=before is None)

    def _prepare_new(self, values: dict[str, Any]) -> None:
        caller = current_caller()
        if caller is not None and caller.socid is not None:
            raise Refused("external users can't create third parties", reason="missing_permission")
        if constant("SOCIETE_EMAIL_MANDATORY") not in ("", "0") and not values.get("email"):
            raise wrong_fields([("email", "`email` is required")])
        if not values.get("client"):
            values.pop("code_compta", None)
        if not values.get("fournisseur"):
            values.pop("code_compta_fournisseur", None)
            values.pop("code_fournisseur", None)
        for kind, (field, flag) in CODES.items():
            values[field] = self._code(kind, field, values.get(field), bool(values.get(flag)))

    def _code(self, kind: str, field: str, code: str | None, counts: bool) -> str | None:
        """The code to store: generated, or checked when the third party is of its kind."""
        column = getattr(Thirdparty, field)
        if str(code).strip().lower() in AUTOMATIC:
            return next_code(kind, Column(column)) or None
        if counts:
            try:
                code = check_code(kind, code or "") or None
            except BadRequest as error:
                error.errors = [(field, error.message)]
                raise
        if code is not None and Thirdparty.select().where(column == code).exists():
            reason = f"another third party already uses the {kind} code {code}"
            theirs = f"Error{kind.capitalize()}CodeAlreadyUsed: {reason}"
            raise Refused(
                reason, dolibarr=theirs, errors=[(field, "another record has this value")], reason="value_taken"
            )
        return code

    def stored(self, identifier: int, body: Mapping[str, Any], before: Thirdparty | None) -> None:
        """Give a new third party its representatives: the one it names, and a caller who sees no others."""
        if before is not None:
            if "commercial_id" in body:
                warn("ignored: commercial_id, because it can be set only on creation")
            return
        if body.get("commercial_id") not in (None, "", 0, "0", -1, "-1"):
            self._represent(identifier, _user_number(body["commercial_id"]))
        caller = current_caller()
        if caller is not None and not caller.holds(ALL):
            self._represent(identifier, caller.id)

    def removing(self, row: Thirdparty) -> None:
        """Refuse to delete a third party that an external user belongs to; the last code of a series is free again."""
        if Account.select().where(Account.socid == row.id).exists():
            raise Refused(f"can't delete third party {row.id}: external users belong to it", reason="in_use")
        for kind, (field, _) in CODES.items():
            release_code(kind, getattr(row, field) or "")

    # Representatives ------------------------------------------------------------------------------------------------

    def representatives(self, identifier: int) -> Page:
        """The users who represent a third party, as they are shown to others."""
        self.load(identifier)
        of = Representative.select(Representative.user).where(Representative.socid == identifier)
        shown = ",".join(shown_of_users())
        return accounts.page(where={"id": [row.user for row in of]}, properties=shown, limit=0)

    def represent(self, identifier: int, user_id: int) -> None:
        """Let a user represent a third party.

        :raises Refused: the user represents it already, or an external user is involved
        """
        with transaction():
            self._loaded_for_internal(identifier)
            if not self._represent(identifier, user_id):
                raise settings().profile.repeated_action(
                    f"user {user_id} already represents third party {identifier}", reason="already_done"
                )

    def release(self, identifier: int, user_id: int) -> None:
        """Stop a user from representing a third party.

        :raises NotFound: the user does not represent it
        """
        with transaction():
            self._loaded_for_internal(identifier)
            row = (Representative.socid == identifier) & (Representative.user == user_id)
            if not Representative.delete().where(row).execute():
                raise NotFound(f"user {user_id} does not represent third party {identifier}")

    def _loaded_for_internal(self, identifier: int) -> None:
        self.load(identifier, lock=True)
        caller = current_caller()
        if caller is not None and caller.socid is not None:
            raise Refused(
                "external users can't change the representatives of a third party", reason="missing_permission"
            )

    def _represent(self, identifier: int, user_id: int) -> bool:
        """Make a user a representative; answers False when the user is one already."""
        user = Account.get_or_none(Account.id == user_id)
        if user is None:
            raise NotFound(f"User {user_id} not found")
        if user.socid is not None:
            raise Refused(f"user {user_id} is an external user and can't represent a third party", reason="wrong_type")
        known = (Representative.socid == identifier) & (Representative.user == user_id)
        if Representative.select().where(known).exists():
            return False
        note_representative()
        Representative.create(socid=identifier, user=user_id)
        return True


#: what a third party becomes that has ordered something: a prospect stays one, too
CUSTOMER = {0: 1, 2: 3}


def become_customer(thirdparty: Thirdparty) -> None:
    """Make a customer of a third party that was none, inside a transaction: it has ordered something."""
    before = thirdparty.client
    if before in CUSTOMER:
        changed = Thirdparty.update(client=CUSTOMER[before], date_modification=utc_now())
        # Somebody else may be changing it at this moment
        changed.where((Thirdparty.id == thirdparty.id) & (Thirdparty.client == before)).execute()
        thirdparty.client = CUSTOMER[before]


def _user_number(sent: Any) -> int:
    text = str(sent).strip()
    if isinstance(sent, bool) or not (text.isascii() and text.isdigit() and len(text) < 10):
        reason = f"expected a whole number, got {sent!r:.60}"
        raise wrong_fields([("commercial_id", reason)])
    return int(text)


def _clear_local_taxes(values: dict[str, Any], before: Thirdparty | None) -> None:
    """A local tax that a third party is not subject to has the rate 0."""
    for number in (1, 2):
        flag, rate = f"localtax{number}_assuj", f"localtax{number}_value"
        if not values.get(flag, getattr(before, flag, 0)):
            values[rate] = 0


def lock_parents() -> None:
    """Wait for others who change parent companies, and keep them out until the transaction ends.

    Not all rows are locked for that, as there may be many; and not the visible ones, as two callers see others. It is
    the first one: as long as it is locked it stays the first.
    """
    lowest = Thirdparty.select(fn.MIN(Thirdparty.id))
    first = None
    # Who has waited for one that was deleted holds nothing
    while first != (first := lowest.scalar()):
        # Any change locks a row, on each kind of database
        Thirdparty.update(parent=Thirdparty.parent).where(Thirdparty.id == first).execute()


def _check_parent(identifier: int, parent: int | None) -> None:
    """Refuse a parent company that is the third party itself or one below it."""
    seen: set[int] = set()
    wanted = parent
    while parent is not None and parent not in seen:
        if parent == identifier:
            reason = f"third party {identifier} can't be its own parent company"
            if wanted != identifier:
                reason = (
                    f"third party {wanted} can't be the parent company: it is a subsidiary of third party {identifier}"
                )
            raise wrong_fields([("parent", reason)])
        seen.add(parent)
        row = Thirdparty.get_or_none(Thirdparty.id == parent)
        parent = row.parent if row else None


thirdparties = Thirdparties()
