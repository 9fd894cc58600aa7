"""A batch: many creations, changes and deletions of one service in one request, inside one transaction.

Each entry goes through the endpoint of its operation like a request: its permission, its conversions, its method. There
is one commit, so audit trail, late handlers, jobs and caches are handled once, after the last entry.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Annotated, Any, TypedDict

import peewee

from ..common.errors import (
    ApiError,
    BadRequest,
    TooManyRequests,
    Unauthorized,
    Unavailable,
    Unchanged,
    reason_of,
    shown,
    unknown_fields,
    wrong_fields,
)
from ..common.readers import choice_of
from ..common.request_state import RequestState, current_state
from ..common.runtime import active
from ..common.settings import settings
from ..contract.api import Accepted
from ..contract.catalogue import Operation
from ..contract.routes import WHOLE_BODY
from ..records.bulk import BulkInsert
from ..records.records import Records
from ..storage.database import database, transaction
from ..storage.statements import SIZES
from .answers import named_error
from .endpoint import Endpoint

#: entries that count as one request for the rate limit of a key
A_REQUEST = 10
#: the keys of an entry
KEYS = ("method", "id", "body", "if_match")
_MISSING = object()


class _Status(TypedDict):
    status: Annotated[int, "the status its operation would have had on its own"]


class BatchResult(_Status, total=False):
    """What came of one entry: its `result`, or its `error`."""

    result: Annotated[Any, "the result its operation would have had on its own"]
    error: Annotated[dict[str, Any], "the error, as in the body of a failed request"]
    warnings: Annotated[list[str], "the warnings of its operation, which is otherwise the `Warning` header"]


class BatchAnswer(TypedDict):
    """What came of a batch."""

    results: Annotated[list[BatchResult], "one result for each entry, in the same order"]
    done: Annotated[int, "the number of entries that succeeded"]
    failed: Annotated[int, "the number of entries that failed"]


class Entry:
    """One well-formed entry."""

    __slots__ = ("body", "endpoint", "identifier", "if_match", "number", "operation")

    def __init__(self, number: int, operation: Operation, sent: dict[str, Any]) -> None:
        self.number = number
        self.operation = operation
        self.endpoint: Endpoint = operation.respond  # type: ignore[assignment]
        self.identifier = str(sent["id"]) if operation.segments else ""
        self.body = sent.get("body")
        self.if_match: str = sent.get("if_match") or ""


class Batch:
    """The batch of a service.

    :param operations: those that entries may use, one for each verb
    :param records: the records that POST creates together (`Api.bulk_create`); None: one by one
    """

    def __init__(self, operations: Sequence[Operation], records: Records[Any] | None) -> None:
        self._operations = {each.verb: each for each in operations}
        self._records = records

    def run(self, sent: list[Any], atomic: bool) -> BatchAnswer:
        """Do the entries of a request; return the result of each.

        :raises BadRequest: entries are malformed; the error lists all of them
        :raises ApiError: `atomic`, and an entry failed
        """
        state = current_state()
        assert state is not None
        if state.if_match:
            reason = "`If-Match` can't be used with a batch; set `if_match` in each entry"
            raise wrong_fields([("If-Match", reason)])
        entries = self._read(sent)
        _count(state, len(entries))
        return _Run(state, entries, atomic, self._records).answer()

    # Entries

    def _read(self, sent: list[Any]) -> list[Entry]:
        most = settings().batch_entries
        if not 1 <= len(sent) <= most:
            reason = f"expected 1 to {most} entries (COMPTOIR_BATCH_ENTRIES), got {len(sent)}"
            raise wrong_fields([("entries", reason)])
        wrong: list[tuple[str, str]] = []
        entries = []
        for number, each in enumerate(sent):
            found = list(self._wrong(each))
            wrong += [(place_of(number, name), reason) for name, reason in found]
            if not found:
                entries.append(Entry(number, self._operations[each["method"]], each))
        if wrong:
            raise wrong_fields(wrong)
        return entries

    def _wrong(self, entry: Any) -> Iterator[tuple[str, str]]:
        """Yield what is wrong with an entry: key and reason."""
        if not isinstance(entry, dict):
            yield "", f"expected an object, got {shown(entry)}"
            return
        yield from unknown_fields(entry, KEYS)
        verb = entry.get("method", "")
        operation = self._operations.get(verb) if isinstance(verb, str) else None
        if operation is None:
            yield "method", reason_of(ValueError(f"expected {choice_of(self._operations)}"), verb)
            return
        identifier = entry.get("id", _MISSING)
        if not operation.segments:
            if identifier is not _MISSING:
                yield "id", f"expected no `id`, because {verb} creates a record; got {shown(identifier)}"
        elif not isinstance(identifier, (int, str)) or isinstance(identifier, bool) or identifier == "":
            got = "nothing" if identifier is _MISSING else shown(identifier)
            yield "id", f"expected the ID of a record, got {got}"
        if "body" in entry and not any(each.place in ("whole", "body") for each in operation.inputs):
            yield "body", f"expected no `body` with {verb}"
        meant = entry.get("if_match")
        if meant is not None and (not isinstance(meant, str) or not operation.segments):
            told = "text" if operation.segments else f"no `if_match`, because {verb} creates a record"
            yield "if_match", f"expected {told}{',' if operation.segments else ';'} got {shown(meant)}"


class _Run:
    """The run of one batch."""

    def __init__(self, state: RequestState, entries: list[Entry], atomic: bool, records: Records[Any] | None) -> None:
        self._state, self._entries, self._atomic = state, entries, atomic
        self._bulk = BulkInsert(records) if records is not None and not records.is_awaited("created") else None
        self._results: list[Any] = [{} for _ in entries]
        self._ends = state.began + min(settings().batch_seconds, settings().timeout)
        self._strict = state.strict
        #: entries whose rows wait to be inserted together, and their results before they waited
        self._waiting: list[tuple[Entry, Callable[[], Any], dict[str, Any]]] = []

    def answer(self) -> BatchAnswer:
        """Do all entries in one transaction."""
        state = self._state
        calls = self._bound()
        try:
            with transaction():
                state.seen = set()
                for entry, call in zip(self._entries, calls, strict=True):
                    if call is not None and not self._wait(entry, call):
                        self._write()
                        self._do(entry, call)
                self._write()
        finally:
            state.seen, state.if_match, state.strict = None, "", self._strict
        failed = sum("error" in each for each in self._results)
        return {"results": self._results, "done": len(self._results) - failed, "failed": failed}

    def _bound(self) -> list[Callable[[], Any] | None]:
        """Return a function for each entry; None: its values are invalid, or the permission is missing."""
        calls: list[Callable[[], Any] | None] = []
        refused: list[tuple[Entry, ApiError]] = []
        missing: dict[str, Unauthorized | None] = {}
        for entry in self._entries:
            verb = entry.operation.verb
            if verb not in missing:
                missing[verb] = self._missing(entry.operation)
            error: ApiError | None = missing[verb]
            call = None
            if error is None:
                try:
                    with self._alone(entry):
                        call = _bind(entry)
                except ApiError as found:
                    error = found
            if error is not None:
                refused.append((entry, error))
                self._note(entry, error)
            calls.append(call)
        if refused and self._atomic:
            raise _of_all(refused)
        return calls

    def _missing(self, operation: Operation) -> Unauthorized | None:
        try:
            if operation.permission is not None:
                self._state.caller.require(operation.permission)
        except Unauthorized as error:
            return error
        return None

    @contextmanager
    def _alone(self, entry: Entry) -> Iterator[None]:
        """Set the state of the request to that of one entry."""
        state = self._state
        others, state.warnings = state.warnings, []
        state.if_match, state.strict, state.notified = entry.if_match, entry.endpoint.strict, None
        try:
            yield
        finally:
            if state.warnings:
                result = self._results[entry.number]
                result["warnings"] = [*result.get("warnings", ()), *state.warnings]
            state.warnings = others

    def _wait(self, entry: Entry, call: Any) -> bool:
        """Let an entry wait if its row can be inserted with others; return whether it waits."""
        if self._bulk is None or entry.operation.verb != "POST" or time.perf_counter() > self._ends:
            return False
        result = dict(self._results[entry.number])
        try:
            with self._alone(entry):
                waits = self._bulk.add_body(call.keywords[WHOLE_BODY])
        except peewee.PeeweeException:
            # PostgreSQL has aborted the transaction
            raise
        except (Exception, SystemExit):  # noqa: BLE001 - an author's code may raise anything
            # A rejected row may be accepted after the rows that wait
            waits = False
        if not waits:
            self._results[entry.number] = result
            return False
        self._waiting.append((entry, call, result))
        if len(self._waiting) == SIZES[0]:
            self._write()
        return True

    def _write(self) -> None:
        """Insert the rows that wait. If the database rejects one, do each entry by itself to find out which."""
        waiting, self._waiting = self._waiting, []
        if self._bulk is None or not waiting:
            return
        try:
            with transaction():
                ids = self._bulk.insert()
        except Exception:
            if database.obj.own.failure is not None:
                raise
            for entry, call, result in waiting:
                self._results[entry.number] = result
                self._do(entry, call)
            return
        for (entry, _, _), identifier in zip(waiting, ids, strict=True):
            self._results[entry.number] |= _success(entry, identifier)

    def _do(self, entry: Entry, call: Callable[[], Any]) -> None:
        """Do one entry.

        :raises ApiError: it failed, and the batch is atomic
        """
        try:
            if time.perf_counter() > self._ends:
                raise self._over()
            with self._alone(entry), nullcontext() if self._atomic else transaction():
                result = call()
            self._results[entry.number] |= _success(entry, result)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - noted, or raised again
            self._fail(entry, error)

    def _fail(self, entry: Entry, error: BaseException) -> None:
        """Note the error of an entry, or end the batch.

        :raises ApiError: the batch is atomic
        """
        if database.obj.own.failure is not None:
            # The transaction can't be committed
            raise error
        if isinstance(error, SystemExit):
            error = RuntimeError("the method called sys.exit()")
        named = named_error(self._state, error)
        if self._atomic and not isinstance(named, Unchanged):
            raise _placed(entry, named) from error
        self._note(entry, named)

    def _note(self, entry: Entry, error: ApiError) -> None:
        result = self._results[entry.number]
        result["status"] = error.status
        if not isinstance(error, Unchanged):
            result["error"] = error.body(settings().profile.dolibarr_messages)["error"]

    def _over(self) -> Unavailable:
        """Return the error of an entry that isn't started, because the time ran out."""
        limits = {"COMPTOIR_BATCH_SECONDS": settings().batch_seconds, "COMPTOIR_TIMEOUT": settings().timeout}
        name = min(limits, key=lambda each: limits[each])
        return Unavailable(f"not done, because the batch took more than {limits[name]} s ({name}); send fewer entries")


