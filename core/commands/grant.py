"""`comptoir grant`: what users and groups may do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

import click

from ..access.accounts import Account, Grant, Group
from ..access.callers import granted_rights
from ..loading.check import examine
from ..storage.database import transaction
from .terminal import accounts, find_user, read_settings, show_json


@click.command()
@click.argument("names", nargs=-1, metavar="[LOGIN] [RIGHT]...")
@click.option("--group", "group_name", metavar="NAME", help="Grant to a group rather than to a user.")
@click.option("--remove", is_flag=True, help="Take the rights away.")
@click.option("--list", "listing", is_flag=True, help="List the rights held; without LOGIN, all that can be granted.")
@click.option("--json", "as_json", is_flag=True, help="Answer the rights held as JSON.")
def grant(names: tuple[str, ...], group_name: str | None, remove: bool, listing: bool, as_json: bool) -> None:
    """Grant rights to the user LOGIN or to a group.

    A right is <service>.<verb>, such as thirdparties.read.
    """
    login, rights = ("", names) if group_name else (names[0] if names else "", names[1:])
    if listing and not login and not group_name:
        _show(known_rights(), as_json)
        return
    if not login and not group_name:
        raise click.UsageError("name a LOGIN, or --group NAME")
    if not rights and not listing:
        raise click.UsageError("name one RIGHT or more; `comptoir grant --list` shows them all")
    if not remove:
        insist_on_rights(rights)
    with accounts(), transaction():
        target: Account | Group = _find_group(group_name) if group_name else find_user(login)
        column = Grant.group if isinstance(target, Group) else Grant.user
        if listing:
            held = {row.name for row in Grant.select().where(column == target.id)}
            _show(held if isinstance(target, Group) else granted_rights(target.id), as_json)
            _note_administrator(target)
            return
        for right in rights:
            Grant.delete().where(column == target.id, Grant.name == right).execute()
            if not remove:
                Grant.create(**{column.name: target.id}, name=right)
        held = {row.name for row in Grant.select().where(column == target.id)}
    if as_json:
        _show(held, as_json)
        return
    name = f"The group {group_name}" if group_name else login
    click.echo(f"{name} {'no longer holds' if remove else 'now holds, besides what it held,'} {', '.join(rights)}.")
    _note_administrator(target)


def _note_administrator(target: Account | Group) -> None:
    if isinstance(target, Account) and target.admin:
        click.echo(f"{target.login} is an administrator and holds every right anyway.", err=True)


def _show(rights: Iterable[str], as_json: bool) -> None:
    if as_json:
        show_json(sorted(rights))
    else:
        for right in sorted(rights):
            click.echo(right)


def _find_group(name: str) -> Group:
    group: Group | None = Group.get_or_none(Group.name == name)
    if group is None:
        names = ", ".join(row.name for row in Group.select().order_by(Group.name)) or "none yet"
        raise click.ClickException(f"there is no group {name!r}; there is: {names} (groups are made over HTTP)")
    return group


def known_rights() -> list[str]:
    """Every right that may be granted: those of the services that can be loaded."""
    return examine(read_settings().module_folders).rights


def insist_on_rights(rights: Iterable[str]) -> None:
    """Refuse rights that no service has."""
    unknown = list(rights)
    known = known_rights() if unknown else []
    for right in unknown:
        if right in known:
            continue
        service = right.partition(".")[0]
        near = [each for each in known if each.startswith(service + ".")] or difflib.get_close_matches(right, known, 5)
        hint = f"; there is {', '.join(near)}" if near else ""
        raise click.ClickException(f"there is no right {right!r}{hint} (comptoir grant --list shows all)")
