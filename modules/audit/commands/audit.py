"""Delete old entries of the audit trail, or erase values from it."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime, timedelta
from typing import Any

import click
import peewee

from core import now
from core.for_natives import catalogue, erase_trail, prune_trail, settings


@click.group()
def audit() -> None:
    """Delete old entries of the audit trail, or erase values from it.

    The audit trail also records both commands.
    """


@audit.command()
@click.option("--before", metavar="DATE", help="Date before which entries are deleted, such as 2025-01-01 (UTC).")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def prune(before: str | None, as_json: bool) -> None:
    """Delete old entries of the audit trail.

    The command deletes entries older than COMPTOIR_AUDIT_DAYS days or, with --before, older than that date. The server
    can keep running. Entries are never deleted automatically: run this command by hand or from a timer.
    """
    moment = _moment(before)
    deleted = prune_trail(moment, _show)
    if as_json:
        click.echo(json.dumps({"deleted": deleted, "before": moment.isoformat()}))
    else:
        click.echo(f"Deleted {_entries(deleted)} from before {moment:%Y-%m-%d %H:%M} UTC.")


def _moment(before: str | None) -> datetime:
    """Return the time before which entries are deleted, in UTC."""
    if before is None:
        days = settings().audit_days
        if not days:
            raise click.UsageError(
                "COMPTOIR_AUDIT_DAYS is 0, which keeps all entries; use --before, or set it to a number of days"
            )
        return now() - timedelta(days=days)
    try:
        given = datetime.fromisoformat(before)
    except ValueError:
        raise click.BadParameter(f"expected a date such as 2025-01-01, got {before!r}", param_hint="--before") from None
    moment = given.astimezone(UTC).replace(tzinfo=None) if given.tzinfo else given
    if moment > now():
        raise click.BadParameter(f"expected a date in the past, got {before!r}", param_hint="--before")
    return moment


def _entries(number: int) -> str:
    return "1 entry" if number == 1 else f"{number} entries"


def _show(done: int, all: int) -> None:
    if sys.stderr.isatty():
        click.echo(f"\rDeleted {done} of {all} entries" if done < all else "\r\033[K", nl=False, err=True)


@audit.command()
@click.argument("service")
@click.argument("identifier", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def erase(service: str, identifier: str, as_json: bool) -> None:
    """Erase the values of a record from the audit trail.

    The command erases the values of one record of SERVICE, given by its ID, and of the record's parts. The entries keep
    the time, the user and the operation. For a user, the login and the addresses are also erased.

    Delete the record first: deleting it adds another entry with its values.
    """
    served: Any = catalogue().services.get(service.lower())
    if served is None or served.records is None:
        known = sorted(name for name, each in catalogue().services.items() if each.records is not None)
        raise click.BadParameter(f"expected one of {', '.join(known)}; got {service!r}", param_hint="SERVICE")
    if isinstance(served.records.model._meta.primary_key, peewee.IntegerField) and not identifier.isdecimal():
        raise click.BadParameter(f"expected an ID, got {identifier!r}", param_hint="ID")
    erased = erase_trail(served.records.model, identifier)
    if as_json:
        click.echo(json.dumps({"erased": erased}))
    elif erased:
        click.echo(f"Erased the values of {_entries(erased)}.")
    else:
        click.echo(f"Erased no values: the audit trail has no entries for {service}/{identifier}.")
