"""`comptoir key`: API keys."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import click

from ..access.accounts import Account
from ..access.keys import Key, make_key
from ..access.restrictions import Restriction, read_addresses
from ..common.clock import now
from ..storage.database import transaction
from .grant import ensure_permissions_exist
from .terminal import Commands, WholeNumber, accounts, find_user, json_option, show, show_json


@click.group(cls=Commands)
def key() -> None:
    """Create, list and revoke API keys."""


@key.command()
@click.argument("login")
@click.option("--label", default="", help="Purpose of the key.")
@click.option(
    "--days",
    metavar="DAYS",
    type=WholeNumber(1, 36500),
    help="Days until the key expires; if omitted, the key never expires.",
)
@click.option(
    "--right", "rights", metavar="PERMISSION", multiple=True, help="Permission to restrict the key to; repeatable."
)
@click.option(
    "--address",
    "addresses",
    metavar="ADDRESS",
    multiple=True,
    help="Address or network to restrict the key to; repeatable.",
)
@click.option(
    "--rate",
    metavar="NUMBER",
    type=WholeNumber(1, 1_000_000),
    help="Requests per minute; the default is COMPTOIR_RATE.",
)
@json_option
def add(
    login: str,
    label: str,
    days: int | None,
    rights: tuple[str, ...],
    addresses: tuple[str, ...],
    rate: int | None,
    as_json: bool,
) -> None:
    """Create a key for the user LOGIN and print it. It is not shown again."""
    ensure_permissions_exist(rights)
    networks, wrong = read_addresses(addresses)
    if wrong:
        raise click.BadParameter("\n  ".join(["no key was created", *wrong]), param_hint="--address")
    expires = now() + timedelta(days=days) if days else None
    restriction = Restriction(frozenset(rights) or None, networks or None, expires, rate)
    with accounts(), transaction():
        found = find_user(login)
        made = make_key(found.id, label, restriction=restriction)
        active = found.statut == 1
    if as_json:
        show_json({"key": made, "login": login, "label": label, **restriction.shown()})
        return
    click.echo(made)
    click.echo("This key is not shown again. Send it in the header DOLAPIKEY of each request.", err=True)
    if not active:
        click.echo(f"{login} is disabled, so the key does not work. Run `comptoir user enable {login}`.", err=True)


@key.command("list")
@click.argument("login", required=False)
@click.option(
    "--unused",
    "days",
    type=WholeNumber(1, 36500),
    metavar="DAYS",
    help="List only keys not used for this many days.",
)
@json_option
def list_keys(login: str | None, days: int | None, as_json: bool) -> None:
    """List all keys, or the keys of the user LOGIN.

    The keys themselves are not shown: the server stores only their digests. --unused skips keys that were created
    within these days, even if they were never used. The time of the last use is accurate to the minute.
    """
    with accounts():
        logins = {each.id: each.login for each in Account.select(Account.id, Account.login)}
        rows = Key.select().order_by(Key.id)
        if login:
            rows = rows.where(Key.user == find_user(login).id)
        if days:
            start = now() - timedelta(days=days)
            rows = rows.where(Key.created < start, Key.last_use.is_null() | (Key.last_use < start))
        found: list[dict[str, Any]] = [
            {
                "id": each.id,
                "login": logins[each.user],
                "label": each.label,
                "created": each.created,
                "last_use": each.last_use,
                **each.restriction.shown(),
            }
            for each in rows
        ]
    show(
        found,
        {
            "ID": "id",
            "USER": "login",
            "LABEL": "label",
            "CREATED (UTC)": "created",
            "LAST USE": lambda each: each["last_use"] or "never",
            "EXPIRES": lambda each: each["expires"] or "never",
            "PERMISSIONS": lambda each: _listed(each["rights"], "all of the user's"),
            "ADDRESSES": lambda each: _listed(each["addresses"], "all"),
            "REQUESTS/MIN": lambda each: each["rate"] or "no limit",
        },
        as_json,
    )


def _listed(values: list[str] | None, all: str) -> str:
    return all if values is None else " ".join(values) or "none"


@key.command()
@click.argument("id", type=int)
def revoke(id: int) -> None:
    """Revoke the key with this ID."""
    with accounts(), transaction():
        removed = Key.delete().where(Key.id == id).execute()
    if not removed:
        raise click.ClickException(f"there is no key {id}; run `comptoir key list` to see all keys")
    click.echo(f"Revoked key {id}.")
