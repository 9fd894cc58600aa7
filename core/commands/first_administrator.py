"""The first start: create the first administrator and show its key once."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import peewee

from ..access.accounts import Account
from ..access.keys import make_key
from ..common.settings import Settings
from ..storage.database import ensure_connected, transaction
from ..wsgi import data_folder
from .terminal import program

#: prints or logs a line
Say = Callable[[str], object]

LOGIN = "admin"


def first_administrator(configuration: Settings) -> str | None:
    """Create the administrator in a database without users; return the key, or None if the database has users."""
    ensure_connected()
    try:
        with transaction():
            if Account.select().exists():
                return None
            user = Account.create(login=LOGIN, admin=1, lastname="Administrator")
            return make_key(user.id, "first start", key=configuration.admin_key or None)
    except peewee.IntegrityError:
        # Another server has created it at the same moment
        return None


def show_key(key: str | None, configuration: Settings, say: Say, warn: Say) -> None:
    """Print the key at a terminal; otherwise write it to a file, since logs are kept and many people read them.

    :param key: None: an earlier start has shown it
    :param say: prints or logs a line
    :param warn: the same for a line that an operator must not miss
    """
    at_terminal = sys.stdout.isatty() and configuration.log_format == "text"
    if key is None:
        # Logs don't repeat this at each start
        if at_terminal:
            say(f"  key       shown only at the first start; {program()} key add {LOGIN} creates another one")
    elif configuration.admin_key:
        say(f"  key       the value of COMPTOIR_ADMIN_KEY, for the user {LOGIN}")
    elif at_terminal:
        say(f"  key       for the user {LOGIN}, shown only now; paste this line into another shell:")
        say(f"\nexport DOLAPIKEY={key}\n")
    else:
        _store(key, key_file(configuration), say, warn)


def key_file(configuration: Settings) -> Path:
    """Return the file for the first key: in the data folder, and outside the folder of documents."""
    folder = data_folder(configuration).resolve()
    documents = Path(configuration.documents).expanduser().resolve()
    if "://" not in configuration.documents and folder.is_relative_to(documents):
        folder = documents.parent
    return folder / "first-key.txt"


def _store(key: str, file: Path, say: Say, warn: Say) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file.touch(0o600, exist_ok=False)
        try:
            file.write_text(f"{key}\n")
        except OSError:
            # An empty one would be in the way of the next
            file.unlink()
            raise
    except OSError as error:
        warn(
            f"can't write the key of the user {LOGIN} to {file}: {error.strerror}; "
            f"create another one: `{program()} key add {LOGIN}`"
        )
        return
    say(f"  key       export DOLAPIKEY=$(cat {shlex.quote(str(file))})")
    warn(
        f"The key of the user {LOGIN} is in {file}. Store the key, then delete the file. To revoke the key, "
        f"find its ID with `{program()} key list {LOGIN}` and run `{program()} key revoke ID`."
    )
