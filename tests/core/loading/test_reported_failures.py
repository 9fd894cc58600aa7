"""A file that cannot be loaded is reported: one line in the log, and a degraded module."""

import logging

import pytest

pytestmark = pytest.mark.usefixtures("without_natives")

ASKS = """
class {name}:
    def index(self) -> str:
        '''Read a word.

        :permission: {right}
        '''
        return "word"
"""
GOOD = ASKS.format(name="Good", right="read")


def warnings(caplog):
    told = [each.getMessage() for each in caplog.records if each.name == "comptoir.loader"]
    assert all("\n" not in each for each in told)
    caplog.clear()
    return told


def test_every_failure_is_one_line_as_long_as_it_stays_the_same(served, write, caplog):
    """Those without a traceback, too: they were in the explorer only."""
    caplog.set_level(logging.WARNING, "comptoir.loader")
    expected = {
        write(
            "right/class/api_right.py", ASKS.format(name="Right", right="good.fly")
        ): "index: unknown permission good.fly",
        write("twice/class/api_good.py", GOOD): "/good is already served by",
        write("heard/events.py", "def after_nobody_created(record): ...\n"): "unknown service nobody",
        write("early/class/api_early.py", "1 / 0\n"): ":1 can't be loaded: ZeroDivisionError: division by zero",
        write("split/class/api_split.py", "raise ValueError('two\\nlines')\n"): "ValueError: two lines",
    }
    write("good/class/api_good.py", GOOD)
    open_file = write("open/class/api_open.py", GOOD.replace("Good", "Open"))
    open_file.parents[1].chmod(0o777)
    expected[open_file] = "chmod"
    served.server.reloader.check()
    told = warnings(caplog)
    assert len(told) == len(expected)
    for file, reason in expected.items():
        (line,) = [each for each in told if each.startswith(str(file))]
        assert " can't be loaded: " in line
        assert reason in line
    # Another file changes, and its module is loaded again
    write("other/class/api_other.py", GOOD.replace("Good", "Other"))
    write("early/class/notes.py", "")
    served.server.reloader.check()
    assert warnings(caplog) == []
    write("early/class/api_early.py", "[][1]\n")
    served.server.reloader.check()
    assert [each.partition(": ")[2] for each in warnings(caplog)] == ["IndexError: list index out of range"]
    # Fixed, and broken again
    for text, lines in (("", 1), ("[][1]\n", 1)):
        write("early/class/api_early.py", text)
        served.server.reloader.check()
        assert len(warnings(caplog)) == lines


def test_a_module_with_a_failure_is_degraded(served, write, folder, monkeypatch):
    client = served.client(None)
    events = write("heard/events.py", "def after_nobody_created(record): ...\n")
    write("good/class/api_good.py", GOOD)
    served.server.reloader.check()
    monkeypatch.setattr("core.web.builtin_services.KEPT", 0.0)
    ready = client.get("/health/ready")
    assert (ready["ready"], ready["parts"]["modules"], ready["degraded"]) == (True, "degraded", ["heard"])
    assert str(folder) not in str(ready)
    events.unlink()
    served.server.reloader.check()
    ready = client.get("/health/ready")
    assert (ready["parts"]["modules"], ready["degraded"]) == ("ok", [])
