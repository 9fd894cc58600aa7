"""Which models there are: every one with a table, but for those that a reload has left behind."""

from __future__ import annotations

import sys

from .model import Model


def all_models(base: type[Model]) -> list[type[Model]]:
    """Every model with a table that is derived from a base, at any depth."""
    found: list[type[Model]] = []
    for child in base.__subclasses__():
        found += [*([] if child.is_pattern or _is_left_behind(child) else [child]), *all_models(child)]
    return found


def _is_left_behind(model: type[Model]) -> bool:
    """Whether its module has been loaded anew, or is gone: a model lives as long as somebody holds it."""
    if not model.__module__.startswith("modules."):
        return False
    module = sys.modules.get(model.__module__)
    # A model that a function made has no name in its module: nothing has taken its place
    return module is None or getattr(module, model.__name__, model) is not model
