"""What a method changes of its process is put back, and the log has which method it was."""

import contextlib
import locale
import logging
import os
import signal
import socket
import sys
import threading

import pytest

from core.common import process_state, repeated_failures
from core.common.process_state import LATEST_SECONDS, ProcessState

#: a locale other than C that any system has
OTHER_LOCALE = "C.UTF-8"


def values():
    """What the process has now, by the system's own functions."""
    return (
        os.getcwd(),
        [locale.setlocale(each) for each in (locale.LC_CTYPE, locale.LC_NUMERIC, locale.LC_TIME, locale.LC_COLLATE)],
        logging.root.manager.disable,
        sys.getrecursionlimit(),
        socket.getdefaulttimeout(),
        signal.getsignal(signal.SIGUSR2),
    )


@pytest.fixture
def state(tmp_path, monkeypatch):
    monkeypatch.setattr(repeated_failures, "_logged", {})
    (tmp_path / "start").mkdir()
    before = values(), locale.setlocale(locale.LC_ALL)
    with contextlib.chdir(tmp_path / "start"):
        made = ProcessState()
        made.start()
        yield made
    locale.setlocale(locale.LC_ALL, before[1])
    logging.disable(before[0][2])
    sys.setrecursionlimit(before[0][3])
    socket.setdefaulttimeout(before[0][4])
    signal.signal(signal.SIGUSR2, before[0][5])
    assert values() == before[0]


@pytest.fixture
def clock(monkeypatch):
    told = [100.0]
    monkeypatch.setattr(process_state.time, "monotonic", lambda: told[0])
    return told


def move(tmp_path):
    os.chdir("/")


def move_and_rename(tmp_path):
    os.chdir("..")
    (tmp_path / "start").rename(tmp_path / "renamed")


CHANGES = {
    "folder": (move, "the working folder"),
    "locale": (lambda path: locale.setlocale(locale.LC_TIME, OTHER_LOCALE), "the locale"),
    "logging": (lambda path: logging.disable(logging.CRITICAL), "logging.disable"),
    "recursion": (lambda path: sys.setrecursionlimit(5000), "the recursion limit"),
    "sockets": (lambda path: socket.setdefaulttimeout(0.5), "the default timeout of sockets"),
    "signals": (lambda path: signal.signal(signal.SIGUSR2, signal.SIG_IGN), "signal handlers"),
}


@pytest.mark.parametrize("which", CHANGES)
def test_each_change_is_put_back_and_told(state, tmp_path, which, caplog):
    locale.setlocale(locale.LC_TIME, "C")
    state.start()
    before = values()
    change, name = CHANGES[which]
    state.begin("notes.py")
    change(tmp_path)
    state.end()
    assert values() != before
    state.compare()
    assert values() == before
    told = [each for each in caplog.messages if "has changed" in each]
    assert told == [f"a method has changed {name}, which the whole process shares; put back. It ran in: notes.py"]
    # Once
    state.compare()
    assert [each for each in caplog.messages if "has changed" in each] == told


def test_a_folder_that_was_renamed_is_found_again(state, tmp_path):
    state.begin("notes.py")
    move_and_rename(tmp_path)
    state.end()
    state.compare()
    assert os.getcwd() == str(tmp_path / "renamed")


def test_all_that_ran_since_are_listed(state, caplog):
    for name in ("b", "a", "b"):
        state.begin(name)
        state.end()
    os.chdir("/")
    state.compare()
    assert caplog.messages[-1].endswith("It ran in: a, b")
    # What ran before the last comparison did nothing
    state.begin("c")
    os.chdir("/")
    state.end()
    state.compare()
    assert caplog.messages[-1].endswith("It ran in: c")


def test_what_a_method_puts_back_itself_is_no_news(state, caplog, clock):
    state.begin("a")
    with contextlib.chdir("/"):
        state.compare()
        clock[0] += LATEST_SECONDS - 0.1
        state.compare()
        # A method that begins meanwhile doesn't wait
        assert state._gate is None
        assert os.getcwd() == "/"
    clock[0] += LATEST_SECONDS
    state.compare()
    assert caplog.messages == []


def test_methods_that_overlap_are_held_up_until_the_state_is_put_back(state, tmp_path, clock):
    state.begin("long")
    os.chdir("/")
    state.compare()
    clock[0] += LATEST_SECONDS
    state.compare()
    seen = []

    def run():
        state.begin("new")
        seen.append(os.getcwd())
        state.end()

    thread = threading.Thread(target=run)
    thread.start()
    state.compare()
    assert (seen, os.getcwd()) == ([], "/")
    state.end()
    # The new one leaves the place that it has noted at once
    while thread.is_alive():
        state.compare()
        thread.join(0.01)
    assert seen == [str(tmp_path / "start")]


def test_a_method_that_never_ends_holds_nobody_up(state, tmp_path, clock):
    state.begin("job")
    os.chdir("/")
    state.compare()
    clock[0] += LATEST_SECONDS
    state.compare()
    assert state._gate is not None
    clock[0] += LATEST_SECONDS
    state.compare()
    assert state._gate is None
    assert os.getcwd() == str(tmp_path / "start")


def test_handlers_that_cannot_be_put_back_are_told_once(state, caplog):
    signal.signal(signal.SIGUSR2, signal.SIG_IGN)
    for _ in range(2):
        # As in a server, where another thread than the main one compares
        thread = threading.Thread(target=state.compare)
        thread.start()
        thread.join()
    assert len(caplog.messages) == 1
    assert "it can't be put back; restart the server" in caplog.messages[0]
