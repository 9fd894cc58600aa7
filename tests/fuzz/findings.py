"""What a target is driven with, counted; each way of failing once, with the shortest input that leads to it."""

from __future__ import annotations

import signal
import time
import traceback
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

Target = Callable[[bytes], object]

ROOT = Path(__file__).parent.parent.parent
_HERE = Path(__file__).parent
#: seconds of the processor that one input may take
LIMIT = 5.0
#: seconds for making the input of a finding shorter
SHORTENING = 20.0


class Broken(AssertionError):
    """A rule that does not hold.

    :param rule: the rule, the same words for every input
    :param detail: what came of this input
    """

    def __init__(self, rule, detail=""):
        super().__init__(f"{rule}: {detail}" if detail else rule)
        self.rule = rule


class TooSlow(BaseException):
    """An input took too long; nothing that catches exceptions is to catch it."""


def insist(holds, rule, detail=""):
    """Raise `Broken` unless the rule holds."""
    if not holds:
        raise Broken(rule, detail)


@dataclass
class Finding:
    """One way of failing."""

    place: str
    data: bytes
    told: str


class Findings:
    """Calls a target, and keeps what it finds."""

    def __init__(self, target):
        self._target = target
        self.executions = 0
        #: way of failing → the finding
        self.found = {}
        signal.signal(signal.SIGVTALRM, _end)

    def __call__(self, data):
        """Try one input."""
        self.executions += 1
        finding = self._try(data)
        if finding is not None:
            known = self.found.get(finding.place)
            if known is None:
                # Whoever waits for the end need not
                print(f"{finding.place}\n    {data!r}", flush=True)
            if known is None or len(data) < len(known.data):
                self.found[finding.place] = finding

    def _try(self, data):
        try:
            with _limited():
                self._target(data)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            told = "".join(traceback.format_exception(error, limit=-6))
            return Finding(place_of(error), data, told)
        return None

    def shorten(self):
        """Leave out of each input whatever the failure does not need."""
        for place, finding in list(self.found.items()):
            self.found[place] = self._shortened(finding)

    def _shortened(self, finding):
        ends = time.monotonic() + SHORTENING
        size = max(len(finding.data) // 2, 1)
        while size and time.monotonic() < ends:
            position = 0
            while position < len(finding.data) and time.monotonic() < ends:
                less = self._try(finding.data[:position] + finding.data[position + size :])
                if less is not None and less.place == finding.place:
                    finding = less
                else:
                    position += size
            size //= 2
        return finding


def place_of(error):
    """Where an error comes from: the rule that was broken, or its kind and the last line of ours it went through."""
    if isinstance(error, Broken):
        cause = f" ({place_of(error.__cause__)})" if error.__cause__ is not None else ""
        return error.rule + cause
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    ours = [frame for frame in frames if _is_ours(frame)]
    last = (ours or frames)[-1]
    return f"{type(error).__name__} in {_named(last)}"


def _is_ours(frame):
    file = Path(frame.f_code.co_filename)
    return file.is_relative_to(ROOT) and not file.is_relative_to(_HERE) and ".venv" not in file.parts


def _named(frame):
    file = Path(frame.f_code.co_filename)
    return f"{file.relative_to(ROOT) if file.is_relative_to(ROOT) else file.name}:{frame.f_code.co_name}"


@contextmanager
def _limited():
    # Again each second: what is raised while Python collects, say, is swallowed
    signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _end(*_):
    raise TooSlow(f"more than {LIMIT:g} s of the processor")
