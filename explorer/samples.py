"""What authors say of their examples: the file `examples.json` of a module, beside its `models.py`.

It holds two kinds of keys: the name of a model, with a record as it is answered; and an operation such as
``GET /orders/ref/{ref}``, with any of `parameters`, `body` and `answer`. What does not fit is left out of the
documents: an example is never a reason not to describe something.
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
    :param operations: verb and path → what is said of that operation
    """

    models: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    operations: Mapping[str, dict[str, Any]] = field(default_factory=dict)

    def of(self, operation: Operation) -> dict[str, Any]:
        """What is said of an operation: any of `parameters`, `body`, `answer`."""
        return self.operations.get(f"{operation.verb} {operation.template}", {})


def read_samples(services: Iterable[Service], models: Mapping[type[Model], str], module_of: Any) -> Samples:
    """The examples of the modules of some services, of which the first one that names an operation says it.

    :param models: the names of models in schemas
    :param module_of: answers the module that a model is of
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
