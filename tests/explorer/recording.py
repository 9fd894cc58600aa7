"""Writes the examples of the native modules, `modules/*/examples.json`, from what demonstration data answers.

    python -m tests.explorer.recording

What stands there and still succeeds stays as it is. Each operation is called with the examples of its document; where
that fails, with records that are in the state it takes. `test_examples.py` calls the same and finds out what is no
longer true.
"""

import json
import tempfile
from pathlib import Path

from core.contract.catalogue import catalogue
from explorer.names import module_of, ordered, read_names
from explorer.openapi import document
from explorer.operations import describe_service
from explorer.samples import NAME
from tests.explorer.calling import Caller, is_written
from tests.explorer.filling import PLACES, TOGETHER, _rows
from tests.filled import demonstration, filled

_ROOT = Path(__file__).parents[2]
#: records of a list that are looked at, to find the fullest of a model
_LOOKED_AT = 20
#: records that an operation is tried with
_TRIES = 60
#: the longest text of an example
_LONGEST = 120


class _Factory:
    """Folders, as pytest makes them."""

    def __init__(self):
        self._base = Path(tempfile.mkdtemp())

    def mktemp(self, name):
        return Path(tempfile.mkdtemp(prefix=name, dir=self._base))

    def getbasetemp(self):
        return self._base


class Recorder:
    """The examples of all modules, as they are written down."""

    def __init__(self, caller):
        self.caller = caller
        self.files = {}
        for service in ordered(catalogue()):
            file = service.file.parent.parent / NAME
            self.files[file] = json.loads(file.read_text()) if file.exists() else {}
        self.seen = {}

    def describe(self):
        """Read the documents anew, with what has been written."""
        self.services = [describe_service(each, names()) for each in ordered(catalogue())]
        self.caller.document = document(self.services, lambda permission: True)

    def write(self):
        """Write all files."""
        for file, said in self.files.items():
            if said:
                file.write_text(json.dumps(dict(sorted(said.items())), indent=1, ensure_ascii=False) + "\n")

    def record_models(self):
        """Write down one record of each model that is read."""
        for described in self.services:
            for each in described.operations:
                if each.operation.verb == "GET":
                    for parameters in self._candidates(each.path, {})[:3]:
                        answer = self.caller.call("GET", each.path, parameters, {"limit": _LOOKED_AT})
                        if answer.status_code == 200 and self.caller.is_json(answer):
                            self._collect(self.caller.answer_schema("GET", each.path), answer.json, described)
        own = {name: model for model, name in names().models.items()}
        for name, found in self.seen.items():
            model = own[name]
            file = next((f for f in self.files if f.parent.name == module_of(model)), self._first[name])
            fullest = max(found, key=lambda record: len(shortened(record)))
            if fullest and model.__name__ not in self.files[file]:
                self.files[file][model.__name__] = shortened(fullest)

    def _collect(self, schema, value, described):
        """The records in an answer, by their models."""
        for each in schema.get("oneOf", schema.get("anyOf", ())):
            self._collect(each, value, described)
        if "$ref" in schema and isinstance(value, dict):
            name = schema["$ref"].rpartition("/")[2]
            known = self.caller.document["components"]["schemas"][name].get("properties", {})
            # One of several kinds of records that a list may hold has other fields
            if name in {*names().models.values()} and value.keys() <= known.keys():
                self._first = {name: described.service.file.parent.parent / NAME, **getattr(self, "_first", {})}
                self.seen.setdefault(name, []).append(value)
            self._collect(self.caller.document["components"]["schemas"][name], value, described)
        elif isinstance(value, list) and isinstance(schema.get("items"), dict):
            for each in value[:_LOOKED_AT]:
                self._collect(schema["items"], each, described)
        elif isinstance(value, dict):
            for key, each in schema.get("properties", {}).items():
                if isinstance(value.get(key), (list, dict)):
                    self._collect(each, value[key], described)

    def record_operations(self):
        """Write down what makes each operation succeed, and its answer where it is no record's; answers what fails."""
        failing = []
        for described in self.services:
            for each in described.operations:
                operation = each.operation
                place = f"{operation.verb} {operation.template}"
                file = described.service.file.parent.parent / NAME
                shown = self.caller.examples(operation.verb, each.path)
                found = self._try(operation, each.path, shown)
                if found is None:
                    failing.append(f"{place}: {self.last.status_code} {self.last.text[:150]}")
                    continue
                parameters, body, answer = found
                said = {}
                if parameters != shown[0]:
                    said["parameters"] = {k: v for k, v in parameters.items() if shown[0].get(k) != v}
                if body != shown[1]:
                    said["body"] = body
                inline = (
                    self.caller.success(operation.verb, each.path)[1].get("content", {}).get("application/json", {})
                )
                is_plain = inline.get("schema", {}).get("type") in ("integer", "null", "boolean")
                is_secret = operation.annotation.idempotency == "secret" or "login" in operation.service
                if "example" in inline and not is_plain and not is_secret and self.caller.is_json(answer):
                    said["answer"] = shortened(answer.json, nested=True)
                if said:
                    before = self.files[file].get(place, {})
                    self.files[file][place] = {**said, **before, **{k: v for k, v in said.items() if k != "answer"}}
        return failing

    def _try(self, operation, path, shown):
        parameters, body = shown
        tries = [(parameters, body)]
        for place in self._candidates(path, parameters)[:_TRIES]:
            tries.append((place, body))
        for together in _rows(TOGETHER, path)[:3]:
            known = self.caller.names(operation.verb, path)
            for place in self._candidates(path, parameters)[:_TRIES]:
                query = {k: v for k, v in together.items() if k in known and v not in ("", None)}
                if isinstance(body, dict):
                    tries.append((place, {**body, **{k: v for k, v in together.items() if k not in known}}))
                elif query:
                    tries.append(({**place, **query}, body))
        for place, sent in tries:
            self.last = self.caller.call(operation.verb, path, place, {}, sent)
            if is_written(operation.verb):
                self.caller.restore()
            if self.last.status_code < 300:
                return place, sent, self.last
        return None

    def _candidates(self, path, parameters):
        return [{**parameters, **each} for each in _rows(PLACES, path)] or [parameters]


def names():
    """The names of what is served."""
    return read_names(catalogue(), ordered(catalogue()))


def shortened(value, nested=False):
    """A value in few words: of a record what is not empty, of a list the first two."""
    if isinstance(value, str):
        return value if len(value) <= _LONGEST else value[:_LONGEST]
    if isinstance(value, list):
        return [shortened(each, nested) for each in value[:2]]
    if isinstance(value, dict):
        plain = {k: shortened(v, nested) for k, v in value.items() if v not in (None, "", [], {})}
        return plain if nested else {k: v for k, v in plain.items() if not isinstance(v, (dict, list))}
    return value


def main():
    """Write the files, and print which operations no example is found for."""
    served = filled(_Factory(), demonstration)
    try:
        recorder = Recorder(Caller(served))
        recorder.describe()
        recorder.record_models()
        recorder.write()
        recorder.describe()
        print("\n".join(recorder.record_operations()))
        recorder.write()
    finally:
        served.close()


if __name__ == "__main__":
    main()
