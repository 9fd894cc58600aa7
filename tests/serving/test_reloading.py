"""Changes on the disk reach every worker, and other services do not notice."""

import os
import signal
import time

import pytest

from tests.serving.running import Steady, wait_until

FILE = "words/class/api_words.py"

WORDS = '''
{first}


class Words:
    """Say a word.

    :access: public
    """

    def index(self) -> str:
        """The word."""
        return "{word}"
'''


def words(word, first=""):
    return WORDS.format(word=word, first=first)


@pytest.fixture(autouse=True)
def no_words(request):
    """What a test has dropped is gone on every worker before the next one begins."""
    yield
    if "server" in request.fixturenames:
        server = request.getfixturevalue("server")
        (server.modules / FILE).unlink(missing_ok=True)
        server.everywhere("/words", status=404)


def test_a_dropped_file_answers_on_every_worker(server):
    assert len(server.workers) == 3
    server.everywhere("/words", status=404)
    server.write(FILE, words("here"))
    server.everywhere("/words", lambda answer: answer.status == 200 and answer.json == "here")


@pytest.mark.fault(
    "A module file is edited, broken, fixed and removed under load",
    "every worker follows; other services are unaffected",
)
def test_every_change_is_taken_up_and_other_services_do_not_notice(server, seen):
    steps = [
        ("a new file", words("one"), 200),
        ("an edit of equal length", words("two"), 200),
        ("a syntax error", words("two", "def ("), 501),
        ("mended", words("six"), 200),
        ("an import that fails", words("six", "import there_is_no_such_module"), 501),
        ("mended", words("ten"), 200),
        ("sys.exit", words("ten", "import sys; sys.exit(3)"), 501),
        ("mended", words("end"), 200),
        ("removed", None, 404),
    ]
    took = {}
    with Steady(server, key=server.key) as steady:
        for number, (name, text, status) in enumerate(steps):
            expected = text.split('return "')[1][:3] if text and status == 200 else None

            def right(answer, status=status, expected=expected):
                return answer.status == status and (expected is None or answer.json == expected)

            if text is None:
                (server.modules / FILE).unlink()
            else:
                server.write(FILE, text)
            took[f"{number} {name}"] = server.everywhere("/words", right)
            steady.go_on()
    longest = max(took, key=lambda each: took[each])
    seen(
        f"{len(took)} changes, the slowest ({longest.partition(' ')[2]}) after {took[longest]:.2f} s; "
        f"{steady.answered} other requests, {len(steady.wrong)} wrong"
    )
    assert steady.wrong == []


#: an exit, a crash, an altered process, a hang at an import → the reason in the report; `core/loading/test_import_guard.py` has more
DEADLY = {
    "import os; os._exit(0)": "ended the process (os._exit(0)",
    "import ctypes; ctypes.string_at(0)": "crashed the process (SIGSEGV)",
    "import os; os.close(2)": "closes files",
    "import signal, time; signal.pthread_sigmask(signal.SIG_SETMASK, range(1, 65)); time.sleep(1e6)": "importing the file took more than",
}


@pytest.mark.fault(
    "Module files that exit, block or corrupt the process are dropped", "only their own services fail; no worker ends"
)
def test_a_file_that_ends_the_process_costs_itself_alone(server, seen):
    key = server.key
    workers = server.workers
    said = {}
    with Steady(server, key=key) as steady:
        for text in DEADLY:
            server.write(FILE, words("", text))
            server.everywhere("/words", status=501)
            said[text] = server.ask("/words", key=key).json["error"]["cause"]
            server.write(FILE, words("mended"))
            server.everywhere("/words", lambda answer: answer.status == 200 and answer.json == "mended")
    ended = len(workers - server.workers)
    seen(f"{len(said)} × 501, {ended} workers ended; {steady.answered} other requests, {len(steady.wrong)} wrong")
    assert {text: expected in said[text] for text, expected in DEADLY.items()} == dict.fromkeys(DEADLY, True), said
    assert steady.wrong == []
    assert server.workers == workers, "no worker imports such a file"


@pytest.mark.fault("A worker is killed", "another one replaces it and loads new module files")
def test_a_worker_that_is_killed_is_replaced(server, seen):
    killed = min(server.workers)
    begun = time.monotonic()
    os.kill(killed, signal.SIGKILL)
    wait_until(lambda: len(server.workers - {killed}) == 3)
    took = time.monotonic() - begun
    with Steady(server, key=server.key) as steady:
        steady.go_on()
    seen(f"three workers again after {took:.1f} s, then {steady.answered} requests, {len(steady.wrong)} wrong")
    assert steady.wrong == []
    server.write(FILE, words("here"))
    server.everywhere("/words")


@pytest.mark.fault(
    "The module folder vanishes, and a worker is killed",
    "the modules stay; no new worker serves without the newest ones",
)
def test_a_module_folder_that_vanishes_leaves_its_modules(server, seen):
    server.write(FILE, words("here"))
    server.everywhere("/words")
    away = server.modules.rename(server.folder / "away")
    named = {"who", "words"}
    server.everywhere("/health/ready", lambda answer: named <= {*answer.json["degraded"]})
    os.kill(server.ask("/who").json, signal.SIGKILL)
    # The master knows only the modules of the start
    wait_until(lambda: "a new process can't serve" in server.output)
    answers = [server.ask("/words").status for _ in range(20)]
    away.rename(server.modules)
    server.everywhere("/words")
    server.everywhere("/health/ready", lambda answer: not named & {*answer.json["degraded"]})
    seen(f"{len(answers)} requests meanwhile: {sorted(set(answers))}")
    assert set(answers) == {200}
