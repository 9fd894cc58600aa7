"""A limit on the processor time of a block, for texts whose cost must not grow with the square of their length."""

import signal
from contextlib import contextmanager

#: processor seconds, which other processes don't use up: linear work takes less than one of them
MOST = 60


@contextmanager
def little_work():
    """Fail a block that takes more than `MOST` seconds of the processor."""

    def fail(*_):
        raise AssertionError(f"more than {MOST} seconds of the processor")

    before = signal.signal(signal.SIGVTALRM, fail)
    signal.setitimer(signal.ITIMER_VIRTUAL, MOST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
