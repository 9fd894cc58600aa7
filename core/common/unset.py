"""The marker for a missing value, for places in which None is a value."""

from __future__ import annotations

from typing import Any

#: not sent, not stored, or without a default
UNSET: Any = object()
