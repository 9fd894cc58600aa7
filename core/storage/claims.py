"""Claims of idempotency keys: who is at work under a key, and what was answered.

A claim is committed before the work begins, and settled by the transaction that does the work: whoever comes later
finds either the answer, or that nobody has done it. What a process that has ended left running may be taken over after
its lease; the token says whose claim it is, so the one that was taken for dead and goes on all the same cannot settle.

The rows are the server's own book-keeping: no change of them is a change of a record.
"""

from __future__ import annotations

import secrets
import time
from collections import deque
from dataclasses import dataclass
from typing import Any, NamedTuple

import peewee

from ..common.errors import Unavailable
from .database import backend, database, driver_sql, ensure_connected, query
from .error_kinds import OutcomeUnknown
from .internal_writes import untracked_writes
from .model import Model

#: seconds for which an answer is kept
KEPT = 86400
#: rows that are removed by one statement
_PORTION = 500
#: how often a claim is tried for where others are always faster
_TRIES = 5


class IdempotencyClaim(Model):
    """A request that is to be done once; `status` is null while it is being done."""

    id = peewee.AutoField(column_name="rowid")
    user = peewee.IntegerField(column_name="fk_user")
    digest = peewee.CharField(max_length=64, help_text="SHA-256 of the user and the key, hexadecimal")
    fingerprint = peewee.CharField(max_length=64, help_text="the HMAC of the request under its key")
    token = peewee.CharField(max_length=32, help_text="the request that has the claim")
    lease = peewee.BigIntegerField(help_text="when another request may take over, in Unix seconds")
    created = peewee.BigIntegerField(index=True, help_text="Unix seconds")
    status = peewee.SmallIntegerField(null=True)
    headers = peewee.TextField(null=True, help_text="the headers as JSON; null: the response isn't stored")
    body = peewee.BlobField(null=True, help_text="compressed")

    class Meta:
        table_name = "comptoir_idempotency"
        audited = False
        indexes = ((("user", "digest"), True),)


class Answer(NamedTuple):
    """What is kept of an answer.

    :param headers: as JSON; None: the answer itself is not kept
    :param body: compressed
    """

    status: int
    headers: str | None = None
    body: bytes | None = None


@dataclass(frozen=True)
class Found:
    """The claim of another request.

    :param created: Unix seconds
    :param answer: None: it is still at work
    """

    fingerprint: str
    created: int
    answer: Answer | None


@dataclass(frozen=True)
class Claim:
    """A claim of one's own."""

    user: int
    digest: str
    token: str

    def settle(self, answer: Answer) -> bool:
        """Keep the answer, inside the transaction that has done the work; answers whether the claim was still there."""
        return bool(_run(_SETTLE, (*answer, self.user, self.digest, self.token)).rowcount)

    def release(self) -> None:
        """Give it up, unless it has been settled: nothing was done, and whoever tries again does it."""
        try:
            self._give_up()
        except peewee.PeeweeException:
            # The database is away: it is given up a moment later, or the lease ends it
            _left.append(self)

    def _give_up(self) -> None:
        ensure_connected()
        _run(_RELEASE, (self.user, self.digest, self.token))


#: claims that could not be given up yet
_left: deque[Claim] = deque(maxlen=10_000)


def release_left() -> None:
    """Give up what could not be given up before."""
    for _ in range(len(_left)):
        claim = _left.popleft()
        try:
            claim._give_up()
        except peewee.PeeweeException:
            _left.append(claim)
            raise


def now() -> int:
    """Unix seconds."""
    return int(time.time())


def take(user: int, digest: str, fingerprint: str, lease: int) -> Claim | Found:
    """Claim a key; answers what stands in the way, where something does.

    :param lease: seconds after which another request may take over
    :raises Unavailable: others are faster each time
    """
    mine = Claim(user, digest, secrets.token_hex(16))
    for attempt in range(_TRIES):
        # The INSERT fails if the key is taken; with one writer it would first wait for the running transaction
        rows = query(_FIND, (user, digest)) if attempt or backend().one_writer else []
        moment = now()
        claimed = fingerprint, mine.token, moment + lease, moment
        if not rows:
            with backend().synchronous_off():
                insert = backend().asynchronous_insert("comptoir_idempotency", _COLUMNS)
                taken = _has_written(insert, (user, digest, *claimed))
        else:
            identifier, known, token, until, created, status, headers, body = rows[0]
            left = status is None and until <= moment and known == fingerprint
            if token == mine.token:
                # The connection was lost while it was written, and it has been
                return mine
            if not left and created > moment - KEPT:
                answer = None if status is None else Answer(status, headers, None if body is None else bytes(body))
                return Found(known, created, answer)
            taken = _has_written(_TAKE_LEFT if left else _TAKE_OLD, (*claimed, identifier, token, created))
        if taken:
            return mine
    message = "other requests use this Idempotency-Key at the same time; nothing was changed. Try again."
    raise Unavailable(message, headers={"Retry-After": "1"})


def forget_old_claims() -> int:
    """Remove what has been kept long enough; answers how many that were."""
    ensure_connected()
    removed = 0
    while True:
        oldest = now() - KEPT
        rows = query("SELECT rowid FROM comptoir_idempotency WHERE created <= ? LIMIT ?", (oldest, _PORTION))
        if rows:
            # By identifier: a range would lock what others are about to write
            marks = ", ".join("?" * len(rows))
            sql = f"DELETE FROM comptoir_idempotency WHERE rowid IN ({marks}) AND created <= ?"
            removed += int(_run(sql, (*(row[0] for row in rows), oldest)).rowcount)
        if len(rows) < _PORTION:
            return removed


def forget_claims_of(user: int) -> None:
    """Remove the claims of a user, inside a transaction: nobody is given the answers again."""
    _run("DELETE FROM comptoir_idempotency WHERE fk_user = ?", (user,))


_COLUMNS = ("fk_user", "digest", "fingerprint", "token", "lease", "created")
_TAKE_OLD = (
    "UPDATE comptoir_idempotency SET fingerprint = ?, token = ?, lease = ?, created = ?, "
    "status = NULL, headers = NULL, body = NULL WHERE rowid = ? AND token = ? AND created = ?"
)
# Not one that has been settled meanwhile
_TAKE_LEFT = f"{_TAKE_OLD} AND status IS NULL"
_KEY = "WHERE fk_user = ? AND digest = ?"
_SETTLE = f"UPDATE comptoir_idempotency SET status = ?, headers = ?, body = ? {_KEY} AND token = ?"
_RELEASE = f"DELETE FROM comptoir_idempotency {_KEY} AND token = ? AND status IS NULL"
_FIND = f"SELECT rowid, fingerprint, token, lease, created, status, headers, body FROM comptoir_idempotency {_KEY}"


def _has_written(sql: str, values: tuple[Any, ...]) -> bool:
    try:
        return bool(_run(sql, values).rowcount)
    except (peewee.IntegrityError, OutcomeUnknown):
        # Somebody was faster, or nobody knows: another look tells
        return False


def _run(sql: str, values: tuple[Any, ...]) -> Any:
    """Run a statement that writes a claim. A claim need not be on the disk: what is done under it comes behind it."""
    with untracked_writes():
        return database.execute_sql(driver_sql(sql), values)
