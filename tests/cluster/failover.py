"""The failover: which machines are killed while clients write, and how long requests fail."""

from __future__ import annotations

import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from .counts import Counts, count
from .load import Load
from .machines import BALANCER_PORT, Balancer, Host, Postgresql

#: seconds within which all requests must succeed again
RECOVERY_SECONDS = 10.0
#: seconds between two events
PAUSE_SECONDS = 10.0


@dataclass
class Event:
    """A machine that was killed or started.

    :ivar silence: the longest time after it without a completed request, in seconds
    :ivar good: seconds until every request succeeded again. Requests that a dead host had begun don't count: they wait
        until its claim on their idempotency key expires
    """

    what: str
    moment: float
    silence: float = 0.0
    good: float = 0.0


@dataclass
class Result:
    """The counts of all requests, and the recovery after each event."""

    counts: Counts
    events: list[Event]

    @property
    def wrong(self):
        """The faults."""
        return [*self.counts.wrong, *(each.what for each in self.events if each.good > RECOVERY_SECONDS)]


def fail_over(folder, say):
    """Kill the primary, promote the standby, kill a host and start it again, while clients create invoices."""
    events = []

    def happens(what):
        say(what)
        events.append(Event(what, time.monotonic()))

    with ExitStack() as stack:
        first, second = (Postgresql(number, folder / f"database{number}", "postgres") for number in (21, 22))
        one, two = (Host(number, folder / f"host{number}") for number in (11, 12))
        balancer = Balancer(10, folder / "balancer")
        Host.files = folder / "files"
        for each in (first, second, one, two, balancer):
            stack.callback(each.kill)
        say("start PostgreSQL and its standby")
        first.create()
        second.follow(first)
        say("start two hosts at once on an empty database")
        one.start()
        two.start()
        one.wait()
        two.wait()
        balancer.start()
        with _writing(balancer.address, events) as load:
            say(f"{len(load.validated)} invoices validated")
            happens("the primary is killed")
            first.kill()
            time.sleep(2)
            say("the standby is promoted")
            second.promote()
            time.sleep(PAUSE_SECONDS)
            happens("a host is killed")
            one.kill()
            time.sleep(PAUSE_SECONDS)
            happens("a host comes back")
            one.start()
            one.wait()
        return Result(count(load), events)


@contextmanager
def _writing(address, events):
    """Write while the block runs; afterwards, note the recovery after each event."""
    with Load(address, BALANCER_PORT) as load:
        time.sleep(PAUSE_SECONDS)
        yield load
        time.sleep(PAUSE_SECONDS)
        # The writers finish their requests after this moment, and begin no more
        end = time.monotonic()
    ends = [*(each.moment for each in events[1:]), end]
    for each, following in zip(events, ends, strict=True):
        each.good, each.silence = load.good_after(each.moment, following), load.silence(each.moment, following)
