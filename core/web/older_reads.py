"""Reads that may be some seconds old: answered by a standby, where there is one that is near enough.

How old is said by HTTP's own word, `Cache-Control: max-age=5`, or for all by `COMPTOIR_READ_AGE`; who says `no-cache`
is answered where it is written. Who calls, and what they may do, is always asked there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from ..common.request_state import RequestState
from ..common.settings import settings
from ..storage.standby import first_at_standby, has_standby, standby_age

P = ParamSpec("P")
T = TypeVar("T")

_MAX_AGE = re.compile(r"max-age\s*=\s*\"?(\d{1,9})")


def allowed_age(said: str) -> int:
    """Seconds that an answer may be old.

    :param said: the header `Cache-Control` of the request
    """
    said = said.lower()
    if "no-cache" in said or "no-store" in said:
        return 0
    found = _MAX_AGE.search(said)
    return int(found[1]) if found else settings().read_age


def from_standby(call: Callable[P, T], state: RequestState, header: Callable[[str], str | None]) -> Callable[P, T]:
    """A call that reads, at the standby where that is near enough; the header `Age` says so.

    :param header: a header of the request
    """
    if not has_standby() or state.verb not in ("GET", "HEAD"):
        return call
    allowed = allowed_age(header("Cache-Control") or "")
    age = standby_age() if allowed else None
    if age is None or age > allowed:
        return call
    seconds = math.ceil(age)

    def note() -> None:
        state.headers["Age"] = str(seconds)

    return first_at_standby(call, note)
