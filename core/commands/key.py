"""`comptoir key`: the keys that requests come with."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import click

from ..access.accounts import Account
from ..access.keys import Key, make_key
from ..access.restrictions import Restriction, read_addresses
from ..common.clock import utc_now
from ..storage.database import transaction
from .grant import insist_on_rights
from .terminal import Commands, accounts, find_user, show_json, show_table


@click.group(cls=Commands)
def key() -> None:
    """Make, list and revoke keys."""


@key.command()
@click.argument("login")
@click.option("--label", default="", help="What the key is for.")
@click.option("--days", type=click.IntRange(1, 36500), help="Refuse the key after so many days; otherwise never.")
@click.option("--right", "rights", multiple=True, help="Restrict the key to this right; repeat it for several.")
@click.option("--address", "addresses", multiple=True, help="Restrict it to this address or network; the same.")
@click.option("--rate", type=click.IntRange(1, 1_000_000), help="Requests a minute; otherwise those of COMPTOIR_RATE.")
@click.option("--json", "as_json", is_flag=True, help="Answer JSON.")
def add(
    login: str,
    label: str,
    days: int | None,
    rights: tuple[str, ...],
    addresses: tuple[str, ...],
    rate: int | None,
    as_json: bool,
) -> None:
    """Make a key for the user LOGIN and print it, once."""
    insist_on_rights(rights)
    networks, wrong = read_addresses(addresses)
    if wrong:
        raise click.BadParameter("\n  ".join(["no key was made", *wrong]), param_hint="--address")
    expires = utc_now() + timedelta(days=days) if days else None
    restriction = Restriction(frozenset(rights) or None, networks or None, expires, rate)
    with accounts(), transaction():
        found = find_user(login)
        made = make_key(found.id, label, restriction=restriction)
        active = found.statut == 1
    if as_json:
        show_json({"key": made, "login": login, "label": label, **restriction.shown()})
        return
    click.echo(made)
    click.echo("It is not shown again. It goes into the header DOLAPIKEY of each request.", err=True)
    if not active:
        click.echo(f"{login} is disabled: comptoir user enable {login}", err=True)


@key.command("list")
@click.argument("login", required=False)
@click.option(
    "--unused", "days", type=click.IntRange(1, 36500), metavar="DAYS", help="Those not used for so many days."
)
@click.option("--json", "as_json", is_flag=True, help="Answer JSON.")
def list_keys(login: str | None, days: int | None, as_json: bool) -> None:
    """List all keys, or those of the user LOGIN; the keys themselves are not kept and cannot be shown.

    A key that was never used is among those that --unused lists. When a key was last used is known to the minute.
    """
    with accounts():
        logins = {each.id: each.login for each in Account.select(Account.id, Account.login)}
        rows = Key.select().order_by(Key.id)
        if login:
            rows = rows.where(Key.user == find_user(login).id)
        if days:
            rows = rows.where(Key.last_use.is_null() | (Key.last_use < utc_now() - timedelta(days=days)))
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
    if as_json:
        show_json(found)
        return
    show_table(
        ("ID", "USER", "LABEL", "CREATED (UTC)", "LAST USE", "EXPIRES", "RIGHTS", "ADDRESSES", "A MINUTE"),
        [
            (
                each["id"],
                each["login"],
                each["label"],
                each["created"],
                each["last_use"] or "never",
                each["expires"] or "never",
                _listed(each["rights"], "all of the user"),
                _listed(each["addresses"], "all"),
                each["rate"] or "-",
            )
            for each in found
        ],
    )


def _listed(values: list[str] | None, all: str) -> str:
    return all if values is None else " ".join(values) or "none"


@key.command()
@click.argument("id", type=int)
def revoke(id: int) -> None:
    """Refuse the key with this ID from now on."""
    with accounts(), transaction():
        removed = Key.delete().where(Key.id == id).execute()
    if not removed:
        raise click.ClickException(f"there is no key {id}; `comptoir key list` shows them all")
    click.echo(f"Key {id} is revoked.")
