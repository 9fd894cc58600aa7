"""`comptoir grant`: permissions of users and groups."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import click

from ..access.accounts import Account, Grant, Group
from ..access.callers import granted_rights
from ..loading.check import examine
from ..storage.database import transaction
from .terminal import accounts, find_user, json_option, read_settings, show_json, unknown

_SEE_ALL = "run `comptoir grant --list` to see all permissions"


@click.command()
@click.argument("names", nargs=-1, metavar="[LOGIN] [RIGHT]...")
@click.option("--group", "group_name", metavar="NAME", help="Group to change instead of a user.")
@click.option("--remove", is_flag=True, help="Remove the permissions instead.")
@click.option(
    "--list",
    "listing",
    is_flag=True,
    help="List the permissions of LOGIN or the group; without either, all that an operation needs.",
)
@json_option
def grant(names: tuple[str, ...], group_name: str | None, remove: bool, listing: bool, as_json: bool) -> None:
    """Grant permissions to the user LOGIN or to a group.

    RIGHT is a permission <service>.<verb>, such as thirdparties.read.
    """
    login, rights = ("", names) if group_name else (names[0] if names else "", names[1:])
    if listing and not login and not group_name:
        _show(examine(read_settings().module_folders).used_rights, as_json)
        return
    if not login and not group_name:
        raise click.UsageError("expected LOGIN or --group NAME, got neither")
    if not rights and not listing:
        raise click.UsageError(f"expected at least one RIGHT, got none; {_SEE_ALL}")
    if not remove:
        ensure_permissions_exist(rights)
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
        show_json(sorted(held))
        return
    name = f"the group {group_name}" if group_name else login
    click.echo(f"{'Removed' if remove else 'Granted'} {', '.join(rights)} {'from' if remove else 'to'} {name}.")
    _note_administrator(target)


def _note_administrator(target: Account | Group) -> None:
    if isinstance(target, Account) and target.admin:
        click.echo(f"{target.login} is an administrator and has all permissions anyway.", err=True)


def _show(rights: Iterable[str], as_json: bool) -> None:
    if as_json:
        show_json(sorted(rights))
        return
    for right in sorted(rights):
        click.echo(right)


def _find_group(name: str) -> Group:
    group: Group | None = Group.get_or_none(Group.name == name)
    if group is None:
        names = [row.name for row in Group.select().order_by(Group.name)]
        if not names:
            raise click.ClickException(f"there is no group {name!r}; create it with POST /users/groups")
        raise unknown("group", name, names, f"existing groups are {', '.join(names)}")
    return group


def ensure_permissions_exist(rights: Sequence[str]) -> None:
    """Check that permissions exist.

    :raises click.ClickException: one does not
    """
    known = examine(read_settings().module_folders).rights if rights else []
    for right in rights:
        service = right.partition(".")[0]
        own = ", ".join(each for each in known if each.startswith(f"{service}."))
        if right not in known and own:
            raise click.ClickException(
                f"there is no permission {right!r}; the permissions of {service} are {own}; {_SEE_ALL}"
            )
        if right not in known:
            raise unknown("permission", right, known, _SEE_ALL)
