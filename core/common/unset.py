"""The one value that says that there is none, where None would be a value."""

from __future__ import annotations

from typing import Any

#: no value: none was sent, none is kept, there is no default
UNSET: Any = object()
