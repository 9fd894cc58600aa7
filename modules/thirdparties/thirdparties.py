"""Third parties: checks and completion of writes, and representatives."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from core import (
    Account,
    BadRequest,
    NotFound,
    Records,
    Refused,
    Values,
    current_caller,
    now,
    profile,
    shown,
    today,
    transaction,
    warn,
)
from core.for_natives import Event, Page

from ..dictionaries.codes import CodedRecords, code_cleaners
from ..dictionaries.models import CompanyType, Country
from ..dictionaries.translated import TranslatedRecords
from ..setup.changed_values import announced
from ..setup.constants import is_on
from ..setup.one_currency import OneCurrency
from ..setup.stamps import stamp, unset_zeros
from ..setup.text_cleaners import (
    clean_code,
    clean_email,
    clean_label,
    clean_phone,
    clean_url,
    clean_vat_number,
)
from ..setup.trees import is_within, lock_tree
from .codes import SERIES, check_code, is_required
from .discounts import available, list_discounts
from .known_users import shown_of_users
from .models import Representative, Thirdparty
from .representatives import note_representative
from .rows import ALL

#: values that request the next code
AUTOMATIC = ("-1", "auto")
#: kind of code → its field, and the field that enables it
CODES = {"customer": ("code_client", "client"), "supplier": ("code_fournisseur", "fournisseur")}
#: fields that are set once → the field that enables them
SET_ONCE = {
    "code_client": "client",
    "code_fournisseur": "fournisseur",
    "code_compta": "client",
    "code_compta_fournisseur": "fournisseur",
}
#: key for the fields of a body, in the context of accepted values
SENT = "sent"
#: `mode` of a list → condition on the third parties
MODES: dict[int, dict[str, Any]] = {
    1: {"client": (1, 3)},
    2: {"client": (2, 3)},
    3: {"client": 0},
    4: {"fournisseur": 1},
}

accounts = Records(Account, noun="User")


class Thirdparties(OneCurrency[Thirdparty], CodedRecords[Thirdparty], TranslatedRecords[Thirdparty]):
    """Third parties."""

    model = Thirdparty
    service = "thirdparties"
    events = {"merged": Event("`id`, and `merged`, the ID of the deleted record")}
    noun = "Thirdparty"
    empty = "Thirdparties not found"
    owned = ((Representative, "socid"),)
    extra_keys = ("commercial_id",)
    codes = {"country_code": ("country_id", Country), "typent_code": ("typent_id", CompanyType)}
    words = {
        "effectif": ("staff", "effectif_id"),
        "forme_juridique": ("legal_form", "forme_juridique_code"),
        "status_prospect_label": ("prospect_statuses", "stcomm_id"),
    }
    cleaners = {
        **announced({"phone": clean_phone, "fax": clean_phone, "url": clean_url, "tva_intra": clean_vat_number}),
        "name": clean_label,
        "email": clean_email,
        "barcode": clean_code,
        "code_client": clean_code,
        "code_fournisseur": clean_code,
    } | code_cleaners(Thirdparty)

    # Reading --------------------------------------------------------------------------------------------------------

    completed_from = ("effectif_id", "forme_juridique_code", "stcomm_id", "country_id", "typent_id")

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Add the fields without a column. The region is null, as the state defines it."""
        super().complete(records)
        for record in records:
            record["prospect"] = 0
            record["region_id"] = None

    def read(self, value: Any, by: str = "") -> dict[str, Any]:
        """Return one third party, with the discounts that it may still use."""
        record = super().read(value, by)
        discount, credit = available(int(record["id"]))
        return record | {"absolute_discount": discount, "absolute_creditnote": credit}

    def discounts(self, identifier: int, state: str = "none", **order: str) -> list[dict[str, Any]]:
        """Return the discounts of a third party; parameters as in `list_discounts`.

        :raises NotFound: there is no such third party, or the caller may not see it
        """
        self.load(identifier)
        return list_discounts(identifier, state, **order)

    # Writing --------------------------------------------------------------------------------------------------------

    def change(self, identifier: Any, body: Mapping[str, Any], **more: Any) -> bool:
        """Change a third party. A new parent company waits for concurrent ones, which could create a cycle with it."""
        body = self.check_body("changed", identifier, body, **more)
        with transaction():
            if body.get("parent"):
                lock_tree(Thirdparty.parent)
            return super().change(identifier, body, checked=True, **more)

    def unfit(self, values: Values, body: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Note the fields of a body; a replacement without codes keeps them."""
        meta: Any = Thirdparty._meta
        sent = values.context[SENT] = {meta.aliases.get(key, key) for key in body}
        for name in SET_ONCE.keys() - sent:
            values.pop(name, None)
        return super().unfit(values, body)

    def prepare(self, values: Values, before: Thirdparty | None) -> None:
        """Check conditions on several fields, and set the fields that the server sets."""
        super().prepare(values, before)
        if before is None:
            self._prepare_new(values)
        else:
            self._prepare_codes(values, before, values.context[SENT])
        if before is not None and is_within(Thirdparty.parent, values.get("parent"), before.id):
            reason = f"third party {before.id} can't be its own parent company"
            if values["parent"] != before.id:
                reason = (
                    f"third party {values['parent']} can't be the parent company: it is a subsidiary of third party "
                    f"{before.id}"
                )
            raise BadRequest(errors=[("parent", reason)])
        _clear_local_taxes(values, before)
        unset_zeros(values, "country_id", "state_id")
        stamp(values, new=before is None)

    def _prepare_new(self, values: dict[str, Any]) -> None:
        caller = current_caller()
        if caller is not None and caller.socid is not None:
            raise Refused("external users can't create third parties", reason="missing_permission")
        if is_on("SOCIETE_EMAIL_MANDATORY") and not values.get("email"):
            raise BadRequest(errors=[BadRequest.missing("email")])
        _leave_out(values, "client", "code_compta")
        _leave_out(values, "fournisseur", "code_compta_fournisseur", "code_fournisseur")
        for kind, (field, flag) in CODES.items():
            if not _is_automatic(values.get(field)):
                values[field] = self._code(kind, field, values.get(field), bool(values.get(flag)))

    def inserting(self, values: Values) -> None:
        """Take the codes of a new third party from their series."""
        for kind, (field, flag) in CODES.items():
            if values.get(field) is not None:
                values[field] = self._code(kind, field, values[field], bool(values.get(flag)))

    def _prepare_codes(self, values: dict[str, Any], before: Thirdparty, sent: Collection[str]) -> None:
        """Set the codes that a third party doesn't have yet; those it has stay.

        :param sent: the fields of the body
        """
        for name, flag in SET_ONCE.items():
            counts = bool(values.get(flag, getattr(before, flag)))
            if getattr(before, name):
                if name in sent:
                    _keep_code(values, before, name)
            elif values.get(name) and name in sent and not counts and name != "code_client":
                del values[name]
                warn(f"ignored: {name}, because `{flag}` is 0")
        for kind, (name, flag) in CODES.items():
            begins = flag in sent and bool(values.get(flag)) and not getattr(before, flag)
            if not getattr(before, name) and (begins or (name in sent and values.get(name))):
                counts = bool(values.get(flag, getattr(before, flag)))
                values[name] = self._code(kind, name, values.get(name), counts)

    def _code(self, kind: str, field: str, code: str | None, counts: bool) -> str | None:
        """Return the code to store: generated, or checked if the third party is of its kind."""
        column = getattr(Thirdparty, field)
        if _is_automatic(code):
            return SERIES[kind].take(column, today()) or None
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
        """Add the representatives of a new third party: the one in the body, and a caller who may not see all."""
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
        """Refuse to delete a third party with external users; free its code if it is the last of its series."""
        if Account.select().where(Account.socid == row.id).exists():
            raise Refused(f"can't delete third party {row.id}: external users belong to it", reason="in_use")
        for kind, (field, _) in CODES.items():
            SERIES[kind].give_back(getattr(row, field))

    # Representatives ------------------------------------------------------------------------------------------------

    def representatives(self, identifier: int) -> Page:
        """Return the users who represent a third party, with the fields that the caller may see."""
        self.load(identifier)
        of = Representative.select(Representative.user).where(Representative.socid == identifier)
        shown = ",".join(shown_of_users())
        return accounts.page(where={"id": [row.user for row in of]}, properties=shown, limit=0)

    def represent(self, identifier: int, user_id: int) -> None:
        """Make a user a representative of a third party.

        :raises Refused: the user already is one, or an external user is involved
        """
        with transaction():
            self._loaded_for_internal(identifier)
            if not self._represent(identifier, user_id):
                raise profile().repeated_action(
                    f"user {user_id} already represents third party {identifier}", reason="already_done"
                )

    def release(self, identifier: int, user_id: int) -> None:
        """Remove a user from the representatives of a third party.

        :raises NotFound: the user is not a representative
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
        """Make a user a representative; return False if the user already is one."""
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


#: old → new kind of a third party that has ordered something: a prospect also stays a prospect
CUSTOMER = {0: 1, 2: 3}


def become_customer(thirdparty: Thirdparty) -> None:
    """Make a third party a customer, inside a transaction, because it has ordered something.

    If customers must have codes, and it has none, it gets the next one.

    :raises Refused: the mask for codes is missing, or has no number left
    """
    before = thirdparty.client
    if before in CUSTOMER:
        values: dict[str, Any] = {"client": CUSTOMER[before], "date_modification": now()}
        # Locked, so that a second order at this moment takes no code
        if is_required() and not thirdparties.load(thirdparty.id, lock=True).code_client:
            values["code_client"] = SERIES["customer"].take(Thirdparty.code_client, today())
        changed = Thirdparty.update(**values)
        # Another request may be changing it at this moment
        changed.where((Thirdparty.id == thirdparty.id) & (Thirdparty.client == before)).execute()
        thirdparty.client = CUSTOMER[before]


def _is_automatic(code: str | None) -> bool:
    return str(code).strip().lower() in AUTOMATIC


def _keep_code(values: dict[str, Any], before: Thirdparty, name: str) -> None:
    """Keep the code of a third party.

    :raises Refused: the body has another one
    """
    own, wanted = getattr(before, name), str(values.get(name) or "").strip()
    values[name] = own
    if own in (wanted, wanted.upper()) or wanted.lower() in AUTOMATIC:
        return
    reason = f"can't change `{name}` of third party {before.id}: it has {own}"
    if profile().changed_codes_are_refused:
        raise Refused(reason, errors=[(name, f"expected {own}, which stays, got {shown(wanted)}")], reason="locked")
    warn(f"ignored: {name}, because {own} stays")


def _user_number(sent: Any) -> int:
    text = str(sent).strip()
    if isinstance(sent, bool) or not (text.isascii() and text.isdigit() and len(text) < 10):
        reason = f"expected a whole number, got {shown(sent)}"
        raise BadRequest(errors=[("commercial_id", reason)])
    return int(text)


def _leave_out(values: dict[str, Any], flag: str, *names: str) -> None:
    """Leave out codes of a third party that isn't of their kind."""
    for name in () if values.get(flag) else names:
        if values.pop(name, None):
            warn(f"ignored: {name}, because `{flag}` is 0")


def _clear_local_taxes(values: dict[str, Any], before: Thirdparty | None) -> None:
    """Set the rate of a local tax to 0 if the third party is not subject to it."""
    for number in (1, 2):
        flag, rate = f"localtax{number}_assuj", f"localtax{number}_value"
        if not values.get(flag, getattr(before, flag, 0)):
            if values.get(rate):
                warn(f"ignored: {rate}, because `{flag}` is 0")
            values[rate] = 0


thirdparties = Thirdparties()
