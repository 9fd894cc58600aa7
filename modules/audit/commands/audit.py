"""Shorten the audit trail, or erase from it what a person's record held."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime, timedelta
from typing import Any

import click

from core import catalogue, erase_trail, prune_trail, settings, utc_now


@click.group()
def audit() -> None:
    """The audit trail: who changed what. Both commands are themselves told of in it."""


@audit.command()
@click.option("--before", metavar="DATE", help="Delete what is older than this day, such as 2025-01-01 (UTC).")
@click.option("--json", "as_json", is_flag=True, help="Answer JSON.")
def prune(before: str | None, as_json: bool) -> None:
    """Delete entries that are older than COMPTOIR_AUDIT_DAYS, or than --before. The server may run meanwhile.

    Run it by cron, or by hand; nothing is deleted otherwise.
    """
    moment = _moment(before)
    deleted = prune_trail(moment, _show)
    if as_json:
        click.echo(json.dumps({"deleted": deleted, "before": moment.isoformat()}))
    else:
        click.echo(f"{deleted} entries from before {moment:%Y-%m-%d %H:%M} UTC have been deleted")


def _moment(before: str | None) -> datetime:
    """The instant before which entries are deleted."""
    if before is None:
        days = settings().audit_days
        if not days:
            raise click.ClickException("COMPTOIR_AUDIT_DAYS is 0: entries are kept for ever; or give --before")
        return utc_now() - timedelta(days=days)
    try:
        given = datetime.fromisoformat(before)
    except ValueError:
        raise click.BadParameter(f"expected a day such as 2025-01-01, got {before!r}") from None
    moment = given.astimezone(UTC).replace(tzinfo=None) if given.tzinfo else given
    if moment > utc_now():
        raise click.BadParameter(f"{before} is to come")
    return moment


def _show(done: int, all: int) -> None:
    if sys.stderr.isatty():
        click.echo(f"\r{done} of {all}" if done < all else "\r\033[K", nl=False, err=True)


@audit.command()
@click.argument("service")
@click.argument("identifier", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="Answer JSON.")
def erase(service: str, identifier: str, as_json: bool) -> None:
    """Erase what the entries of a record of SERVICE, and of its parts, say it held.

    When, who and by which operation stays. Of a user the login and the addresses go as well. Delete the record itself
    before: what it holds by then is noted.
    """
    served: Any = catalogue().services.get(service.lower())
    if served is None or served.records is None:
        known = sorted(name for name, each in catalogue().services.items() if each.records is not None)
        raise click.ClickException(f"there is no service {service!r} with records; there are {', '.join(known)}")
    erased = erase_trail(served.records.model, identifier)
    click.echo(json.dumps({"erased": erased}) if as_json else f"{erased} entries have been erased")
