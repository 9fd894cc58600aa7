"""Fixtures, on which databases a test runs, and which tests `make test` leaves to `.ci/run` and to `make nightly`.

`server` is the fixture most tests want. A test runs on SQLite. One whose result a database could change is marked
`every_database` and runs on each kind; with names, as in ``every_database("mysql")``, on these only. A test isn't collected
for a kind that it doesn't run on. `--all-databases` runs all tests on each kind, `--all-databases-below` those of a folder
that aren't marked `any_database`: the server decides their result before or after a statement.

`make test` runs what needs nothing but this process, SQLite and little time. A test is *thorough*, and left to `.ci/run`,
when it

- runs on PostgreSQL or MariaDB (a parameter of it says so, or its class),
- starts a gunicorn (it lies in `tests/serving`),
- opens a Chromium (it lies in `tests/browser`), or
- is marked `slow`: it takes ten seconds of a processor or more, by itself or with its like.

`pytest_collection_modifyitems` below does this. A test marked `lasting` is left to `make nightly`.
"""

import gc
import os
import re
import shutil
import sys
from collections import Counter
from contextlib import ExitStack
from functools import cache
from itertools import count
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, settings

from core import testing
from core.testing import DATABASE_KINDS, DATABASE_SERVERS, serving
from core.testing.served import forget_tables, keeping_server
from tests.runs import Run

TESTS = Path(__file__).parent
SAMPLES = TESTS / "samples"
#: where tests wait for servers, browsers and programs most of their time
WAITING = ("serving", "browser", "attacks/test_outside.py", "core/commands/test_new.py", "test_wheel.py")

# A search of hypothesis tries the same examples each time, unless `make nightly` looks for new ones. Nothing is wrong with
# an example that takes long on a busy machine.
_UNHURRIED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow], "database": None}
settings.register_profile("gate", derandomize=True, max_examples=25, **_UNHURRIED)
settings.register_profile("nightly", derandomize=False, max_examples=200, print_blob=True, **_UNHURRIED)
settings.load_profile("gate")

#: reasons of skips that don't fail the gate: what this machine isn't
ACCEPTED_SKIPS = re.compile("root may write everywhere|only root gives|no disk can be mounted")

_why_unavailable = cache(testing.why_unavailable)


def pytest_addoption(parser):
    group = parser.getgroup("comptoir")
    group.addoption("--all-databases", action="store_true", help="run each test on each kind of database")
    group.addoption(
        "--all-databases-below",
        action="append",
        default=[],
        metavar="FOLDER",
        help="the same for the tests of a folder",
    )
    group.addoption("--gate", action="store_true", help="a test that is skipped fails: what it needs must be there")
    group.addoption("--shuffle", type=int, metavar="SEED", help="run files, and the tests of each, in another order")


def pytest_report_header(config):
    """Say how to repeat the order."""
    seed = config.getoption("--shuffle")
    return None if seed is None else f"shuffled: --shuffle {seed}"


def pytest_generate_tests(metafunc):
    """Run a test that has a database on SQLite, or on each kind."""
    marks = [str(mark.args[0]) for mark in metafunc.definition.iter_markers("parametrize")]
    if "kind" in metafunc.fixturenames and not any(re.search(r"\bkind\b", names) for names in marks):
        metafunc.parametrize("kind", _kinds(metafunc.definition, metafunc.config), indirect=True, scope="session")


def _kinds(item, config):
    mark = item.get_closest_marker("every_database")
    if mark is not None and mark.args:
        return mark.args
    folders = [config.rootpath / each for each in config.getoption("--all-databases-below")]
    has_changed = any(item.path.is_relative_to(each) for each in folders) and not item.get_closest_marker(
        "any_database"
    )
    return DATABASE_KINDS if mark is not None or config.getoption("--all-databases") or has_changed else ["sqlite"]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items, config):
    """Mark what is thorough, and why."""
    if config.getoption("--shuffle") is not None:
        # pytest puts together what shares a fixture afterwards
        Random(config.getoption("--shuffle")).shuffle(items)
    for item in items:
        parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
        kinds = [*parameters, getattr(getattr(item, "cls", None), "kind", "")]
        reasons = [kind for kind in DATABASE_SERVERS if kind in kinds]
        reasons += [folder for folder in ("serving", "browser") if _is_below(item.path, folder)]
        for reason in reasons:
            item.add_marker(reason)
        # They repeat by themselves what the natives try
        if {*reasons} & {*DATABASE_SERVERS} and _is_below(item.path, "samples"):
            item.add_marker("lasting")
        if reasons or item.get_closest_marker("slow") or item.get_closest_marker("lasting"):
            item.add_marker("thorough")


@cache
def _is_below(path, folder):
    return path.is_relative_to(TESTS / folder)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    """Fail a test that is skipped in the gate."""
    report = yield
    if report.skipped and item.config.getoption("--gate") and not ACCEPTED_SKIPS.search(str(report.longrepr)):
        report.outcome = "failed"
    return report


def pytest_terminal_summary(terminalreporter):
    """Say on one line what was skipped."""
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ") for report in terminalreporter.stats.get("skipped", ())
    )
    if reasons:
        each = "; ".join(f"{count} × {reason}" for reason, count in reasons.most_common())
        terminalreporter.write_line(f"skipped: {each}", yellow=True)


