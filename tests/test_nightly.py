"""`make nightly` and the table of `make coverage`."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests import nightly
from tests.covered import package_of, table
from tests.needed import find_missing
from tests.nightly import PARTS, Part

ROOT = Path(__file__).parent.parent
TESTS = """
import pytest

class TestSome:
    @pytest.mark.parametrize("n", [1, 2, 3])
    def test_n(self, n):
        assert n != 2

def test_all():
    raise KeyError
"""


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """``fake("name", "print(1)")`` makes a part that runs a program of Python."""
    monkeypatch.setattr(nightly, "find_missing", lambda: {"redis": "no Redis here", "mysql": ""})

    def make(name, program, seconds=60, needs=()):
        file = tmp_path / f"{name}.py"
        file.write_text(program)
        return Part(name, "", f"{{python}} {file} {{seed}} {{to}}", seconds, needs)

    return make


@pytest.fixture
def rows(tmp_path, capsys):
    """Run parts; return the exit code and each row of the table."""

    def run(parts, *arguments):
        code = nightly.main(list(arguments), parts, tmp_path)
        head, columns, *lines = capsys.readouterr().out.splitlines()
        assert columns.split() == ["part", "commit", "seconds", "seed", "what", "failed"]
        found = [line.split(maxsplit=4) for line in lines]
        assert {row[3] for row in found} == {head.removeprefix("seed ")}
        return code, {row[0]: row[4] for row in found}

    return run


def test_parts_that_fail_do_not_stop_the_others(fake, rows, tmp_path):
    broken = "import sys; open(sys.argv[2] + '.failed', 'w').write('a\\nb c\\n'); sys.exit(1)"
    parts = [fake("bad", "raise SystemExit(3)"), fake("broken", broken), fake("good", "")]
    assert rows(parts) == (
        1,
        {
            "bad": f"1: exit code 3; output: {tmp_path}/bad.txt",
            "broken": f"2: a, b c; output: {tmp_path}/broken.txt",
            "good": "nothing",
        },
    )
    assert rows(parts, "good") == (0, {"good": "nothing"})


def test_failures_of_an_earlier_run_are_forgotten(fake, rows, tmp_path):
    (tmp_path / "good.failed").write_text("old\n")
    (tmp_path / "good.xml").write_text("<testcase file='old'><failure/></testcase>")
    assert rows([fake("good", "")]) == (0, {"good": "nothing"})


def test_a_command_gets_the_seed_and_further_arguments(fake, rows, tmp_path):
    assert rows([fake("good", "import sys; print(sys.argv[1:])")], "--seed", "123", "--", "-k", "x") == (
        0,
        {"good": "nothing"},
    )
    assert (tmp_path / "good.txt").read_text() == f"['123', '{tmp_path}/good', '-k', 'x']\n"


def test_a_missing_server_is_a_failure(fake, rows, tmp_path):
    parts = [fake("good", "", needs=("mysql", "redis"))]
    assert rows(parts) == (1, {"good": f"1: missing redis: no Redis here; output: {tmp_path}/good.txt"})


def test_a_part_has_a_limit(fake, rows, tmp_path):
    parts = [fake("long", "import time; time.sleep(600)", seconds=0.25)]
    assert rows(parts) == (1, {"long": f"1: stopped after 0.5 s; output: {tmp_path}/long.txt"})


def test_what_a_part_has_started_is_stopped_with_it(tmp_path, monkeypatch):
    monkeypatch.setattr(nightly, "GRACE_SECONDS", 0.1)
    inner = (
        "import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN); print('ready', flush=True); time.sleep(600)"
    )
    outer = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {inner!r}], start_new_session=True)"
    deaf = f"import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); {outer}"
    process = subprocess.Popen([sys.executable, "-c", deaf], stdout=subprocess.PIPE, start_new_session=True)
    assert process.stdout.readline() == b"ready\n"
    nightly.stop(process)
    # The other end is closed
    assert process.stdout.read() == b""
    process.stdout.close()
    assert process.returncode == -9


def test_tests_that_failed_are_read_from_the_report(tmp_path):
    (tmp_path / "test_some.py").write_text(TESTS)
    (tmp_path / "test_unread.py").write_text("import nothing_of_this_kind")
    command = "-m pytest -p no:cacheprovider -c /dev/null --import-mode=importlib -o junit_family=xunit1 --junitxml=report.xml"
    command += " --continue-on-collection-errors --rootdir=. ."
    assert subprocess.run([sys.executable, *command.split()], cwd=tmp_path, capture_output=True).returncode == 1
    found = nightly.failed_tests(tmp_path / "report.xml")
    assert sorted(found) == ["test_some.py::TestSome::test_n[2]", "test_some.py::test_all", "test_unread.py"]
    assert nightly.failed_tests(tmp_path / "none.xml") == []


def test_the_summary_is_short():
    assert nightly.summary([*"abcde"]) == "5: a, b, c, d, e"
    assert nightly.summary([*"abcdefg"]) == "7: a, b, c, d, e, ..."


def test_the_parts_take_75_minutes_and_are_documented():
    assert sum(part.seconds for part in PARTS) <= 75 * 60
    assert {need for part in PARTS for need in part.needs} <= {*find_missing()}
    page = (ROOT / "core/README.md").read_text()
    assert [part.name for part in PARTS if f"`{part.name}`" not in page] == []


def test_coverage_is_summed_by_package():
    assert [package_of(file) for file in ("core/crud.py", "core/web/a.py", "explorer/x/b.py", "modules/banks/class/c.py")] == [
        "core", "core/web", "explorer", "modules/banks",
    ]  # fmt: skip

    def measured(*numbers):
        names = ("num_statements", "covered_lines", "num_branches", "covered_branches")
        return {"summary": dict(zip(names, numbers, strict=True))}

    files = {
        "core/web/a.py": measured(6, 3, 0, 0),
        "core/web/b.py": measured(2, 2, 8, 2),
        "explorer/c.py": measured(2, 0, 0, 0),
    }
    assert [line.split() for line in table(files)[1:]] == [
        ["core/web", "8", "62.5", "8", "25.0"],
        ["explorer", "2", "0.0", "0", "-"],
        ["total", "10", "50.0", "8", "25.0"],
    ]
