"""Changes on the disk reach every worker within two seconds, and nobody else notices."""

from __future__ import annotations

import os
import signal
import time

from tests.serving.conftest import Start
from tests.serving.running import Answer, Steady, until

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


def words(word: str, first: str = "") -> str:
    return WORDS.format(word=word, first=first)


def test_a_dropped_file_answers_on_every_worker(start: Start) -> None:
    server = start()
    assert len(server.workers) == 3
    server.everywhere("/words", lambda answer: answer.status == 404)
    server.write(FILE, words("here"))
    server.everywhere("/words", lambda answer: answer.status == 200 and answer.json == "here")


def test_every_change_is_taken_up_and_other_services_do_not_notice(start: Start) -> None:
    server = start()
    steps: list[tuple[str, str | None, int]] = [
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
        time.sleep(0.5)
        for number, (name, text, status) in enumerate(steps):
            expected = text.split('return "')[1][:3] if text and status == 200 else None

            def right(answer: Answer, status: int = status, expected: str | None = expected) -> bool:
                return answer.status == status and (expected is None or answer.json == expected)

            if text is None:
                (server.modules / FILE).unlink()
            else:
                server.write(FILE, text)
            took[f"{number} {name}"] = server.everywhere("/words", right)
            time.sleep(0.3)
    print({name: round(seconds, 2) for name, seconds in took.items()}, steady.answered)
    assert steady.wrong == []
    assert steady.answered > 100


def test_a_file_that_ends_the_process_costs_itself_alone(start: Start) -> None:
    server = start()
    before = server.workers
    server.write(FILE, words("", "import os; os._exit(1)"))
    server.everywhere("/words", lambda answer: answer.status == 501, within=30)
    assert before - server.workers, "a worker was ended, and replaced"
    workers = server.workers
    with Steady(server, key=server.key) as steady:
        time.sleep(1)
    assert steady.wrong == []
    assert server.workers == workers, "none ends any more"
    reason = server.ask("/words", key=server.key).json["error"]["reason"]
    assert "ended the process" in reason
    server.write(FILE, words("mended"))
    server.everywhere("/words", lambda answer: answer.status == 200 and answer.json == "mended")


def test_a_server_starts_over_files_that_end_or_hold_up_the_process(start: Start) -> None:
    server = start(workers=1, timeout=3, wait=False)
    server.stop()
    server.write("hanging/class/api_hanging.py", "while True: pass")
    server.write("killer/class/api_killer.py", "import os; os._exit(0)")
    again = start(workers=1, timeout=3)
    for name in ("hanging", "killer"):
        assert f"{name}/class/api_{name}.py ended or held up the process" in again.output
        assert again.ask(f"/{name}").status == 501
    assert again.ask("/who").status == 200


def test_a_worker_whose_import_never_ends_is_replaced(start: Start) -> None:
    server = start(workers=2, timeout=3)
    before = server.workers
    server.write(FILE, words("", "import time; time.sleep(1e6)"))
    server.everywhere("/words", lambda answer: answer.status == 501, within=60)
    assert before - server.workers
    assert "without an end" in server.output
    server.write(FILE, words("mended"))
    server.everywhere("/words", lambda answer: answer.status == 200)


def test_a_worker_that_is_killed_is_replaced(start: Start) -> None:
    server = start()
    killed = min(server.workers)
    os.kill(killed, signal.SIGKILL)
    until(lambda: len(server.workers - {killed}) == 3)
    with Steady(server, key=server.key) as steady:
        time.sleep(1)
    assert steady.wrong == []
    server.write(FILE, words("here"))
    server.everywhere("/words", lambda answer: answer.status == 200)
