"""Proposals: offers to a customer, from draft to billed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any

from core import BadRequest, Values, now, profile, shown, today
from core.for_natives import current_user_id, midnight_of

from ..commercial.documents import Documents
from ..commercial.lines import Lines
from ..commercial.states import Transition
from ..dictionaries.entries import add_codes
from ..dictionaries.models import Availability, Origin
from ..numbering.series import Series
from ..setup.constants import constant
from ..thirdparties.thirdparties import become_customer
from .models import Proposal, ProposalLine
from .states import STATES

#: special_code of a line without quantity: an optional offer, not part of the expected sale
OPTION = 3
DURATION = "duree_validite"
EPOCH = datetime(1970, 1, 1)


class ProposalLines(Lines[ProposalLine]):
    """Lines of proposals."""

    model = ProposalLine
    empty_in_dolibarr = ("product_tosell", "product_tobuy")

    def prepare(self, values: Values, before: ProposalLine | None) -> None:
        """Compute the prices of a line; one without quantity is an option."""
        if before is None and not values.get("qty") and not values.get("special_code"):
            values["special_code"] = OPTION
        super().prepare(values, before)


class Proposals(Documents[Proposal]):
    """Proposals."""

    model = Proposal
    service = "proposals"
    noun = "Commercial Proposal"
    kind = "proposal"
    constants = {"ADDON_PDF": "PROPALE"}
    template = "azur"
    printed = ("availability_id", "delivery_date", "fin_validite")
    folder = "propale"
    other_names = ("propale",)
    empty = "No proposal found"
    unread_after_actions = {"contacts_ids": None}
    lines = ProposalLines()
    states = STATES
    derived_kinds = ("commande", "facture")
    series = Series(
        "proposals",
        "PR{yy}{mm}-{0000}",
        addon="PROPALE_ADDON",
        masks={"mod_propale_saphir": ("PROPALE_SAPHIR_MASK",)},
    )

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Add the fields without a column."""
        super().complete(records)
        names = self.states.names
        for record in records:
            record["statut_libelle"] = names[int(record["statut"])]
        add_codes(records, "availability", Availability, "availability_id", said="label")
        add_codes(records, "demand_reason", Origin, "demand_reason_id", said="label")

    def accept(
        self, body: Mapping[str, Any], *, creating: bool = True, replace: bool = False
    ) -> tuple[Values, dict[str, Any] | None]:
        """Check the body of a proposal; `duree_validite` (days) sets the end of validity if it is missing.

        :raises BadRequest: a field is missing or invalid; the error lists all of them
        """
        values, extras = super().accept(body, creating=creating, replace=replace)
        days = _days(body.get(DURATION))
        if (creating or replace or days is not None) and body.get("fin_validite") in (None, ""):
            values.pop("fin_validite", None)
            values.context[DURATION] = days
        return values, extras

    def prepare(self, values: Values, before: Proposal | None) -> None:
        """Set the end of validity if it is missing."""
        if DURATION in values.context:
            day = values.get("date") or getattr(before, "date", None)
            values["fin_validite"] = _end(day, values.context[DURATION])
        elif before is not None:
            _move_end(values, before)
        super().prepare(values, before)

    def number_day(self, row: Proposal) -> date:
        """Return the date for the reference: today in the fixed format, the proposal's date in a mask."""
        return today() if self.series.mask().grows else row.date

    def before_transition(self, transition: Transition, row: Proposal, values: dict[str, Any]) -> None:
        """Note the user and the time when a proposal is closed or billed."""
        user = current_user_id()
        if transition.name == "close":
            values |= {"date_signature": values.get("date_signature", now()), "user_signature_id": user}
            note = values.pop("note", "")
            if note:
                values["note_private"] = f"{row.note_private}\n{note}" if row.note_private else note
        elif transition.name == "setinvoiced":
            values |= {"date_cloture": values.get("date_cloture", now()), "user_close_id": user}
        elif transition.name == "setuninvoiced":
            values |= {"date_cloture": None, "user_close_id": None}

    def after_transition(self, transition: Transition, row: Proposal) -> None:
        """Make the third party of a signed proposal a customer."""
        if transition.event == "signed":
            become_customer(self.customer_of(row))


def default_duration() -> int:
    """Return the default validity of a proposal, in days."""
    text = constant("PROPALE_VALIDITY_DURATION").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else profile().validity_days or 15


def _days(sent: Any) -> int | None:
    if sent in (None, "", 0, "0"):
        return None
    text = str(sent).strip()
    if isinstance(sent, bool) or not (text.isascii() and text.isdigit() and len(text) < 6):
        reason = f"expected a number of days, got {shown(sent)}"
        raise BadRequest(errors=[(DURATION, reason)])
    return int(text)


def _move_end(values: Values, before: Proposal) -> None:
    """Let the end of validity follow the date, unless the request or an earlier one has set it."""
    day, days = values.get("date"), before.duree_validite
    if not day or day == before.date or not days or values.get("fin_validite"):
        return
    if before.fin_validite == _end(before.date, days):
        values["fin_validite"] = _end(day, days)


def _end(day: date | None, days: int | None) -> datetime | None:
    if days is None:
        if profile().validity_days is None:
            return EPOCH
        days = default_duration()
    try:
        return midnight_of(day + timedelta(days=days)) if day else None
    except OverflowError:
        raise BadRequest(
            errors=[(DURATION, f"expected a validity that ends by the year 9999, got {days} days")]
        ) from None


proposals = Proposals()
