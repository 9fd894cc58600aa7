"""A backup of the database alone, by the tool that comes with it: taken before tables are changed."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ..common.database_hosts import host_places, split_hosts
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
    first, hosts = split_hosts(url)
    parts = urlsplit(first)
    if parts.scheme.startswith("sqlite"):
        with sqlite3.connect(parts.path[1:]) as origin, sqlite3.connect(file) as copy:
            origin.backup(copy)
        origin.close()
        copy.close()
        return
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    host, name = parts.hostname or "localhost", unquote(parts.path[1:])
    tools: tuple[str, ...]
    if parts.scheme.startswith("postgres"):
        tools, secret = ("pg_dump",), {"PGPASSWORD": password}
        # The tool knows several hosts, as the server does
        places = host_places("postgresql", hosts) or [(host, parts.port or 5432)]
        named, ports = (",".join(str(each) for each in column) for column in zip(*places, strict=True))
        options = ["--format=custom", f"--file={file}", f"--host={named}", f"--port={ports}"]
        options += [f"--username={user}"] if user else []
    else:
        tools, secret = ("mariadb-dump", "mysqldump"), {"MYSQL_PWD": password}
        options = ["--single-transaction", "--routines", "--triggers", f"--result-file={file}"]
        options += [f"--host={'127.0.0.1' if host == 'localhost' else host}", f"--port={parts.port or 3306}"]
        options += [f"--user={user}"] if user else []
    tool = next((found for each in tools if (found := shutil.which(each))), None)
    if tool is None:
        raise TransferError(
            f"the backup needs {' or '.join(tools)}: install {'it' if len(tools) == 1 else 'one of them'}, "
            "or use --no-backup"
        )
    environment = {**os.environ, **(secret if password else {})}
    done = subprocess.run([tool, *options, name], env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise TransferError(f"the backup failed: {done.stderr.strip()[-500:]}")
