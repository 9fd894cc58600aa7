"""The authors' examples: the file `examples.json` of a module, in the folder of its `models.py`.

It has two kinds of keys. The name of a model contains a record as the server returns it. An operation such as
``GET /orders/ref/{ref}`` contains any of `parameters`, `body` and `answer`. Documents leave out values that don't fit
their schema: a wrong example never prevents a description.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from core import Model
from core.contract.catalogue import Operation, Service

from .module_files import folders_of, read_file

NAME = "examples.json"
#: of which the server's own tables are
_SERVER = "core"


@dataclass(frozen=True)
class Samples:
    """The examples of all modules.

    :param models: name of a schema → a record of that model
    :param operations: verb and path → examples of that operation
    """

    models: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    operations: Mapping[str, dict[str, Any]] = field(default_factory=dict)

    def of(self, operation: Operation) -> dict[str, Any]:
        """Return the examples of an operation: any of `parameters`, `body`, `answer`."""
        return self.operations.get(f"{operation.verb} {operation.template}", {})


def read_samples(services: Iterable[Service], models: Mapping[type[Model], str], module_of: Any) -> Samples:
    """Return the examples from the modules of the given services; the first example of an operation wins.

    :param models: the names of models in schemas
    :param module_of: returns the module of a model
    """
    named = {(module_of(model), model.__name__): name for model, name in models.items()}
    records: dict[str, dict[str, Any]] = {}
    operations: dict[str, dict[str, Any]] = {}
    for folder, module in folders_of(services).items():
        for key, said in (read_file(folder / NAME, parse_samples) or {}).items():
            if " " in key:
                operations.setdefault(key, said)
            elif name := named.get((module, key)) or named.get((_SERVER, key)):
                records.setdefault(name, said)
    return Samples(records, operations)


def parse_samples(text: str) -> dict[str, dict[str, Any]]:
    """Return the examples in the text of a file.

    :raises ValueError: it isn't an object in JSON
    """
    said = json.loads(text)
    if not isinstance(said, dict):
        raise ValueError("expected an object with examples")
    return {key: each for key, each in said.items() if isinstance(each, dict)}
