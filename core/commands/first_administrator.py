"""The first start: the first administrator and the key that is shown once."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import peewee

from ..access.accounts import Account
from ..access.keys import Key, digest_of, make_key
from ..common.settings import Settings
from ..storage.database import close, ensure_connected, transaction
from ..wsgi import journal_folder

#: prints or logs a line
Say = Callable[[str], object]

LOGIN = "admin"

#: what the first key is called, and until it has been shown
_LABEL, _UNSEEN = "first start", "first start, not shown yet"


def first_administrator(configuration: Settings) -> str | None:
    """Make the administrator of a database that has no user; answers the key, None when there are users."""
    ensure_connected()
    label = _LABEL if configuration.admin_key else _UNSEEN
    try:
        with transaction():
            if Account.select().exists():
                return None
            user = Account.create(login=LOGIN, admin=1, lastname="Administrator")
            return make_key(user.id, label, key=configuration.admin_key or None)
    except peewee.IntegrityError:
        # Another server did the same at this moment
        return None


def is_key_unseen() -> bool:
    """Whether nobody can have a key: the start that made the only one was ended, or has not come to show it yet."""
    ensure_connected()
    return {each.label for each in Key.select(Key.label)} == {_UNSEEN}


def show_unseen(say: Say) -> None:
    """Say what to do when the first key was never shown.

    :param say: prints or logs a line
    """
    say("  key       another start made the first one and has not shown it; if it does not do so now,")
    say(f"            comptoir key add {LOGIN} makes another one.")


def show_key(key: str, configuration: Settings, say: Say, warn: Say) -> None:
    """Print the key on a terminal; elsewhere write it into a file, for a log is kept and read by many.

    :param say: prints or logs a line
    :param warn: the same for a line that an operator must not miss
    """
    if configuration.admin_key:
        # It is known already
        say(f"  key       the one of COMPTOIR_ADMIN_KEY, for the user {LOGIN}")
        return
    if sys.stdout.isatty() and configuration.log_format == "text":
        say(f"  key       {key}")
        say(f"            It belongs to the user {LOGIN} and is not shown again;")
        say(f"            comptoir key add {LOGIN} makes another one.")
    else:
        file = key_file(configuration)
        try:
            _write(file, key)
        except OSError as error:
            warn(
                f"the key of the administrator {LOGIN} cannot be written into {file}: {error.strerror}; "
                f"`comptoir key add {LOGIN}` makes another one"
            )
            return
        say(f"  key       in {file}")
        warn(
            f"the key of the administrator {LOGIN} is in {file}: read it, then delete the file; "
            f"`comptoir key list {LOGIN}` shows its ID, `comptoir key revoke ID` revokes it"
        )
    ensure_connected()
    Key.update(label=_LABEL).where(Key.digest == digest_of(key)).execute()
    close()


def key_file(configuration: Settings) -> Path:
    """Return the file for the first key: in the data folder, and outside the folder of documents."""
    folder = journal_folder(configuration).parent.resolve()
    documents = Path(configuration.documents).expanduser().resolve()
    if "://" not in configuration.documents and folder.is_relative_to(documents):
        folder = documents.parent
    return folder / "first-key.txt"


def _write(file: Path, key: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        with os.fdopen(handle, "w") as opened:
            opened.write(f"{key}\n")
    except OSError:
        file.unlink(missing_ok=True)
        raise
