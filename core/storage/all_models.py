"""The models that have a table, without those that a reload has replaced."""

from __future__ import annotations

import sys

from .model import Model


def all_models(base: type[Model]) -> list[type[Model]]:
    """Return the models with a table that are derived from a base, at any depth."""
    found: list[type[Model]] = []
    for child in base.__subclasses__():
        found += [*([] if child.is_pattern or _is_left_behind(child) else [child]), *all_models(child)]
    return found


def _is_left_behind(model: type[Model]) -> bool:
    """Return whether the module of a model was loaded again, or removed; the class lives while it is referred to."""
    if not model.__module__.startswith("modules."):
        return False
    module = sys.modules.get(model.__module__)
    # The module has no name for a model that a function has made, so nothing has replaced it
    return module is None or getattr(module, model.__name__, model) is not model