def place_of(number: int, name: str) -> str:
    """Return the name of a field of an entry in messages."""
    return f"entries[{number}].{name}" if name else f"entries[{number}]"


def _bind(entry: Entry) -> Callable[[], Any]:
    operation = entry.operation
    path = {operation.segments[0][1:-1]: entry.identifier} if operation.segments else {}
    return entry.endpoint.entry(path, entry.body)


def _success(entry: Entry, result: Any) -> dict[str, Any]:
    if isinstance(result, Accepted):
        return {"status": 202, "result": {"job": result.job, "state": "waiting", "href": f"/jobs/{result.job}"}}
    return {"status": entry.operation.status, "result": result}


def _placed(entry: Entry, error: ApiError) -> ApiError:
    """Return the error that ends the batch, with the place of its entry."""
    errors = [(place_of(entry.number, name), reason) for name, reason in error.errors]
    place = place_of(entry.number, "")
    told = error.message or next((reason for _, reason in error.errors), "")
    message = f"{place}: {told}" if told else place
    dolibarr = f"{place}: {error.dolibarr}" if error.dolibarr else ""
    details = {**error.details, "entry": entry.number}
    return ApiError(
        message, dolibarr=dolibarr, errors=errors, details=details, headers=error.headers, status=error.status
    )


def _of_all(refused: list[tuple[Entry, ApiError]]) -> ApiError:
    """Return the error of a batch: all invalid values, or only the first error if it is of another kind."""
    entry, first = refused[0]
    if not isinstance(first, BadRequest):
        return _placed(entry, first)
    placed = [_placed(each, error) for each, error in refused if isinstance(error, BadRequest)]
    placed[0].errors = [named for each in placed for named in each.errors]
    return placed[0]


def _count(state: RequestState, entries: int) -> None:
    """Count the entries of a batch for the rate limit of their key, in addition to the request itself.

    :raises TooManyRequests: the limit is reached; nothing was done
    """
    caller, more = state.caller, (entries - 1) // A_REQUEST
    limit = caller.restriction.rate or settings().rate
    if not limit or caller.key_id is None or not more:
        return
    left = state.allowance
    for _ in range(more):
        left = active.runtime.limiter.take(caller.key_id, limit)
        if left.is_spent:
            break
    state.allowance = left
    if left.is_spent:
        raise TooManyRequests(
            f"this key allows {limit} requests per minute, and {A_REQUEST} entries of a batch count as one; "
            f"nothing was changed. Try again in {left.seconds} s.",
            headers={"Retry-After": str(left.seconds)},
        )
