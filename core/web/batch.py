"""A batch: many creations, changes and deletions of one service in one request, in one transaction.

Each entry goes through the endpoint of its operation like a request: its permission, its conversions, its method. There
is one commit, so audit trail, late handlers, jobs and caches are handled once, after the last entry.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Annotated, Any, TypedDict

from ..common.authors_code import as_exception
from ..common.csv_rows import CsvRow, read_csv
from ..common.errors import (
    MOST_ERRORS,
    ApiError,
    BadRequest,
    Reason,
    Unavailable,
    reason_of,
    shown,
    unknown_fields,
)
from ..common.json_texts import check_texts, unfit_texts
from ..common.readers import choice_of, is_storable
from ..common.request_state import RequestState, current_state
from ..common.settings import settings
from ..contract.api import Accepted
from ..contract.catalogue import Operation
from ..records.problems import STATUSES, placed
from ..storage.database import backend, database, transaction
from .answers import accepted_body, named_error
from .authentication import count
from .bodies import READERS
from .endpoint import Endpoint
from .sheets import CSV

#: entries that count as one request for the rate limit of a key
ENTRIES_PER_REQUEST = 10
#: the keys of an entry
KEYS = ("method", "id", "body", "if_match")
_MISSING = object()
#: what an error that ends the batch adds
_UNCHANGED = "nothing was changed"
_COUNTED = f", and {ENTRIES_PER_REQUEST} entries of a batch count as one; {_UNCHANGED}"


class _Status(TypedDict):
    status: Annotated[int, "the status its operation would have had on its own"]


class BatchEntry(_Status, total=False):
    """The outcome of one entry: its `result`, or its `error`."""

    result: Annotated[Any, "the result its operation would have had on its own"]
    error: Annotated[dict[str, Any], "the error, as in the body of a failed request"]
    line: Annotated[int, "the line of the row in a CSV body"]
    warnings: Annotated[list[str], "the warnings of its operation, which is otherwise the `Warning` header"]


class BatchResult(TypedDict):
    """The outcome of a batch."""

    results: Annotated[list[BatchEntry], "one result for each entry, in the same order"]
    done: Annotated[int, "the number of entries that succeeded"]
    failed: Annotated[int, "the number of entries that failed"]


class Entry:
    """One well-formed entry, and its outcome.

    :ivar line: the line of a CSV body; 0: the body is JSON
    :ivar place: its place in messages
    """

    def __init__(self, number: int, operation: Operation, sent: dict[str, Any]) -> None:
        self.number, self.operation = number, operation
        self.endpoint: Endpoint = operation.respond  # type: ignore[assignment]
        self.path = {operation.own_segments[0][1:-1]: str(sent["id"])} if operation.own_segments else {}
        body = sent.get("body")
        self.line = body.line if isinstance(body, CsvRow) else 0
        self.place = f"line {self.line}" if self.line else f"entries[{number}]"
        self.body = body.as_body() if isinstance(body, CsvRow) else body
        self.if_match: str | None = sent.get("if_match")
        #: calls the method; None: a value is invalid, or the permission is missing
        self.call: Any = None
        self.warnings: list[str] = []
        #: status and result, or status and error
        self.outcome: dict[str, Any] = {}

    def succeed(self, result: Any) -> None:
        """Note the result."""
        is_job = isinstance(result, Accepted)
        status = 202 if is_job else self.operation.status
        self.outcome = {"status": status, "result": accepted_body(result) if is_job else result}

    def fail(self, error: ApiError, most: int) -> int:
        """Note the error, with at most `most` wrong fields; return the number of those it lists."""
        self.outcome = {"status": error.status}
        if error.status == 304:
            return 0
        body = self.outcome["error"] = error.body(settings().profile.dolibarr_messages, most=most)["error"]
        return len(body.get("errors", ()))

    def shown(self) -> dict[str, Any]:
        """Return the outcome with the line and the warnings."""
        notes = {"line": self.line, "warnings": self.warnings}
        return {name: note for name, note in notes.items() if note} | self.outcome

    def placed(self, error: ApiError) -> ApiError:
        """Return the error that ends the batch, with the place of this entry."""
        place = self.place
        reason = error.message or next((each for _, each in error.errors), "")
        message = f"{place}: {reason}" if reason else place
        # Three dots show that a value is shortened
        sentence = message if message.endswith("...") else message.removesuffix(".")
        return ApiError(
            message if _UNCHANGED in message else f"{sentence}; {_UNCHANGED}",
            dolibarr=f"{place}: {error.dolibarr}" if error.dolibarr else "",
            errors=[(placed(place, name), reason) for name, reason in error.errors],
            reason=error.own_reason,
            details={**error.details, "entry": self.number, **({"line": self.line} if self.line else {})},
            headers=error.headers,
            status=error.status,
        )


class Batch:
    """The batch of a service.

    :param operations: those that entries may use, one for each verb
    """

    def __init__(self, operations: Sequence[Operation]) -> None:
        self._operations = {each.verb: each for each in operations}

    def run(self, entries: list[Any], atomic: bool) -> BatchResult:
        """Do the entries of a request; return the result of each.

        :raises BadRequest: entries are malformed; the error lists all of them
        :raises ApiError: `atomic`, and an entry failed
        """
        state = current_state()
        assert state is not None
        if state.if_match is not None:
            reason = "`If-Match` can't be used with a batch; set `if_match` in each entry"
            raise BadRequest(errors=[("If-Match", reason)])
        read = self._read(entries)
        count(state, state.caller, (len(read) - 1) // ENTRIES_PER_REQUEST, _COUNTED)
        return _Run(state, read, atomic).answer()

    def _read(self, sent: list[Any]) -> list[Entry]:
        most = settings().batch_entries
        if not 1 <= len(sent) <= most:
            reason = f"expected 1 to {most} entries (COMPTOIR_BATCH_ENTRIES), got {len(sent)}"
            raise BadRequest(errors=[("entries", reason)])
        if wrong := [
            (placed(f"entries[{number}]", name), reason)
            for number, each in enumerate(sent)
            for name, reason in self._wrong(each)
        ]:
            raise BadRequest(errors=wrong)
        return [Entry(number, self._operations[each["method"]], each) for number, each in enumerate(sent)]

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
        if not operation.own_segments:
            if identifier is not _MISSING:
                yield "id", f"expected no `id`, because {verb} creates a record; got {shown(identifier)}"
        elif not isinstance(identifier, (int, str)) or isinstance(identifier, bool) or identifier == "":
            got = "nothing" if identifier is _MISSING else shown(identifier)
            yield "id", f"expected the ID of a record, got {got}"
        if "body" in entry and not any(each.place in ("whole", "body") for each in operation.inputs):
            yield "body", f"expected no `body` with {verb}"
        tag = entry.get("if_match")
        if tag is not None and not operation.own_segments:
            yield "if_match", f"expected no `if_match`, because {verb} creates a record; got {shown(tag)}"
        elif tag is not None and not (isinstance(tag, str) and tag.strip()):
            yield "if_match", f"expected the `ETag` of the record, got {shown(tag)}"


class _Run:
    """The run of one batch."""

    def __init__(self, state: RequestState, entries: list[Entry], atomic: bool) -> None:
        self._state, self._entries, self._atomic = state, entries, atomic
        #: wrong fields that the response may still list
        self._room = MOST_ERRORS
        #: entries of an atomic batch that were rejected: the others are tried, so that one error lists all
        self._rejected: list[tuple[Entry, ApiError]] = []
        self._seconds = settings().batch_seconds or backend().batch_seconds

    def answer(self) -> BatchResult:
        """Do all entries in one transaction."""
        state = self._state
        strict = state.strict
        try:
            self._bind()
            with transaction():
                # Other writers may wait from now on
                self._ends = min(time.perf_counter() + self._seconds, state.began + settings().timeout)
                state.seen = set()
                for entry in self._entries:
                    if entry.call is not None:
                        self._do(entry)
                if self._rejected:
                    raise _combined(self._rejected)
        finally:
            state.seen, state.if_match, state.strict = None, None, strict
        results: list[Any] = [each.shown() for each in self._entries]
        failed = sum("error" in each for each in results)
        return {"results": results, "done": len(results) - failed, "failed": failed}

    def _bind(self) -> None:
        """Convert the values of all entries, and check their permissions.

        :raises ApiError: one doesn't fit, and the batch is atomic
        """
        for entry in self._entries:
            try:
                if entry.operation.permission is not None:
                    self._state.caller.require(entry.operation.permission)
                with self._state_of(entry):
                    entry.call = entry.endpoint.entry(entry.path, entry.body)
            except ApiError as error:
                self._fail(entry, error)
                if self._atomic:
                    self._rejected.append((entry, error))
        if self._rejected:
            raise _combined(self._rejected)

    def _fail(self, entry: Entry, error: ApiError) -> None:
        """Note the error of an entry.

        :raises ApiError: a CSV body has an unknown column, which is wrong in each of its rows
        """
        reasons = [reason for _, reason in error.errors] if entry.line else []
        if any(isinstance(reason, Reason) and reason.word == "unknown_field" for reason in reasons):
            raise entry.placed(error)
        self._room -= entry.fail(error, self._room)

    @contextmanager
    def _state_of(self, entry: Entry) -> Iterator[None]:
        """Set the state of the request to that of one entry."""
        state = self._state
        others, ignored, state.warnings = state.warnings, state.ignored, []
        if not entry.line:
            # The rows of a CSV body have the same columns: the response has one warning about them
            state.ignored = {}
        state.if_match, state.is_compared, state.notified = entry.if_match, False, None
        state.strict = entry.endpoint.strict or state.asks_strict
        try:
            yield
        finally:
            entry.warnings += state.warnings if entry.line else state.all_warnings()
            state.warnings, state.ignored = others, ignored

    def _do(self, entry: Entry) -> None:
        """Do one entry.

        :raises ApiError: it failed, and the batch is atomic; or the tables have changed
        """
        try:
            if time.perf_counter() > self._ends:
                raise _out_of_time(self._seconds)
            with self._state_of(entry), nullcontext() if self._atomic and not self._rejected else transaction():
                result = entry.call()
            entry.succeed(result)
        except BaseException as error:
            if database.obj.own.transaction.failure is not None:
                # The transaction can't be committed
                raise
            cause = as_exception(error)
            named = named_error(self._state, cause)
            if not self._atomic or named.status == 304:
                self._fail(entry, named)
            elif entry.line and isinstance(named, STATUSES):
                self._rejected.append((entry, named))
            else:
                raise (_combined(self._rejected) if self._rejected else entry.placed(named)) from cause


def _read_rows(content: bytes, content_type: str) -> dict[str, Any]:
    """Return the body of a batch that creates a record from each row of a CSV file.

    :raises BadRequest: the file can't be read, or a text in it can't be stored; the error lists all of them by line
    """
    rows, wrong = read_csv(content, settings().batch_entries), []
    check_texts({"line 1": rows.names})
    for row in rows:
        if not all(map(is_storable, row.values())):
            wrong += [(f"line {row.line}.{name}", reason) for name, reason in unfit_texts(row)]
    if wrong:
        raise BadRequest(errors=wrong)
    return {"entries": [{"method": "POST", "body": row} for row in rows]}


#: the bodies of a batch that can create records
READERS_WITH_CSV = {**READERS, CSV: _read_rows}


def _out_of_time(seconds: float) -> Unavailable:
    seconds, name = min((seconds, "COMPTOIR_BATCH_SECONDS"), (settings().timeout, "COMPTOIR_TIMEOUT"))
    return Unavailable(f"not done, because the batch took more than {seconds} s ({name}); send fewer entries")


def _combined(rejected: list[tuple[Entry, ApiError]]) -> ApiError:
    """Return the error of a batch: everything that is rejected, or only the first error if it is of another kind."""
    entry, first = rejected[0]
    kinds = STATUSES if entry.line else BadRequest
    if not isinstance(first, kinds):
        return entry.placed(first)
    placed = [(each, each.placed(error)) for each, error in rejected if isinstance(error, kinds)]
    made = placed[0][1]
    made.errors = [wrong for each, error in placed for wrong in error.errors or [(each.place, error.message)]]
    return made