class _Spread:
    """Files whose tests wait for other processes come evenly among the others, so that no two workers wait at once.

    What takes longest comes first, so that no worker is left alone with it at the end. xdist keeps this order because
    the Makefile asks it to (`--no-loadscope-reorder`).
    """

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        """Behind pytest's own hook, which puts together what shares a fixture."""
        items[:] = _spread(items)


def pytest_configure(config):
    """One more hook of the same name; the process that starts the workers holds the run's locks."""
    config.pluginmanager.register(_Spread())
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Run())


def _spread(items):
    files = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    waiting = [any(item.path.is_relative_to(TESTS / each) for each in WAITING) for (item, *_) in files.values()]
    places = {True: count(0.5), False: count(0.5)}
    lists = list(files.values())
    slow = [any(item.get_closest_marker("slow") for item in items) for items in lists]
    # sorted() keeps the order of those alike
    longest_first = sorted(range(len(lists)), key=lambda place: not slow[place])
    shares = [(next(places[waiting[place]]) / waiting.count(waiting[place]), place) for place in longest_first]
    return [item for _, place in sorted(shares) for item in lists[place]]


def pytest_collection_finish():
    """What the test files have imported stays: each reload of modules would look through all of it for garbage."""
    _keep_what_is_there()


@pytest.fixture(scope="module", autouse=True)
def _looked_through_once():
    """What a test file leaves behind stays likewise: without this a reload costs ten times as much at the end."""
    yield
    _keep_what_is_there()


def _keep_server():
    """A server that a test or a file leaves active, with its profile, isn't that of the next one."""
    with keeping_server():
        yield


_of_file = pytest.fixture(scope="module", autouse=True)(_keep_server)
_of_test = pytest.fixture(autouse=True)(_keep_server)


def _keep_what_is_there():
    gc.collect()
    gc.freeze()


def pytest_sessionfinish():
    """A worker of xdist ends before it comes to what it would do at its exit."""
    forget_tables()


@pytest.fixture(scope="session", autouse=True)
def _unsynced():
    """Files of tests in this process don't need to survive a power cut; 5 ms each."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("fsync", "fdatasync"):
            patch.setattr(os, name, lambda _: None)
        yield


@pytest.fixture(scope="session")
def kind(request):
    """A kind of database that this machine has."""
    kind = getattr(request, "param", "sqlite")
    if reason := _why_unavailable(kind):
        pytest.skip(reason)
    return kind


@pytest.fixture(scope="module")
def server(kind, tmp_path_factory):
    """The native modules in the profile `specification`, on the kinds of database of the test; one database a test file."""
    with serving(tmp_path_factory.mktemp(kind), kind) as served:
        yield served


@pytest.fixture(scope="module")
def old_server(kind, tmp_path_factory):
    """The same in the profile `dolibarr16`. Not to be mixed with `server` in one file."""
    with serving(tmp_path_factory.mktemp(kind), kind, profile_name="dolibarr16") as served:
        yield served


@pytest.fixture(scope="module")
def sample_server(tmp_path_factory):
    """The native modules and those of `tests/samples/modules`, on SQLite."""
    with serving(tmp_path_factory.mktemp("sample"), modules=str(SAMPLES / "modules")) as served:
        yield served


@pytest.fixture(scope="module")
def admin(server):
    """An administrator's client of `server`."""
    return server.client()


@pytest.fixture
def serve(tmp_path):
    """Start a server with settings of one's own: ``serve(modules=..., profile_name=...)``; SQLite unless `kind` says."""
    with ExitStack() as servers:
        yield lambda kind="sqlite", **options: servers.enter_context(serving(tmp_path, kind, **options))


@pytest.fixture
def seen(record_property):
    """``seen("503 for 1.6 s")`` reports the observed result of a fault, with numbers; `make faults` prints it."""
    return lambda words: record_property("seen", words)


@pytest.fixture
def folder(tmp_path):
    """A module folder outside of the tree, empty."""
    made = tmp_path / "outside"
    made.mkdir()
    return made


@pytest.fixture
def without_natives(request, monkeypatch, tmp_path):
    """Only the modules of the test, unless it is marked `natives`: loading the native files takes a quarter of a second,
    in another process several."""
    if request.node.get_closest_marker("natives"):
        return
    (tmp_path / "natives").mkdir()
    monkeypatch.setattr(sys.modules["core.common.settings"], "NATIVE_MODULES", tmp_path / "natives")


@pytest.fixture
def loyalty(tmp_path):
    """A module folder with the sample `loyalty` alone, which needs no native module."""
    shutil.copytree(SAMPLES / "modules/loyalty", tmp_path / "samples/loyalty")
    return tmp_path / "samples"


@pytest.fixture
def write(folder):
    """Write a file below `folder`: ``write("talk/class/api_words.py", text)``."""

    def put(path, text):
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        # In one step: whoever looks meanwhile sees no empty file
        part = file.with_name(f"{file.name}.part")
        part.write_text(text)
        part.replace(file)
        return file

    return put


@pytest.fixture
def constant(admin):
    """``constant(name, value)`` sets a constant until the end of the test."""
    with ExitStack() as constants:
        yield lambda name, value: constants.enter_context(testing.constant(admin, name, value))


@pytest.fixture
def extrafield(admin):
    """``extrafield(element, name, type="int")`` defines an extra field until the end of the test."""
    with ExitStack() as fields:
        yield lambda element, name, **definition: fields.enter_context(
            testing.extra_field(admin, element, name, **definition)
        )
