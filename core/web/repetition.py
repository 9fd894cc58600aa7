"""Requests that are done anew: the database gave one up because another change came in between.

Nothing of it has been written, so the whole request begins again, a few times: its caller, its body, the claim of its
idempotency key. With Galera this is how a node says at COMMIT that another node was faster.
"""

from __future__ import annotations

import logging
import random
import time
from time import perf_counter

from ..common.request_state import RequestState
from ..storage.troubles import CONFLICT, reason_of, trouble_of

#: how often a request is begun at most
TRIES = 10
#: seconds within which one may be begun anew: whoever waits has a time-out of their own
LONGEST = 3.0
#: seconds of the first wait at most; each further one may be twice as long, up to the second number
WAIT, LONGEST_WAIT = 0.01, 0.5

_log = logging.getLogger("comptoir.database")


def may_be_repeated(state: RequestState, error: BaseException, tries: int) -> bool:
    """Whether a request that has failed is begun anew.

    :param tries: how often it has been begun
    """
    if trouble_of(error) is not CONFLICT or state.kept:
        return False
    return tries < TRIES and perf_counter() - state.began < LONGEST


def begin_anew(state: RequestState, error: BaseException, tries: int) -> None:
    """Forget what a try has left, and wait a moment, so that those who met do not meet again."""
    _log.info("request %s is retried after attempt %d: %s", state.request_id, tries, reason_of(error))
    state.forget()
    # No secret: only to differ from others
    time.sleep(random.uniform(0, min(LONGEST_WAIT, WAIT * 2 ** (tries - 1))))
