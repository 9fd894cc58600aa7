"""Webhooks: their rules, and what becomes of them when deliveries fail."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from core import BadRequest, Caller, Records, Unauthorized, Values, check_url, current_caller, now, transaction
from core.for_natives import unix_now

from .feed import last_number
from .models import WAITING, Delivery, Webhook
from .patterns import read_patterns, text_of
from .signing import check_secret, make_secret

#: hours for which a former secret still signs
OLD_SECRET_HOURS = 24


class Webhooks(Records[Webhook]):
    """Webhooks of the caller; administrators see those of all users."""

    model = Webhook
    service = "webhooks"
    noun = "Webhook"
    extra_keys = ("secret",)

    def unfit(self, values: Values, body: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Return what is wrong with the address, the patterns and the secret of a body."""
        values.context["secret"] = secret = body.get("secret")
        wrong = []
        for name, check, value in (("url", check_url, values.get("url")), ("secret", check_secret, secret)):
            try:
                if value not in (None, ""):
                    check(value)
            except ValueError as error:
                wrong.append((name, str(error)))
        try:
            if values.get("events"):
                values["events"] = text_of(read_patterns(values["events"]))
        except ValueError as error:
            wrong.append(("events", str(error)))
        return wrong

    def prepare(self, values: Values, before: Webhook | None) -> None:
        """Set the owner and the secret of a new webhook; let one that is active again or has another URL go on."""
        owner, secret = _unrestricted(), values.context.get("secret")
        if before is None:
            values["user"], values["position"] = owner.id, last_number()
            values["signing_key"] = secret or make_secret()
        elif secret:
            raise BadRequest(errors=[("secret", "expected none, because POST {id}/secret makes a new one")])
        elif values.get("url", before.url) != before.url or (values.get("active") == 1 and not before.active):
            values |= {"reason": "", "failures": 0, "failing_since": None, "retry_at": None}

    def stored(self, identifier: int, body: Mapping[str, Any], before: Webhook | None) -> None:
        """Let the events that wait for a webhook that goes on have all their attempts again."""
        if before is not None and (not before.active or body.get("url", before.url) != before.url):
            failed = (Delivery.webhook == identifier) & (Delivery.state == WAITING) & Delivery.due.is_null(False)
            Delivery.update(attempts=0, since=None, due=unix_now()).where(failed).execute()

    def change_secret(self, identifier: int) -> str:
        """Make a new secret and return it; for a day, requests have signatures with both."""
        _unrestricted()
        made = make_secret()
        with transaction():
            row = self.load(identifier, lock=True)
            until = now() + timedelta(hours=OLD_SECRET_HOURS)
            self.change(identifier, {}, signing_key=made, former_key=row.signing_key, former_until=until)
        return made


def _unrestricted() -> Caller:
    """Return the caller, whose permissions a webhook has.

    :raises Unauthorized: the key has only some of them
    """
    caller = current_caller()
    if caller is None or caller.restriction.rights is not None:
        raise Unauthorized("a webhook has all permissions of its owner; this key has only some of them")
    return caller


webhooks = Webhooks()


def secrets_of(webhook: Any) -> list[str]:
    """Return the secrets that sign a request now."""
    both = webhook.former_until is not None and webhook.former_until > now()
    return [webhook.signing_key, *([webhook.former_key] if both and webhook.former_key else [])]
