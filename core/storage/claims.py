"""Claims of idempotency keys: which request works under a key, and the response that was stored.

A claim is committed before the work begins. The transaction that does the work settles it. A later request finds either
the response or an open claim. Once the lease of an open claim has expired, another request may take it over. The token
identifies the owner, so a request that lost its claim can't settle it.

The rows are internal: a change of them isn't a change of a record.
"""

from __future__ import annotations

import secrets
from collections import deque
from dataclasses import dataclass
from typing import Any, NamedTuple

import peewee

from ..common.clock import unix_now
from ..common.errors import Unavailable
from .database import backend, database, driver_sql, ensure_connected, query, untracked_writes
from .error_kinds import OutcomeUnknown
from .model import Model

#: seconds for which a response is kept
KEPT = 86400
#: rows that one statement removes
_PORTION = 500
#: attempts to claim a key while other requests are faster
_TRIES = 5


class IdempotencyClaim(Model):
    """A request that is done once; `status` is null while it runs."""

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
    """A stored response.

    :param headers: as JSON; None: headers and body aren't stored
    :param body: compressed
    """

    status: int
    headers: str | None = None
    body: bytes | None = None


@dataclass(frozen=True)
class Found:
    """The claim of another request.

    :param created: Unix seconds
    :param answer: None: the request still runs
    """

    fingerprint: str
    created: int
    answer: Answer | None


@dataclass(frozen=True)
class Claim:
    """A claim that this request owns."""

    user: int
    digest: str
    token: str

    def settle(self, answer: Answer) -> bool:
        """Store the response, inside the transaction that does the work; return whether the claim still existed."""
        return bool(_run(_SETTLE, (*answer, self.user, self.digest, self.token)).rowcount)

    def release(self) -> None:
        """Delete the claim unless it was settled, so that another attempt is possible."""
        try:
            self._give_up()
        except peewee.PeeweeException:
            # The database is unreachable: `release_left` tries again, or the lease ends the claim
            _left.append(self)

    def _give_up(self) -> None:
        ensure_connected()
        _run(_RELEASE, (self.user, self.digest, self.token))


#: claims that could not be deleted yet
_left: deque[Claim] = deque(maxlen=10_000)


def release_left() -> None:
    """Delete the claims that could not be deleted before."""
    for _ in range(len(_left)):
        claim = _left.popleft()
        try:
            claim._give_up()
        except peewee.PeeweeException:
            _left.append(claim)
            raise


def take(user: int, digest: str, fingerprint: str, lease: int) -> Claim | Found:
    """Claim a key; return the new claim, or the one of another request.

    :param lease: seconds after which another request may take over
    :raises Unavailable: other requests were faster each time
    """
    mine = Claim(user, digest, secrets.token_hex(16))
    for attempt in range(_TRIES):
        # The INSERT fails if the key is taken; with one writer it would first wait for the running transaction
        rows = query(_FIND, (user, digest)) if attempt or backend().one_writer else []
        moment = unix_now()
        claimed = fingerprint, mine.token, moment + lease, moment
        if not rows:
            with backend().synchronous_off():
                insert = backend().asynchronous_insert("comptoir_idempotency", _COLUMNS)
                taken = _has_written(insert, (user, digest, *claimed))
        else:
            identifier, known, token, until, created, status, headers, body = rows[0]
            left = status is None and until <= moment and known == fingerprint
            if token == mine.token:
                # The connection was lost while it was written
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
    """Delete the claims that are older than `KEPT`; return their number."""
    ensure_connected()
    removed = 0
    while True:
        oldest = unix_now() - KEPT
        rows = query("SELECT rowid FROM comptoir_idempotency WHERE created <= ? LIMIT ?", (oldest, _PORTION))
        if rows:
            # By ID: a range would lock rows that other requests insert
            marks = ", ".join("?" * len(rows))
            sql = f"DELETE FROM comptoir_idempotency WHERE rowid IN ({marks}) AND created <= ?"
            removed += int(_run(sql, (*(row[0] for row in rows), oldest)).rowcount)
        if len(rows) < _PORTION:
            return removed


def forget_claims_of(user: int) -> None:
    """Delete the claims of a user with their responses, inside a transaction."""
    _run("DELETE FROM comptoir_idempotency WHERE fk_user = ?", (user,))


_COLUMNS = ("fk_user", "digest", "fingerprint", "token", "lease", "created")
_TAKE_OLD = (
    "UPDATE comptoir_idempotency SET fingerprint = ?, token = ?, lease = ?, created = ?, "
    "status = NULL, headers = NULL, body = NULL WHERE rowid = ? AND token = ? AND created = ?"
)
# Not if it was settled meanwhile
_TAKE_LEFT = f"{_TAKE_OLD} AND status IS NULL"
_KEY = "WHERE fk_user = ? AND digest = ?"
_SETTLE = f"UPDATE comptoir_idempotency SET status = ?, headers = ?, body = ? {_KEY} AND token = ?"
_RELEASE = f"DELETE FROM comptoir_idempotency {_KEY} AND token = ? AND status IS NULL"
_FIND = f"SELECT rowid, fingerprint, token, lease, created, status, headers, body FROM comptoir_idempotency {_KEY}"


def _has_written(sql: str, values: tuple[Any, ...]) -> bool:
    try:
        return bool(_run(sql, values).rowcount)
    except (peewee.IntegrityError, OutcomeUnknown):
        # Another request was faster, or the outcome is unknown: the next attempt reads the row
        return False


def _run(sql: str, values: tuple[Any, ...]) -> Any:
    with untracked_writes():
        return database.execute_sql(driver_sql(sql), values)
