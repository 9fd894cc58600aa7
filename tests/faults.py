"""The output of `make faults`: each fault and the expected result when it starts, the observed result when it ends.

A test of a fault is marked ``@pytest.mark.fault("A worker is killed", "another one replaces it")`` and reports its
result with ``seen("after 0.3 s")``.
"""

import textwrap

import pytest

_INDENT = " " * 9
#: outcome of a test → the word before its result, and the colour
_ENDS = {
    "passed": ("observed", {"green": True}),
    "failed": ("NOT AS EXPECTED", {"red": True}),
    "skipped": ("skipped", {"yellow": True}),
}


@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    """Replace pytest's dots."""
    config.pluginmanager.register(_Printer(config.get_terminal_writer()))


class _Printer:
    def __init__(self, writer):
        self._writer = writer
        # Only a terminal has a width
        self._width = writer.fullwidth if writer.hasmarkup else 160
        #: test → fault and expected result
        self._faults = {}
        self._begun = 0
        self._seconds = 0.0
        self._outcome, self._words = "passed", list[str]()

    def pytest_collection_finish(self, session):
        for item in session.items:
            marker = item.get_closest_marker("fault")
            if marker is not None:
                what, expected = marker.args
                of = f" ({item.callspec.id})" if hasattr(item, "callspec") else ""
                self._faults[item.nodeid] = f"{what}{of}: {expected}"

    def pytest_runtest_logstart(self, nodeid):
        self._begun += 1
        self._seconds, self._outcome, self._words = 0.0, "passed", []
        self._print(f"{self._begun:>3} of {len(self._faults):<3}" + self._faults.get(nodeid, nodeid))

    def pytest_runtest_logreport(self, report):
        self._seconds += report.duration
        if not report.passed:
            self._outcome = report.outcome
            self._words.append(_reason(report))
        if report.when == "teardown":
            self._words += [str(value) for name, value in report.user_properties if name == "seen"]
            said, colour = _ENDS[self._outcome]
            words = "; ".join(self._words) or "as expected"
            self._print(f"{_INDENT}{said} in {self._seconds:.1f} s: {words}", **colour)

    @pytest.hookimpl(wrapper=True)
    def pytest_report_teststatus(self):
        category, _, _ = yield
        return category, "", ""

    def _print(self, text, **colour):
        for line in textwrap.wrap(text, self._width, subsequent_indent=_INDENT):
            self._writer.line(line, **colour)
        self._writer.flush()


def _reason(report):
    """Return why a test failed or was skipped, on one line; pytest prints the whole report at the end."""
    told = report.longrepr
    if isinstance(told, tuple):
        return str(told[2]).removeprefix("Skipped: ")
    crash = getattr(told, "reprcrash", None)
    return str(crash.message if crash else told).partition("\n")[0][:300]
