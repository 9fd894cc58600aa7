"""The authors' examples: the file `examples.json` of a module, in the folder of its `models.py`.

It has two kinds of keys. The name of a model contains a record as the server returns it. An operation such as
``GET /orders/ref/{ref}`` contains any of `parameters`, `body` and `answer`. Documents leave out values that don't fit
their schema: a wrong example never prevents a description.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core import Model
from core.contract.catalogue import Operation, Service

NAME = "examples.json"
#: of which the server's own tables are
_SERVER = "core"
_log = logging.getLogger("comptoir")


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
    folders = {service.file.parent.parent: service.module for service in services}
    named = {(module_of(model), model.__name__): name for model, name in models.items()}
    records: dict[str, dict[str, Any]] = {}
    operations: dict[str, dict[str, Any]] = {}
    for folder, module in folders.items():
        for key, said in _read(folder / NAME).items():
            if " " in key:
                operations.setdefault(key, said)
            elif name := named.get((module, key)) or named.get((_SERVER, key)):
                records.setdefault(name, said)
    return Samples(records, operations)


def _read(file: Path) -> dict[str, dict[str, Any]]:
    try:
        said = json.loads(file.read_text())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        _log.warning("the sample file %s can't be read and is ignored: %s", file, error)
        return {}
    return {key: each for key, each in said.items() if isinstance(each, dict)} if isinstance(said, dict) else {}
