"""The hosts of one database: each notes what it serves, so that one can say what it lacks.

A module that is dropped into one host is served by that one alone, and a client behind a balancer finds it every other
time. Each host has a row of its own, which its workers keep; nobody else writes it. A file of SQLite has one host.
"""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Mapping

import peewee

from ..common.settings import settings
from .bookkeeping import uncounted
from .database import dialect_name, ensure_connected, query
from .model import Model

#: seconds after which a host notes anew that it lives, is taken for gone, and is forgotten
NOTED, GONE, FORGOTTEN = 30, 120, 86_400
#: letters of a host's name
_LONGEST = 128


class Host(Model):
    """A host that serves, or served."""

    name = peewee.CharField(max_length=_LONGEST, primary_key=True, help_text="the host's name and its address")
    version = peewee.CharField(max_length=32)
    modules = peewee.TextField(help_text="the digest of each added module's files, as JSON")
    seen = peewee.BigIntegerField(help_text="Unix seconds, by the database's clock")

    class Meta:
        table_name = "comptoir_host"
        audited = False


_NOW = {"postgresql": "CAST(EXTRACT(EPOCH FROM now()) AS BIGINT)", "mysql": "UNIX_TIMESTAMP()"}


def host_name() -> str:
    """What this host is called: two servers of one machine are two."""
    return f"{socket.gethostname()} {settings().bind}"[:_LONGEST]


def note_host(version: str, modules: Mapping[str, str]) -> None:
    """Note what this host serves, if that is something else than what is noted, or was noted long ago.

    :param version: that of this server
    :param modules: module → a digest of its files
    """
    if dialect_name() == "sqlite":
        return
    ensure_connected()
    now, name, served = _NOW[dialect_name()], host_name(), json.dumps(modules, sort_keys=True)
    found = query(f"SELECT version, modules, {now} - seen FROM comptoir_host WHERE name = ?", (name,))
    if found and found[0][:2] == (version, served) and found[0][2] < NOTED:
        return
    with uncounted():
        if found:
            sql = f"UPDATE comptoir_host SET version = ?, modules = ?, seen = {now} WHERE name = ?"
            query(sql, (version, served, name))
        else:
            # Another worker may note the same
            row = {"name": name, "version": version, "modules": served, "seen": peewee.SQL(now)}
            Host.insert(row).on_conflict_ignore().execute()
        query(f"DELETE FROM comptoir_host WHERE seen < {now} - ?", (FORGOTTEN,))


class _Notes:
    """What was said last: whoever asks every second need not ask the database as often."""

    #: seconds
    KEPT = 5.0

    def __init__(self) -> None:
        self._at, self._said = float("-inf"), list[str]()

    def read(self) -> list[str]:
        if time.monotonic() - self._at > self.KEPT:
            self._at, self._said = time.monotonic(), _compare()
        return self._said

    def forget(self) -> None:
        """Ask the database when asked next."""
        self._at = float("-inf")


_notes = _Notes()
forget_notes = _notes.forget


def notes_of_hosts() -> list[str]:
    """What other hosts of the database serve, and this one does not, or in other words."""
    return [] if dialect_name() in ("", "sqlite") else _notes.read()


def _compare() -> list[str]:
    ensure_connected()
    rows = query(f"SELECT name, version, modules FROM comptoir_host WHERE seen > {_NOW[dialect_name()]} - ?", (GONE,))
    served = {name: (version, json.loads(modules)) for name, version, modules in rows}
    if host_name() not in served:
        # It has only just begun
        return []
    own_version, own = served.pop(host_name())
    said = set()
    for version, modules in served.values():
        if version != own_version:
            said.add(f"another host runs version {version}, this host runs {own_version}")
        for name, digest in modules.items():
            if name not in own:
                said.add(f"module {name}: another host serves this module, but this host doesn't")
            elif own[name] != digest:
                said.add(f"module {name}: its files differ on another host")
    return sorted(said)
