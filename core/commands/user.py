"""`comptoir user`: users, their passwords and their state."""

from __future__ import annotations

import sys
from typing import Any

import click
import peewee

from ..access.accounts import Account
from ..access.keys import Key
from ..access.keys import set_password as store_password
from ..access.passwords import hash_password
from ..common.settings import settings
from ..loading.loader import Loader
from ..storage.database import query, transaction
from ..storage.model import meta_of
from .terminal import Commands, accounts, find_user, json_option, plural, show

#: the same limits as in modules/users
_SHORTEST_PASSWORD, _LONGEST_PASSWORD = 12, 1024
_LONGEST_LOGIN = 50


@click.group(cls=Commands)
def user() -> None:
    """Add, list, disable and enable users, and set their passwords."""


@user.command()
@click.argument("login")
@click.option("--admin", is_flag=True, help="Make the user an administrator with all permissions.")
@click.option("--lastname", help="Last name of the person.")
@click.option("--password-from-stdin", "read", is_flag=True, help="Read the password from standard input.")
@click.option(
    "--thirdparty", type=int, metavar="ID", help="ID of a third party; the user is external and sees only its records."
)
def add(login: str, admin: bool, lastname: str | None, read: bool, thirdparty: int | None) -> None:
    """Add the user LOGIN.

    On a terminal, the command asks for a password. Without --admin, the user has no permissions yet.
    """
    if not 1 <= len(login) <= _LONGEST_LOGIN or login != login.strip() or not login.isprintable():
        expected = f"expected 1 to {_LONGEST_LOGIN} characters, no invisible ones, and no spaces at the start or end"
        raise click.BadParameter(f"{expected}; got {login!r:.80}", param_hint="LOGIN")
    if admin and thirdparty is not None:
        raise click.UsageError("an external user (--thirdparty) can't be an administrator (--admin)")
    with accounts(creates=True):
        if Account.get_or_none(Account.login == login):
            raise click.ClickException(f"the user {login!r} already exists; nothing was changed")
        if thirdparty is not None:
            _ensure_thirdparty_exists(thirdparty)
        password = _password(read)
        try:
            with transaction():
                made = Account.create(
                    login=login,
                    lastname=lastname or login,
                    admin=int(admin),
                    socid=thirdparty,
                    pass_crypted=hash_password(password) if password else None,
                )
        except peewee.IntegrityError as error:
            raise click.ClickException(f"could not add the user {login!r}: {error}") from error
    without = "" if password else " without a password; only API keys can be used"
    click.echo(f"Added user {login} (ID {made.id}){without}.")
    click.echo(f"  comptoir key add {login}          creates a key")
    if not admin:
        click.echo(f"  comptoir grant {login} RIGHT ...  grants permissions; `comptoir grant --list` lists all")


def _password(read: bool, prompt: str = "Password (leave empty to allow only keys)") -> str | None:
    """Return the password to set; None if it is empty and the user has only keys."""
    password = ""
    if read:
        password = sys.stdin.readline().rstrip("\r\n")
    elif sys.stdin.isatty():
        password = click.prompt(prompt, "", hide_input=True, show_default=False)
        if not password:
            return None
        if password != click.prompt("Repeat the password", "", hide_input=True, show_default=False):
            raise click.ClickException("the passwords differ; nothing was changed")
    else:
        return None
    if not _SHORTEST_PASSWORD <= len(password) <= _LONGEST_PASSWORD:
        raise click.ClickException(
            f"password: expected {_SHORTEST_PASSWORD} to {_LONGEST_PASSWORD} characters, got {len(password)}; "
            "nothing was changed"
        )
    if password != password.strip():
        raise click.ClickException("the password starts or ends with a space; nothing was changed")
    return password


@user.command("password")
@click.argument("login")
def set_password(login: str) -> None:
    """Set the password of the user LOGIN.

    On a terminal, the command asks for the password; otherwise it reads a line from standard input. Keys
    issued by `/login` are revoked; all other keys stay valid.
    """
    with accounts():
        found = find_user(login)
        password = _password(not sys.stdin.isatty(), f"New password of {login}")
        if password is None:
            raise click.ClickException("the password is empty; nothing was changed")
        revoked = store_password(found.id, hash_password(password))
    click.echo(f"Set the password of {login} and revoked {plural(revoked, 'key')} issued by /login.")


def _ensure_thirdparty_exists(thirdparty: int) -> None:
    model: Any = Loader(settings().module_folders, tables=False).load().thirdparties
    if model is None or not model.table_exists() or not model.get_or_none(meta_of(model).primary_key == thirdparty):
        raise click.ClickException(f"--thirdparty: there is no third party {thirdparty}; nothing was changed")


@user.command("list")
@json_option
def list_users(as_json: bool) -> None:
    """List all users."""
    with accounts():
        keys = dict(query("SELECT fk_user, COUNT(*) FROM comptoir_key GROUP BY fk_user"))
        found: list[dict[str, Any]] = [
            {
                "id": each.id,
                "login": each.login,
                "lastname": each.lastname,
                "admin": bool(each.admin),
                "active": each.statut == 1,
                "thirdparty": each.socid,
                "keys": keys.get(each.id, 0),
            }
            for each in Account.select().order_by(Account.login)
        ]
    show(
        found,
        {"ID": "id", "LOGIN": "login", "NAME": "lastname", "STATE": _state, "KIND": _kind, "KEYS": "keys"},
        as_json,
    )


def _state(user: dict[str, Any]) -> str:
    return "active" if user["active"] else "disabled"


def _kind(user: dict[str, Any]) -> str:
    if user["admin"]:
        return "administrator"
    return f"external (third party {user['thirdparty']})" if user["thirdparty"] else "internal"


@user.command()
@click.argument("login")
def disable(login: str) -> None:
    """Disable the user LOGIN: the password and all keys stop working."""
    with accounts(), transaction():
        found = find_user(login)
        others = Account.select().where(Account.admin == 1, Account.statut == 1, Account.id != found.id)
        if found.admin and not others.exists():
            raise click.ClickException(f"{login} is the only active administrator; add another administrator first")
        Account.update(statut=0).where(Account.id == found.id).execute()
        keys = Key.select().where(Key.user == found.id).count()
    revoked = f"; {plural(keys, 'key')} no longer {'works' if keys == 1 else 'work'}" if keys else ""
    click.echo(f"Disabled user {login}{revoked}.")


@user.command()
@click.argument("login")
def enable(login: str) -> None:
    """Enable the user LOGIN again."""
    with accounts(), transaction():
        Account.update(statut=1).where(Account.id == find_user(login).id).execute()
    click.echo(f"Enabled user {login}.")
