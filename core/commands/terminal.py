"""Shared by the commands: error messages, tables, JSON and progress."""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import peewee

from ..access.accounts import Account
from ..common.errors import meant
from ..common.settings import SettingError, Settings, current_settings
from ..loading.trial import ImportsFailed
from ..schema.tables import ensure_core_tables
from ..serving.listening import CannotListen
from ..serving.logs import CannotLog
from ..storage.database import DatabaseUrlError, close
from ..transfer.endpoint import TransferError
from .database_wait import require_database, require_installation, unusable

#: exit code of an invalid setting
SETTING = 2

#: the option of commands that print JSON for programs
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")

#: characters of a progress bar, and seconds between two updates
_WIDTH, _REDRAW = 30, 0.1


class _InvalidSetting(click.ClickException):
    exit_code = SETTING


class Commands(click.Group):
    """A group whose commands end with a message instead of a traceback if the user can correct the problem."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order in which they were added."""
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except SettingError as error:
            raise _InvalidSetting(describe_problems(error.wrong)) from error
        except DatabaseUrlError as error:
            raise _InvalidSetting(f"COMPTOIR_DATABASE: {error}") from error
        except (TransferError, ImportsFailed, CannotListen, CannotLog, peewee.ImproperlyConfigured) as error:
            raise click.ClickException(str(error)) from error
        except peewee.PeeweeException as error:
            raise click.ClickException(unusable(Settings.from_environment().database, error)) from error
        except OSError as error:
            if error.filename is None:
                raise
            raise click.ClickException(f"{error.filename}: {error.strerror}") from error


class WholeNumber(click.IntRange):
    """A whole number within a range, with one message for anything else."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"expected a whole number from {self.min} to {self.max}, got {value!r}", param, ctx)


def describe_problems(wrong: Sequence[str]) -> str:
    """Return the message for settings that are invalid."""
    count = "1 setting is invalid" if len(wrong) == 1 else f"{len(wrong)} settings are invalid"
    return "\n  ".join([f"{count}:", *wrong])


def read_settings(*, ready: bool = False) -> Settings:
    """Read the settings from the environment and make them current.

    :param ready: also check that this machine matches them: folders exist and are writable
    """
    configuration = Settings.from_environment(ready=ready)
    current_settings.value = configuration
    return configuration


@contextmanager
def accounts(*, creates: bool = False) -> Iterator[None]:
    """Open the database with the tables of users, keys and permissions.

    :param creates: create a missing database; otherwise the command fails
    """
    (require_database if creates else require_installation)(read_settings())
    try:
        ensure_core_tables()
        yield
    finally:
        close()


def program() -> str:
    """Return how to call this program: `comptoir` if the shell finds it, otherwise its path as it was started."""
    started = sys.argv[0]
    found = shutil.which("comptoir")
    if Path(started).name != "comptoir" or (found and Path(found).resolve() == Path(started).resolve()):
        return "comptoir"
    return started


def find_user(login: str) -> Account:
    """Return the user with a login."""
    user: Account | None = Account.get_or_none(Account.login == login)
    if user is None:
        logins = [each.login for each in Account.select(Account.login)]
        raise unknown("user", login, logins, "run `comptoir user list` to see all users")
    return user


def unknown(noun: str, name: str, known: Iterable[str], otherwise: str) -> click.ClickException:
    """Return the error for an unknown name, with the known name that is close.

    :param otherwise: what else to do, as a sentence that starts with a lower-case letter
    """
    suggestion = meant(name, known)
    hint = f"{suggestion} {otherwise[0].upper()}{otherwise[1:]}." if suggestion else f"; {otherwise}"
    return click.ClickException(f"there is no {noun} {name!r}{hint}")


def show(
    rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str | Callable[[Any], object]], as_json: bool = False
) -> None:
    """Print rows as JSON, or as a table.

    :param columns: heading of the table: a key of the rows, or the function that makes the cell of a row
    """
    if as_json:
        show_json(rows)
        return
    cells = [[row[each] if isinstance(each, str) else each(row) for each in columns.values()] for row in rows]
    lines = [list(columns), *([("" if cell is None else str(cell)) for cell in line] for line in cells)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        click.echo("  ".join(map(str.ljust, line, widths)).rstrip())


def show_json(value: object) -> None:
    """Print JSON."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def show_loading(done: int, all: int) -> None:
    """Show on a terminal how many modules are loaded, and nothing elsewhere."""
    if sys.stderr.isatty() and all > 1:
        click.echo(f"\rLoading module {done} of {all}" if done < all else "\r\033[K", nl=False, err=True)


def short(file: Path) -> str:
    """Return a path relative to the current folder, if it is inside."""
    return str(file.relative_to(Path.cwd())) if file.is_relative_to(Path.cwd()) else str(file)


def plural(number: int, noun: str) -> str:
    """Return `1 file`, `2 files`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def progress_bar(text: str) -> Callable[[int, int], None]:
    """Return a function that shows a progress bar on a terminal, and nothing elsewhere."""
    started, last = time.monotonic(), [0.0]

    def show(done: int, all: int) -> None:
        now = time.monotonic()
        if not sys.stderr.isatty() or all <= 0 or (done < all and now - last[0] < _REDRAW):
            return
        last[0] = now
        share = min(done / all, 1)
        bar = "#" * round(share * _WIDTH)
        line = f"{text:<16} [{bar:<{_WIDTH}}] {share:4.0%} {now - started:5.0f} s"
        click.echo("\r" + line, nl=done >= all, err=True)

    return show
