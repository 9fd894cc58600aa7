"""A backup of the database alone, by the tool that comes with it: taken before tables are changed."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ..common.setting_checks import kind_of, read_conninfo
from .ends import TransferError


def dump(url: str, file: Path) -> None:
    """Write a database into a new file, to restore with `pg_restore`, `mariadb` or SQLite.

    :raises TransferError: it cannot be written, or the tool is missing
    """
    try:
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError as error:
        raise TransferError(f"{file} already exists; use another file name") from error
    try:
        _write(url, file)
    except BaseException:
        file.unlink(missing_ok=True)
        raise


def _write(url: str, file: Path) -> None:
    kind = kind_of(url)
    if kind == "sqlite":
        with sqlite3.connect(urlsplit(url).path[1:]) as origin, sqlite3.connect(file) as copy:
            origin.backup(copy)
        origin.close()
        copy.close()
        return
    tools: tuple[str, ...]
    if kind == "postgresql":
        # Other users see the arguments of a process, so the password goes into its environment
        from psycopg.conninfo import make_conninfo

        given = read_conninfo(url)
        tools, secret = ("pg_dump",), ("PGPASSWORD", given.pop("password", ""))
        options = ["--format=custom", f"--file={file}", f"--dbname={make_conninfo(**given)}"]
    else:
        parts = urlsplit(url)
        tools, secret = ("mariadb-dump", "mysqldump"), ("MYSQL_PWD", unquote(parts.password or ""))
        host = parts.hostname or "localhost"
        options = ["--single-transaction", "--routines", "--triggers", f"--result-file={file}"]
        options += [f"--host={'127.0.0.1' if host == 'localhost' else host}", f"--port={parts.port or 3306}"]
        options += [f"--user={unquote(parts.username)}"] if parts.username else []
        options += [unquote(parts.path[1:])]
    tool = next((found for each in tools if (found := shutil.which(each))), None)
    if tool is None:
        raise TransferError(
            f"the backup needs {' or '.join(tools)}: install {'it' if len(tools) == 1 else 'one of them'}, "
            "or use --no-backup"
        )
    environment = {**os.environ, **(dict([secret]) if secret[1] else {})}
    done = subprocess.run([tool, *options], env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise TransferError(f"the backup failed: {done.stderr.strip()[-500:]}")
