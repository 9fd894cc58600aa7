"""Outside modules are loaded again together; native modules are loaded once."""

import logging
import subprocess
import sys
from pathlib import Path

import pytest

from core.common import settings
from core.contract.catalogue import catalogue

pytestmark = pytest.mark.usefixtures("without_natives")

WORDS = """
LIMIT = 1


class Speaker:
    def word(self):
        return "own"
"""
API = """
from .. import words


class Words:
    ''':access: public'''

    def index(self) -> list:
        return [words.Speaker().word(), words.LIMIT]
"""
USER = """
from modules.words.words import Speaker


class Users:
    ''':access: public'''

    def index(self) -> str:
        return Speaker().word() + "{}"
"""


@pytest.fixture
def client(served, write):
    """A server with two modules, one of which imports the other."""
    write("words/words.py", WORDS)
    write("words/class/api_words.py", API)
    write("users/class/api_users.py", USER.format("!"))
    served.server.reloader.check()
    client = served.client(None)
    assert (client.get("/words"), client.get("/users")) == (["own", 1], "own!")
    return client


def check(served):
    served.server.reloader.check()
    return served.client(None).get("/health/ready")["degraded"]


def test_a_changed_module_is_loaded_again_with_those_that_import_it(served, client, write):
    write("words/words.py", WORDS.replace("own", "new"))
    assert check(served) == []
    assert (client.get("/words"), client.get("/users")) == (["new", 1], "new!")


def test_what_a_module_changes_in_another_one_is_undone_when_it_goes(served, client, write):
    file = write(
        "zeal/events.py", "from modules.words import words\nwords.LIMIT = 2\nwords.Speaker.word = lambda self: 'mine'\n"
    )
    assert check(served) == []
    assert (client.get("/words"), client.get("/users")) == (["mine", 2], "mine!")
    file.write_text("")
    assert check(served) == []
    assert (client.get("/words"), client.get("/users")) == (["own", 1], "own!")


def test_an_unchanged_module_that_fails_now_stays_as_it_was(served, client, write, caplog):
    write("words/words.py", WORDS.replace("Speaker", "Teller"))
    assert check(served) == ["users"]
    # Of the module that changed, only the new state counts
    client.get("/words", status=500)
    assert client.get("/users") == "own!"
    failed = {each.module: each for each in catalogue().failures if each.stays}
    assert failed["users"].reason == (
        "ImportError: cannot import name 'Speaker' from 'modules.words.words' "
        f"({served.settings.module_folders[1]}/words/words.py); the module stays as it was loaded"
    )
    # It is tried again with each change, and stays although the module that it uses is gone
    write("words/class/api_words.py", "")
    assert check(served) == ["users", "words"]
    assert client.get("/users") == "own!"
    # Once it has changed itself, it fails like any other
    write("users/class/api_users.py", USER.format("?"))
    assert check(served) == ["users", "words"]
    client.get("/users", status=501)
    write("words/words.py", WORDS)
    write("words/class/api_words.py", API)
    assert check(served) == []
    assert client.get("/users") == "own?"


def test_a_native_module_is_loaded_once_and_its_change_is_reported(served, client, write, monkeypatch, folder):
    file = write("words/words.py", WORDS.replace("own", "new"))
    write("users/class/api_users.py", USER.format("?"))
    monkeypatch.setattr(settings, "NATIVE_MODULES", folder)
    monkeypatch.setattr(settings, "NATIVE_NAMES", {"words"})
    # A changed native module doesn't stop the server
    assert check(served) == ["words"]
    assert (client.get("/words"), client.get("/users")) == (["own", 1], "own?")
    (failed,) = catalogue().failures
    assert failed.reason == (
        "its files have changed, and a native module is loaded once; the module stays as it was loaded; "
        "restart the server, or send its master SIGUSR2"
    )
    file.write_text(WORDS)
    # The time of the file counts, not its text
    assert check(served) == ["words"]
    # What is installed has changed
    served.server.reloader._environment = ()
    assert check(served) == ["words"]
    assert client.get("/words") == ["own", 1]


def test_a_native_module_that_others_may_write_meanwhile_can_still_be_imported(
    served, client, write, monkeypatch, folder
):
    monkeypatch.setattr(settings, "NATIVE_MODULES", folder)
    monkeypatch.setattr(settings, "NATIVE_NAMES", {"words"})
    (folder / "words").chmod(0o777)
    write("users/class/api_users.py", USER.format("?"))
    assert check(served) == ["words"]
    assert (client.get("/words"), client.get("/users")) == (["own", 1], "own?")
    (folder / "words").chmod(0o755)
    assert check(served) == []


def test_other_threads_use_the_former_models_while_modules_are_loaded_again(served, write):
    write(
        "saddlery/models.py",
        "from peewee import AutoField\nfrom core import Model\nclass Saddle(Model):\n    id = AutoField()\n",
    )
    write(
        "asks/events.py",
        "import threading\nfrom core.storage.model import Model, all_models\nseen = []\n"
        "def ask(): seen.extend(each.__name__ for each in all_models(Model) if each.__name__ == 'Saddle')\n"
        "thread = threading.Thread(target=ask)\nthread.start()\nthread.join()\n",
    )
    served.server.reloader.check()
    # The first time, `saddlery` wasn't there yet
    assert sys.modules["modules.asks.events"].seen == []
    write("saddlery/notes.py", "")
    served.server.reloader.check()
    assert sys.modules["modules.asks.events"].seen == ["Saddle"]


def test_the_native_modules_are_those_that_the_project_ships():
    root = Path(settings.__file__).parents[2]
    listed = subprocess.run(["git", "ls-files", "modules"], cwd=root, capture_output=True, text=True, check=True).stdout
    assert {each.split("/")[1] for each in listed.split() if each.count("/") > 1} == settings.NATIVE_NAMES


@pytest.mark.parametrize("goes", [True, False])
def test_a_thread_that_runs_old_code_is_logged_once(served, write, caplog, goes):
    text = "import threading\nstop = threading.Event()\nthreading.Thread(target=stop.wait, name='ticker', daemon=True).start()\n"
    file = write("clock/events.py", text)
    served.server.reloader.check()
    stop = sys.modules["modules.clock.events"].stop
    assert "ticker" not in caplog.text
    with caplog.at_level(logging.WARNING, "comptoir.loader"):
        if goes:
            file.unlink()
        else:
            file.write_text("")
        served.server.reloader.check()
        expected = "the thread ticker, which the module clock started when it was imported, still runs the old code"
        assert caplog.text.count(expected) == 1
        stop.set()
        write("clock/events.py", "# again\n")
        served.server.reloader.check()
    assert caplog.text.count("ticker") == 1
