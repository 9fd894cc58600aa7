"""What is done while the writers write, and what must come of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from .counts import Counts, count
from .databases import GALERA_DATABASE, Mariadb, Node, Postgresql
from .hosts import BALANCER_PORT, PORT, Host, balancer, block, choose_database, hosts, settings_of, store
from .load import Load, answered, ask, send
from .places import ClusterError, Place, Places, until

#: seconds within which all must be good again
GOOD_WITHIN = 10.0
#: seconds between what is done to the cluster
BREATH = 8.0

#: how the settings begin on the page
SETTINGS = "# /etc/comptoir.env, PostgreSQL"

#: a module that lies in one host alone
PARCELS = '''
class Parcels:
    """Parcels."""

    def index(self) -> list[str]:
        """List them."""
        return []
'''

Say = Callable[[str], None]


@dataclass
class Event:
    """Something that was done to the cluster.

    :ivar silence: the longest time behind it in which no request was done, in seconds
    :ivar good: seconds until every request was done again, but for those that a host had in hand when it died: these
        wait until its claim on their key has ended
    """

    what: str
    moment: float
    silence: float = 0.0
    good: float = 0.0


@dataclass
class Scene:
    """What came of a scene."""

    name: str
    counts: Counts
    events: list[Event]
    checks: dict[str, bool]
    missing: list[str] = field(default_factory=list)

    @property
    def wrong(self) -> list[str]:
        """What is not as it must be."""
        late = [each.what for each in self.events if each.good > GOOD_WITHIN]
        return [*self.counts.wrong, *late, *(what for what, holds in self.checks.items() if not holds)]


@contextmanager
def _writing(address: str, say: Say) -> Iterator[tuple[Load, list[Event]]]:
    """Writers meanwhile; what was done to the cluster is noted in the list, and in the end what came of each."""
    load, events = Load(address, BALANCER_PORT), list[Event]()
    began = time.monotonic()
    with load:
        time.sleep(BREATH)
        say(f"{len(load.validated)} invoices validated in {time.monotonic() - began:.0f} s")
        yield load, events
        time.sleep(BREATH)
        # Who still waits then is waited for, and nobody begins anything more
        end = time.monotonic()
    ends = [*(each.moment for each in events[1:]), end]
    for each, following in zip(events, ends, strict=True):
        each.good, each.silence = load.good_after(each.moment, following), load.silence(each.moment, following)


def _kill_and_start_again(host: Host, events: list[Event], say: Say) -> None:
    """A host that ends, and comes back."""
    say("host one is killed")
    events.append(Event("a host is killed", time.monotonic()))
    host.kill()
    time.sleep(BREATH)
    say("host one is started again")
    events.append(Event("a host comes back", time.monotonic()))
    host.start().ready()


def _common_checks(load: Load, both: list[Host], *, rate: int = 30) -> dict[str, bool]:
    """A paper that one host has written is read on the other; a limit counts what both let through."""
    checks = {}
    identifier, reference = max(load.validated.items())
    path = f"/documents/download?modulepart=facture&original_file={reference}/{reference}.pdf"
    sizes = {ask(each.place.address, PORT, "GET", path)["filesize"] for each in both}
    checks["both hosts read the same PDF"] = len(sizes) == 1 and min(sizes) > 1000
    one = both[0].place.address
    user = ask(one, PORT, "POST", "/users", {"login": f"counted{identifier}", "lastname": "Counted", "admin": 1})
    key = ask(one, PORT, "POST", f"/users/{user}/keys", {"label": "counted", "rate": rate})["key"]
    told = [send(both[turn % 2].place.address, PORT, "GET", "/status", key=key)[0] for turn in range(2 * rate)]
    # A minute may have begun meanwhile
    checks["a request limit covers both hosts together"] = rate <= told.count(200) < 2 * rate and 429 in told
    return checks


def postgresql(places: Places, say: Say) -> Scene:
    """A primary with a standby that becomes the primary; a PgBouncer at each; two hosts; files and limits shared."""
    first, second = map(Postgresql, _machines(places, "postgres", "first", "second"))
    say("PostgreSQL: a primary and its standby")
    first.begin(places)
    first.start()
    first.does(block("sql", "CREATE ROLE", places))
    second.follow(first, places)
    shared = store(places, settings_of(block("sh", SETTINGS, places)))
    shared.settings["COMPTOIR_DATABASE_READ"] = (
        f"postgresql://comptoir:the-password@{second.place.address}:6432/comptoir"
    )
    both = hosts(places, shared.settings)
    for each in (first, second):
        each.pool(places)
    _start_all(both, say)
    balanced = balancer(places)
    checks = {"stale reads use the standby": all(_is_old(each) for each in both)}
    checks["a host reports services that only another host has"] = _notices(*both)
    with _writing(balanced.address, say) as (load, events):
        say("the primary is killed")
        events.append(Event("the primary is killed", time.monotonic()))
        first.kill()
        time.sleep(2)
        say("the standby is promoted")
        second.promote()
        time.sleep(BREATH + 2)
        _kill_and_start_again(both[0], events, say)
    counts = count(load)
    checks |= _common_checks(load, both) | {
        "stale reads use the primary if there is no standby": not any(map(_is_old, both))
    }
    return Scene("postgresql", counts, events, checks, shared.missing)


def mariadb(places: Places, say: Say) -> Scene:
    """A primary with a standby that becomes the primary; HAProxy on each of two hosts leads to the one that is up."""
    first, second = map(Mariadb, _machines(places, "mysql", "first", "second"))
    say("MariaDB: a primary and its standby")
    for each in (first, second):
        each.make()
        each.start(places, standby=each is second)
    second.follow(first, places)
    shared = store(places, settings_of(block("sh", SETTINGS, places)))
    both = hosts(places, shared.settings)
    for host in both:
        choose_database(host, places)
    _start_all(both, say)
    balanced = balancer(places)
    with _writing(balanced.address, say) as (load, events):
        say("the primary is killed")
        events.append(Event("the primary is killed", time.monotonic()))
        first.kill()
        time.sleep(2)
        say("the standby is made the primary")
        second.promote()
        time.sleep(BREATH + 2)
        _kill_and_start_again(both[0], events, say)
    return Scene("mariadb", count(load), events, _common_checks(load, both), shared.missing)


def galera(places: Places, say: Say) -> Scene:
    """Three nodes of MariaDB that all take writes; two hosts, each of which asks another one first."""
    nodes = [Node(each) for each in _machines(places, "mysql", "first", "second", "third")]
    for number, each in enumerate(nodes):
        say(f"Galera: node {number + 1}")
        each.make()
        each.start(places, first=number == 0)
    nodes[0].says(GALERA_DATABASE)
    shared = store(places, settings_of(block("sh", SETTINGS, places)))
    addresses = [each.place.address for each in nodes]
    both = hosts(places, shared.settings)
    for number, host in enumerate(both):
        turned = ",".join(addresses[number:] + addresses[:number])
        host.settings["COMPTOIR_DATABASE"] = f"mysql://comptoir:the-password@{turned}/comptoir"
    _start_all(both, say)
    balanced = balancer(places)
    with _writing(balanced.address, say) as (load, events):
        say("node 1 is killed")
        events.append(Event("a node is killed", time.monotonic()))
        nodes[0].kill()
        time.sleep(BREATH + 2)
        say("node 1 is started again")
        events.append(Event("the node comes back", time.monotonic()))
        nodes[0].start(places)
        time.sleep(BREATH)
        _kill_and_start_again(both[0], events, say)
    counts = count(load)
    at_once = _knows_at_once(both[0], both[1])
    sizes = {each.says("SELECT COUNT(*), MAX(ref) FROM comptoir.llx_facture").strip() for each in nodes}
    checks = _common_checks(load, both) | {"all nodes hold the same data": len(sizes) == 1}
    checks["a host reads the other host's committed writes"] = at_once
    return Scene("galera", counts, events, checks, shared.missing)


def _knows_at_once(one: Host, two: Host, times: int = 200) -> bool:
    """Whether a host reads what the other one, which asks another node, has just answered."""
    statuses = set()
    for turn in range(times):
        asked, other = (one, two) if turn % 2 else (two, one)
        made = ask(asked.place.address, PORT, "POST", "/thirdparties", {"name": f"Just made {turn}", "client": 1})
        statuses.add(send(other.place.address, PORT, "GET", f"/thirdparties/{made}")[0])
    return statuses == {200}


def _notices(one: Host, two: Host) -> bool:
    """Whether a host says that another one serves a module that it lacks."""
    two.drop_in("parcels/class/api_parcels.py", PARCELS)
    try:
        until(lambda: any("parcels" in each for each in one.notes), lambda: "", within=30)
    except ClusterError:
        return False
    return two.notes == []


def _is_old(host: Host) -> bool:
    """Whether a read that may be old is answered by a standby."""
    return "age" in answered(host.place.address, PORT, "GET", "/invoices?limit=1", age=10)


def _machines(places: Places, user: str, *databases: str) -> list[Place]:
    """Make all machines of a scene; answers those of the database.

    :param user: who runs the database
    """
    made = [places.make(name, user) for name in databases]
    for name in ("store", "one", "two", "balancer"):
        places.make(name)
    return made


def _start_all(both: list[Host], say: Say) -> None:
    say("two hosts start at once on an empty database")
    began = time.monotonic()
    for each in both:
        each.start()
    for each in both:
        each.ready()
    say(f"both hosts are ready after {time.monotonic() - began:.1f} s")


SCENES: dict[str, Callable[[Places, Say], Scene]] = {"postgresql": postgresql, "mariadb": mariadb, "galera": galera}
