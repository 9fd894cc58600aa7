"""Bank accounts of third parties: one is the default, and each has a mandate reference."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from core import NotFound, Refused, Values, now, profile, transaction

from ..dictionaries.codes import CodedRecords, code_cleaners
from ..dictionaries.models import Country
from ..setup.account_numbers import clean_bic, clean_iban
from ..setup.changed_values import warn_of_changes
from ..setup.stamps import unset_zeros
from ..thirdparties.thirdparties import thirdparties
from .accounts import check_country, clean_currency
from .models import ThirdpartyAccount

#: characters allowed in a mandate reference (EPC AT-01)
_REFERENCE = re.compile(r"[A-Za-z0-9+?/\-:().,' ]+")


def clean_reference(text: str) -> str | None:
    """Return a mandate reference, normalized.

    :raises ValueError: it contains a character that is not allowed
    """
    reference = text.strip()
    if reference and not _REFERENCE.fullmatch(reference):
        raise ValueError("expected only letters A to Z, digits, spaces and + ? / - : ( ) . , '")
    return reference or None


class ThirdpartyAccounts(CodedRecords[ThirdpartyAccount]):
    """Bank accounts of third parties."""

    model = ThirdpartyAccount
    noun = "Bank account"
    codes = {"country_code": ("country_id", Country)}
    cleaners = {
        "iban": clean_iban,
        "bic": clean_bic,
        "rum": clean_reference,
        "currency_code": clean_currency,
    } | code_cleaners(ThirdpartyAccount)

    def list_of(self, thirdparty: int) -> list[dict[str, Any]]:
        """Return the accounts of a third party.

        :raises NotFound: no such third party, or the caller may not see it; in dolibarr16 also if it has no account
        """
        thirdparties.load(thirdparty)
        found = self.every({"socid": thirdparty})
        if not found and profile().empty_list_is_missing:
            raise NotFound("the third party has no bank account", dolibarr="Account not found")
        return found

    def load_of(self, thirdparty: int, identifier: int) -> ThirdpartyAccount:
        """Return the row of an account of a third party, locked; the third party is locked first.

        :raises NotFound: no such third party or account, or the account belongs to a different third party
        """
        thirdparties.load(thirdparty, lock=True)
        row = self.load(identifier, lock=True)
        if row.socid != thirdparty:
            raise NotFound("Bank account not found")
        return row

    def default_of(self, thirdparty: int) -> ThirdpartyAccount | None:
        """Return the default account of a third party, if it has any."""
        found = self.rows({"socid": thirdparty, "default_rib": 1})
        return found[0] if found else None

    def add(self, thirdparty: int, body: Mapping[str, Any]) -> int:
        """Add an account to a third party; return its ID."""
        values, _ = self.accept(body)
        with transaction():
            # A concurrent request that adds the first account waits here
            thirdparties.load(thirdparty, lock=True)
            return self.insert(values | {"socid": thirdparty}, None, body, known=("socid",))

    def change_of(self, thirdparty: int, identifier: int, body: Mapping[str, Any]) -> None:
        """Change the fields that the body contains."""
        with transaction():
            self.load_of(thirdparty, identifier)
            self.change(identifier, body)

    def remove(self, thirdparty: int, identifier: int) -> None:
        """Delete an account; if it was the default, the oldest remaining account becomes the default."""
        with transaction():
            row = self.load_of(thirdparty, identifier)
            self.delete(identifier)
            if row.default_rib:
                self.settle_default(thirdparty)

    def settle_default(self, thirdparty: int) -> None:
        """Make exactly one account of a third party the default, in the transaction that has locked the third party."""
        rows = sorted(self.rows({"socid": thirdparty}), key=lambda each: (-each.default_rib, each.id))
        for place, row in enumerate(rows):
            if row.default_rib != int(place == 0):
                self.write_unchecked(row.id, default_rib=int(place == 0))

    def prepare(self, values: Values, before: ThirdpartyAccount | None) -> None:
        """Keep exactly one account the default."""
        super().prepare(values, before)
        unset_zeros(values, "country_id", "state_id")
        check_country(values)
        values.setdefault("tms", now())
        if before is None:
            sent = dict(values)
            if values.setdefault("default_rib", 0) == 0:
                values["default_rib"] = int(self.default_of(values["socid"]) is None)
            warn_of_changes(sent, values, ("default_rib",))
        elif before.default_rib and values.get("default_rib") == 0:
            raise Refused(
                f"bank account {before.id} is the default account; make another account the default instead",
                reason="last_one",
            )
        if values.get("default_rib") and not (before and before.default_rib):
            thirdparty = before.socid if before else values["socid"]
            for row in self.rows({"socid": thirdparty, "default_rib": 1}):
                self.write_unchecked(row.id, default_rib=0)
        if before is not None and "rum" in values and values["rum"] is None:
            values.pop("rum")

    def stored(self, identifier: int, body: Mapping[str, Any], before: ThirdpartyAccount | None) -> None:
        """Give the mandate a reference if the body has none."""
        row = self.load(identifier)
        if row.rum:
            return
        reference, number = f"RUM-{row.socid}-{identifier}", 1
        while self.rows({"rum": reference}):
            number += 1
            reference = f"RUM-{row.socid}-{identifier}-{number}"
        self.write_unchecked(identifier, rum=reference)


thirdparty_accounts = ThirdpartyAccounts()
