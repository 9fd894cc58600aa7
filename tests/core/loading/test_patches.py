"""What a module leaves behind when it is imported: changes of other modules, and threads."""

import logging
import sys

import click.testing
import pytest

from core.__main__ import main
from core.contract.catalogue import catalogue

pytestmark = pytest.mark.usefixtures("without_natives")

WORDS = """
LIMIT = 1


class Speaker:
    def word(self):
        return "own"


class Loud(Speaker):
    volume = 3


speaker = Speaker()
"""
API = """
from .. import words


class Words:
    ''':access: public'''

    def index(self) -> list:
        return [words.Speaker().word(), words.speaker.word(), words.LIMIT]
"""
PATCH = """
from modules.words import words
{patch}
"""


@pytest.mark.parametrize(
    ("patch", "name", "said"),
    [
        ("words.Speaker.word = lambda self: 'mine'", "words.Speaker.word", ["mine", "mine", 1]),
        ("words.speaker.word = lambda: 'mine'", "words.speaker.word", ["own", "mine", 1]),
        ("words.LIMIT = 2", "words.LIMIT", ["own", "own", 2]),
        ("from modules.words.words import Loud\nLoud.__mro__[1].word = lambda self: 'mine'", "words.Speaker.word", ["mine", "mine", 1]),
        ("del words.Loud.volume", "words.Loud.volume", ["own", "own", 1]),
    ],
)  # fmt: skip
def test_a_patched_module_is_loaded_again_when_the_other_one_changes_or_goes(served, write, patch, name, said):
    client = served.client(None)
    write("words/words.py", WORDS)
    write("words/class/api_words.py", API)
    served.server.reloader.check()
    assert client.get("/words") == ["own", "own", 1]
    file = write("zeal/events.py", PATCH.format(patch=patch))
    served.server.reloader.check()
    assert client.get("/words") == said
    assert catalogue().patches == {"zeal": (f"modules.words.{name}",)}
    file.write_text(PATCH.format(patch=""))
    served.server.reloader.check()
    assert client.get("/words") == ["own", "own", 1]
    assert catalogue().patches == {}
    file.write_text(PATCH.format(patch=patch))
    served.server.reloader.check()
    assert client.get("/words") == said
    file.unlink()
    file.parent.rmdir()
    served.server.reloader.check()
    assert client.get("/words") == ["own", "own", 1]


def test_a_module_that_only_uses_another_one_does_not_patch_it(served, write):
    write("words/words.py", WORDS)
    write("words/more.py", "MORE = 1\n")
    write("words/class/api_words.py", API)
    write(
        "zeal/events.py", "from modules.words import more, words\n\n\nclass Own(words.Speaker): ...\n\n\nOwn().word()\n"
    )
    served.server.reloader.check()
    assert catalogue().patches == {}
    before = catalogue().services["words"]
    write("zeal/events.py", "from modules.words import words\n")
    served.server.reloader.check()
    assert catalogue().services["words"] is before


def test_check_lists_what_a_module_changes(write, folder):
    write("words/words.py", WORDS)
    write("words/class/api_words.py", API)
    write("zeal/events.py", PATCH.format(patch="words.LIMIT = 2\nwords.Speaker.word = None"))
    for arguments in ([], [str(folder / "zeal")]):
        environment = {"COMPTOIR_MODULES": str(folder), "COMPTOIR_DATABASE": f"sqlite:///{folder}/never/made.db"}
        result = click.testing.CliRunner().invoke(main, ["check", *arguments], env=environment, catch_exceptions=False)
        assert result.exit_code == 0
        assert "zeal changes modules.words.words.LIMIT, modules.words.words.Speaker.word" in result.output


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
