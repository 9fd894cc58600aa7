"""`python -m core key`: the keys that requests come with."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import click

from ..access.keys import Key, make_key
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
@click.option("--json", "as_json", is_flag=True, help="Answer JSON.")
def add(login: str, label: str, days: int | None, rights: tuple[str, ...], as_json: bool) -> None:
    """Make a key for the user LOGIN and print it, once."""
    insist_on_rights(rights)
    expires = utc_now() + timedelta(days=days) if days else None
    with accounts(), transaction():
        found = find_user(login)
        made = make_key(found.id, label, expires=expires, rights=list(rights) or None)
        active = found.statut == 1
    if as_json:
        show_json({"key": made, "login": login, "label": label, "expires": expires, "rights": list(rights) or None})
        return
    click.echo(made)
    click.echo("It is not shown again. It goes into the header DOLAPIKEY of each request.", err=True)
    if not active:
        click.echo(f"{login} is disabled: python -m core user enable {login}", err=True)


@key.command("list")
@click.argument("login")
@click.option("--json", "as_json", is_flag=True, help="Answer JSON.")
def list_keys(login: str, as_json: bool) -> None:
    """List the keys of the user LOGIN; the keys themselves are not kept and cannot be shown."""
    with accounts():
        found: list[dict[str, Any]] = [
            {
                "id": each.id,
                "label": each.label,
                "created": each.created,
                "expires": each.expires,
                "last_use": each.last_use,
                "rights": None if each.rights is None else each.rights.split(),
            }
            for each in Key.select().where(Key.user == find_user(login).id).order_by(Key.id)
        ]
    if as_json:
        show_json(found)
        return
    show_table(
        ("ID", "LABEL", "CREATED (UTC)", "EXPIRES", "LAST USE", "RIGHTS"),
        [
            (
                each["id"],
                each["label"],
                each["created"],
                each["expires"] or "never",
                each["last_use"] or "-",
                "all of the user" if each["rights"] is None else " ".join(each["rights"]),
            )
            for each in found
        ],
    )


@key.command()
@click.argument("id", type=int)
def revoke(id: int) -> None:
    """Refuse the key with this ID from now on."""
    with accounts(), transaction():
        removed = Key.delete().where(Key.id == id).execute()
    if not removed:
        raise click.ClickException(f"there is no key {id}; `python -m core key list LOGIN` shows a user's keys")
    click.echo(f"Key {id} is revoked.")
