"""schemathesis over the server's own document, in process and on demonstration data; the tests are `test_fuzz_*.py`.

Each operation is called with the cases schemathesis derives from its schema, and with drawn ones, in most of which
identifiers and references are those of real records: else nearly every answer would be 404. A record that was created
is read, and whatever a request wrote is undone before the next one.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from random import Random

import hypothesis
import schemathesis
from hypothesis.errors import Unsatisfiable
from schemathesis import Case, GenerationMode, Response
from schemathesis.core.failures import Failure, FailureGroup
from schemathesis.generation.feedback import NO_FEEDBACK
from schemathesis.specs.openapi.checks import allow_header_conformance, ignored_auth, positive_data_acceptance

from core.testing import ADMIN_KEY
from tests.explorer.filling import Real, fill_gaps
from tests.explorer.restoring import Restorer
from tests.explorer.verdicts import is_excused, lenient, strict
from tests.filled import demonstration, filled

KEY = {"DOLAPIKEY": ADMIN_KEY}
UNNEEDED = {
    # OPTIONS is answered alike on every path, so that it tells nobody which there are
    GenerationMode.POSITIVE: [allow_header_conformance],
    # What only just fits the lenient document may be refused
    GenerationMode.NEGATIVE: [allow_header_conformance, positive_data_acceptance],
}
#: cases that are drawn for each operation, of those that fit its schema and of those that do not
DRAWN = 3
#: how many at most of those that schemathesis derives from a schema: the longest bodies have some hundred
DERIVED = 8

#: what is asked of each operation, so that the test cannot pass by testing nothing
LEAST = 10
#: how often its cases are called with other records, as long as none succeeds: few are in the state that it takes
TURNS = 8

#: services by test file, so that two workers have about the same to do
INVOICES_AND_SETUP = ("health", "metrics", "invoices", "thirdparties", "setup", "status", "audit", "jobs", "changes")
OFFERS_AND_PEOPLE = ("proposals", "orders", "products", "contacts", "users", "documents", "login", "webhooks")
GOODS_AND_MONEY = (
    "categories", "bankaccounts", "warehouses", "stockmovements", "shipments", "dictionaries", "webhookdeliveries",
)  # fmt: skip


@dataclass(frozen=True)
class Fault:
    """What is wrong with an answer."""

    case: Case
    response: Response
    failure: Exception

    def __str__(self):
        request = self.response.request
        sent = f"{request.method} {request.url} {request.body!r:.600}"
        said = f"{self.response.status_code} {self.response.content!r:.600}"
        return f"{type(self.failure).__name__}: {sent}\n  {said}\n  {self.failure!s:.600}"


class Fuzzer:
    """The server, its document, and the database as it is before each request.

    :ivar statuses: operation → status → how often it was answered
    :ivar faults: what is wrong
    """

    def __init__(self, factory):
        # On a busy machine a batch of a thousand entries takes longer than its limit
        self.served = filled(factory, demonstration, fill_gaps, batch_seconds=86_400, timeout=86_400)
        self.client = self.served.client()
        self.document = strict(self.client.get("/explorer/openapi.json"))
        self.schemas = {
            GenerationMode.POSITIVE: self._schema(self.document),
            GenerationMode.NEGATIVE: self._schema(lenient(self.document)),
        }
        self.statuses = {}
        self.faults = []
        self.restorer = Restorer()
        self.real = Real(list(self.document["paths"]))

    def _schema(self, document):
        schema = schemathesis.openapi.from_dict(document)
        schema.app = closed(self.served.app)
        # The key is not drawn
        schema.config.generation.update(with_security_parameters=False)
        return schema

    def close(self):
        """Stop the server."""
        self.restorer.close()
        self.served.close()

    def fuzz(self, service):
        """Call every operation of a service with all its cases, and note what is wrong."""
        for mode, schema in self.schemas.items():
            for found in schema.include(tag=service).get_all_operations():
                operation = found.ok()
                label = operation.label
                cases = derive(operation, mode)
                generated = [(case.path_parameters, case.query, case.body) for case in cases]
                for turn in range(TURNS):
                    # With each turn other records are referenced
                    random = Random(f"{label}{turn or ''}")
                    for case, values in zip(cases, generated, strict=True):
                        if turn:
                            case.path_parameters, case.query, case.body = values
                        self.real.put_into(case, random, 0.8)
                        if case.media_type == "multipart/form-data" and isinstance(case.body, dict):
                            # werkzeug writes a part without content as none, and the next one into it
                            case.body = {name: value for name, value in case.body.items() if value not in ("", None)}
                        written = self.restorer.live.total_changes
                        self.call(case, mode)
                        if self.restorer.live.total_changes != written:
                            self.restorer.restore()
                    if mode is GenerationMode.NEGATIVE or label in NEVER or has_succeeded(self.statuses[label]):
                        break

    def call(self, case, mode):
        """Call, and note what the checks say of the answer."""
        label = case.operation.label
        statuses = self.statuses.setdefault(label, Counter())
        response = case.call(headers=KEY)
        # One success is enough to see that it needs a key; the check calls twice more
        unneeded = [*UNNEEDED[mode], *([ignored_auth] if has_succeeded(statuses) else [])]
        statuses[response.status_code] += 1
        self.check(case, response, unneeded)
        said = case.operation.definition.raw["responses"].get(str(response.status_code), {})
        reader = said.get("content", {}).get("application/json", {}).get("schema", {}).get("x-reads")
        if reader:
            read = case.operation.schema.find_operation_by_id(reader).Case(path_parameters={"id": response.json()})
            self.check(read, read.call(headers=KEY), unneeded)

    def check(self, case, response, unneeded):
        """Note what the checks say of an answer."""
        try:
            case.validate_response(response, headers=KEY, excluded_checks=unneeded, transport_kwargs={"headers": KEY})
        except FailureGroup as group:
            self.faults += [
                Fault(case, response, each)
                for each in group.exceptions
                if not (isinstance(each, Failure) and is_excused(each, case, response))
            ]


def has_succeeded(statuses):
    """Whether an operation has done what it is for; 202: a job does it."""
    return bool(statuses[200] + statuses[202])


def closed(app):
    """An application whose answers are closed, as a server closes them; schemathesis leaves files open."""

    def answer(environ, start_response):
        body = app(environ, start_response)
        try:
            return [b"".join(body)]
        finally:
            getattr(body, "close", lambda: None)()

    return answer


def derive(operation, mode):
    """The cases of an operation: those that follow from its schema, and drawn ones."""
    configuration = operation.schema.config.generation_for(operation=operation)
    derived = operation.schema.iter_coverage_cases(operation, generation_modes=[mode], generation_config=configuration)
    cases = [*spread(list(derived), DERIVED), *draw(operation, mode)]
    if mode is GenerationMode.POSITIVE:
        # What takes nothing is asked the same again
        return cases * -(-LEAST // len(cases))
    # In a form all is text: no type can be wrong
    return [case for case in cases if case.media_type != "multipart/form-data"]


def spread(cases, most):
    """At most so many of the cases, from the first to the last."""
    step = max(1, -(-len(cases) // most))
    return cases[::step]


def draw(operation, mode):
    """Cases drawn from the operation's schema, the same at each time."""
    drawn = []

    @hypothesis.settings(
        max_examples=DRAWN,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(case=operation.as_strategy(generation_mode=mode, feedback=NO_FEEDBACK))
    def note(case):
        drawn.append(case)

    try:
        note()
    except Unsatisfiable:
        # Nothing wrong can be said to an operation that takes nothing, or any text
        assert mode is GenerationMode.NEGATIVE, operation.label
    return drawn


#: operations that no drawn request makes succeed, and why
NEVER = {
    "GET /login": "served in the profile dolibarr16 only",
    "GET /setup/checkintegrity": "a checkout has no list of the release's files",
}
#: parts of paths whose mode of pricing is off; `modules/prices` is tried with it
OFF = ("/selling_multiprices/", "/setpricelevel")


def judge(fuzzer, service):
    """Fuzz a service; every operation gets its examples, one of them at least succeeds, and no answer is wrong."""
    fuzzer.faults.clear()
    fuzzer.fuzz(service)
    assert not fuzzer.faults, "\n\n".join(str(each) for each in fuzzer.faults[:10])
    labels = {
        f"{verb.upper()} {path}"
        for path, verbs in fuzzer.document["paths"].items()
        for verb, said in verbs.items()
        if service in said["tags"]
    }
    assert {label for label in labels if fuzzer.statuses.get(label, Counter()).total() < LEAST} == set()
    tried = {label for label in labels if not any(part in label for part in OFF)}
    never = {label for label in tried if not has_succeeded(fuzzer.statuses[label])}
    assert never == tried & {*NEVER}, f"never 200: {never}"
