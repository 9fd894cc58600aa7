"""`comptoir check`: what became of each file, whatever the file does."""

import io
import json
import os
import pickle
from pathlib import Path

import click.testing
import pytest

from core.__main__ import main
from tests.conftest import SAMPLES

pytestmark = pytest.mark.slow

GOOD = '''
class {name}:
    """Say a word.

    :access: public
    """

    def index(self) -> str:
        """The word."""
        return "word"
'''


@pytest.fixture
def check(folder, loyalty, tmp_path):
    """Run the command; the database of the settings cannot even be made."""

    def run(*arguments, code, modules=None):
        environment = dict.fromkeys(name for name in os.environ if name.startswith("COMPTOIR_"))
        environment["COMPTOIR_MODULES"] = f"{folder}:{loyalty}" if modules is None else modules
        environment["COMPTOIR_DATABASE"] = f"sqlite:///{tmp_path}/never/made.db"
        result = click.testing.CliRunner().invoke(main, ["check", *arguments], env=environment, catch_exceptions=False)
        assert result.exit_code == code, result.output
        assert not (tmp_path / "never").exists()
        return result

    return run


@pytest.fixture
def found(check):
    """What became of each file, by the file's name."""

    def run(*arguments, code=1, **options):
        told = json.loads(check(*arguments, "--json", code=code, **options).stdout)
        assert sum(told[state] for state in ("loaded", "failed", "skipped")) == len(told["files"])
        return {Path(each["file"]).name: each for each in told["files"]}

    return run


def test_the_samples_load_with_their_routes(found, monkeypatch):
    named = set()

    class Noting(pickle.Unpickler):
        def find_class(self, module, name):
            named.add(module.partition(".")[0])
            return super().find_class(module, name)

    monkeypatch.setattr(pickle, "loads", lambda data: Noting(io.BytesIO(data)).load())
    files = found(str(SAMPLES / "modules"), code=0, modules=str(SAMPLES / "modules"))
    # What a file gives is read without importing the file here
    assert "core" in named
    assert "modules" not in named
    cards = files["api_loyaltycards.py"]
    assert cards["state"] == "loaded"
    assert cards["service"] == "loyaltycards"
    assert [(each["verb"], each["path"]) for each in cards["routes"]] == [
        ("GET", "/loyaltycards"),
        ("GET", "/loyaltycards/{id}"),
        ("POST", "/loyaltycards"),
        ("POST", "/loyaltycards/{id}/spend"),
        ("GET", "/loyaltycards/{id}/history"),
        ("GET", "/loyaltycards/sums"),
        ("POST", "/loyaltycards/batch"),
    ]


@pytest.mark.usefixtures("without_natives")
def test_a_person_reads_the_reason_and_the_own_lines(check, write, folder):
    write("good/class/api_good.py", GOOD.format(name="Good"))
    write("good/class/notes.py", "")
    write("bad/class/api_bad.py", "def early():\n    return 1 / 0\n\n\nearly()")
    output = check(str(folder), code=1).output
    assert "failed" in output
    assert "ZeroDivisionError" in output
    assert "return 1 / 0" in output
    assert "GET    /good" in output
    assert "notes.py" in output
    assert "expected a name such as api_<module><object>.py, unless other files import it" in output
    assert "1 loaded, 1 failed, 1 skipped" in output


@pytest.mark.usefixtures("without_natives")
def test_threads_and_printing_do_not_matter(found, write):
    text = "import threading\n\nprint('hello')\nthreading.Thread(target=threading.Event().wait).start()\n"
    write("thread/class/api_thread.py", text + GOOD.format(name="Thread"))
    assert found(code=0)["api_thread.py"]["state"] == "loaded"


@pytest.mark.usefixtures("without_natives")
def test_rights_and_paths_of_other_files_count(found, write):
    asking = GOOD.replace(":access: public", ":permission: {right}")
    write("known/class/api_known.py", asking.format(name="Known", right="loyaltycards.spend"))
    write("unknown/class/api_unknown.py", asking.format(name="Unknown", right="loyaltycards.fly"))
    write("zwei/class/api_known.py", GOOD.format(name="Known"))
    told = json.loads(json.dumps(found()))
    assert told["api_unknown.py"]["state"] == "failed"
    assert "loyaltycards.fly" in told["api_unknown.py"]["reason"]
    assert "/known is already served by" in told["api_known.py"]["reason"]


@pytest.mark.usefixtures("without_natives")
def test_events_that_fail_are_told_once(check, write, folder):
    write("eventful/class/api_one.py", GOOD.format(name="One"))
    write("eventful/class/api_two.py", GOOD.format(name="Two"))
    write("eventful/events.py", "import there_is_no_such_module")
    told = json.loads(check(str(folder), "--json", code=1).stdout)
    assert (told["loaded"], told["failed"]) == (2, 1)


@pytest.mark.usefixtures("without_natives")
def test_models_are_loaded_without_a_database(found, write):
    write("broken/models.py", "1 / 0")
    write("broken/class/api_broken.py", "from .. import models\n" + GOOD.format(name="Broken"))
    assert "ZeroDivisionError" in found()["api_broken.py"]["reason"]


@pytest.mark.usefixtures("without_natives")
def test_one_module_is_checked_alone(found, write, folder):
    write("good/class/api_good.py", GOOD.format(name="Good"))
    write("bad/class/api_bad.py", "1 / 0")
    assert set(found(str(folder / "good"), code=0)) == {"api_good.py"}
    assert set(found(str(folder / "good"), code=0, modules="")) == {"api_good.py"}
    assert set(found(str(folder), code=1, modules="")) == {"api_good.py", "api_bad.py"}


@pytest.mark.usefixtures("without_natives")
@pytest.mark.parametrize("file", ["jobs.py", "events.py", "module.toml"])
def test_a_module_without_a_service_is_checked_alone(found, write, folder, file):
    write(f"quiet/{file}", "" if file == "module.toml" else "NOTHING = 1\n")
    assert set(found(str(folder / "quiet"), code=0, modules="")) == {file}
    write(f"quiet/{file}", "1 / 0\n")
    assert found(str(folder / "quiet"), code=1, modules="")[file]["state"] == "failed"


@pytest.mark.usefixtures("without_natives")
def test_a_folder_without_modules_is_no_success(check, tmp_path):
    (tmp_path / "empty").mkdir()
    assert "class/api_<name>.py" in check(str(tmp_path / "empty"), code=1).output
    assert "does not exist" in check(str(tmp_path / "nowhere"), code=2).output


@pytest.mark.usefixtures("without_natives")
def test_a_handler_of_no_service_is_reported_also_for_one_module_alone(folder, write, check):
    write(
        "listener/events.py", "def before_bxoes_created(record): pass\ndef after_loyaltycards_created(record): pass\n"
    )
    write("talk/class/api_words.py", GOOD.format(name="Words"))
    for arguments in ((), (str(folder / "listener"),)):
        result = check(*arguments, code=1)
        assert "before_bxoes_created: unknown service bxoes" in result.output
        assert "after_loyaltycards_created" not in result.output


@pytest.mark.usefixtures("without_natives")
def test_events_that_were_loaded_are_told(found, check, write, folder):
    write("both/class/api_one.py", GOOD.format(name="One"))
    write("both/class/api_two.py", GOOD.format(name="Two"))
    write("both/events.py", "def after_any_created(service, record): pass\n")
    write("silent/events.py", "def whatever(record): pass\n")
    write("silent/more/events.py", "1 / 0  # nobody imports it\n")
    told = json.loads(check(str(folder), "--json", code=0).stdout)
    assert [(each["file"], each["state"], each["module"], each["service"]) for each in told["files"]] == [
        (str(folder / "both/class/api_one.py"), "loaded", "both", "one"),
        (str(folder / "both/class/api_two.py"), "loaded", "both", "two"),
        (str(folder / "both/events.py"), "loaded", "both", ""),
        (str(folder / "silent/events.py"), "loaded", "silent", ""),
    ]
    write("deadly/events.py", "import os\n\nos._exit(0)\n")
    assert found(str(folder / "deadly"))["events.py"]["state"] == "failed"


@pytest.mark.usefixtures("without_natives")
def test_what_is_silently_not_served_is_named(found, check, write, folder):
    more = (
        "\n    @staticmethod\n    def get_best() -> int:\n        return 1\n"
        "\n    @property\n    def worst(self) -> int:\n        return 1\n"
        "\n    @functools.lru_cache\n    def get_all(self) -> int:\n        return 1\n"
        "\n    @staticmethod\n    def _helper() -> int:\n        return 1\n"
    )
    write("good/class/api_good.py", "import functools\n" + GOOD.format(name="Good") + more)
    write("good/api_lost.py", GOOD.format(name="Lost"))
    write("good/tests/api_sample.py", "")
    write("api_alone.py", GOOD.format(name="Alone"))
    write("packed.zip", "")
    files = found(str(folder), code=0)
    assert [each.partition(" isn't")[0] for each in files["api_good.py"]["notes"]] == ["get_best", "worst", "get_all"]
    assert "worst isn't served: expected a plain method, got a property" in check(str(folder), code=0).output
    assert files.keys() == {"api_good.py", "api_lost.py", "api_alone.py", "packed.zip"}
    assert files["api_lost.py"]["reason"] == "not served, because an API file must be in the folder class of its module"
    assert files["packed.zip"]["reason"] == "expected a module's folder, got a file"


@pytest.mark.usefixtures("without_natives")
@pytest.mark.parametrize("kind", ["large", "pipe"])
def test_a_helper_that_must_not_be_opened_is_not_imported(found, write, folder, kind):
    write("bad/class/api_bad.py", "from .. import helper\n" + GOOD.format(name="Bad"))
    write("bad/class/api_other.py", GOOD.format(name="Other"))
    if kind == "large":
        write("bad/helper.py", "#" * 1_000_001)
    else:
        os.mkfifo(folder / "bad/helper.py")
    files = found(str(folder))
    assert "import of modules.bad.helper halted" in files["api_bad.py"]["reason"]
    assert files["helper.py"]["state"] == "skipped"
    assert files["api_other.py"]["state"] == "loaded"


@pytest.mark.usefixtures("without_natives")
def test_a_module_that_disables_logging_does_not_silence_the_server(serve, folder, write, caplog):
    write("mute/events.py", "import logging\n\nlogging.disable()\n")
    write("wrong/events.py", "1 / 0\n")
    serve(modules=str(folder))
    assert "ZeroDivisionError" in caplog.text


@pytest.mark.usefixtures("without_natives")
def test_what_a_folder_of_a_module_is_called(check, write, folder):
    names = ("2fa", "b\u00fcro", "time-sheets", "two words", "\u0661abc")
    for name in ("good", *names):
        write(f"{name}/class/api_cards.py", GOOD.format(name="Cards"))
    output = check(str(folder), code=0).output
    for name in names:
        assert f"ASCII letters, digits and underscores that begins with a letter, got {name!r}" in output


@pytest.mark.usefixtures("without_natives")
def test_a_type_that_no_value_of_json_has_is_refused(check, write, folder):
    meant = {
        "self) -> bytes": "-> File",
        "self) -> bytes | None": "-> File",
        "self) -> list[bytes]": "-> File",
        "self) -> dict[str, bytearray]": "-> File",
        "self, size: tuple[int, int]) -> int": "tuple[int, ...]",
        "self, size: typing.Tuple[int, str] | None = None) -> int": "tuple[int, ...]",
        "self, sizes: list[tuple[int]]) -> int": "tuple[int, ...]",
    }
    for number, signature in enumerate(meant):
        text = f"import typing\n\n\nclass Good{number}:\n    def get_one({signature}: ...\n"
        write(f"good/class/api_good{number}.py", text)
    said = check(str(folder), code=1).output.split("api_good")
    for number, words in enumerate(meant.values()):
        assert any(each.startswith(f"{number}.py:5") and words in each for each in said), (number, said)


HEAD = "from peewee import *\nfrom core import Model, Records\nclass Box(Model):\n    id = AutoField()\n"


@pytest.mark.usefixtures("without_natives")
@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("models.py", HEAD + "class B(Records):\n    model = Box\n    def prepare(self, values): ...\n",
         "models.py:5: TypeError: B.prepare (line 7) takes (values); expected (values, before)"),
        ("models.py", HEAD + "class B(Records):\n    modl = Box\nboxes = B()\n", "models.py:7: TypeError: B: set `model`"),
        ("migrations/0001_x.py", "def migrat(tables): ...\n", "expected a function migrate(tables)"),
        ("migrations/0001_x.py", "def migrate(tables):\n    (\n", "0001_x.py:2"),
        ("migrations/rename.py", "def migrate(tables): ...\n", "expected a name such as 0001_<change>.py"),
        ("jobs.py", "from core import job\n@job(retries=3)\ndef work(): ...\n",
         "@job: expected the options attempts, lease and share, got retries"),
        ("class/api_b.py", "class B:\n    def index(self):\n        '''A.\n\n        :permission: ones.read\n        '''\n",
         "api_b.py:2\n         B.index: unknown permission ones.read; did you mean one.read?"),
        ("events.py", "def befor_one_created(record): ...\n",
         "events.py:1: befor_one_created handles no event; did you mean before_one_created?"),
        ("events.py", "def helper(): ...\ndef lost(): ...\ndef after_loyaltycards_created(record): helper()\n",
         "events.py:2: lost handles no event; declare it with @on, or begin its name with _"),
    ],
)  # fmt: skip
def test_what_an_author_mistypes_is_reported_with_file_line_and_what_to_write(folder, write, check, name, text, reason):
    write("box/class/api_one.py", GOOD.format(name="One") if name != "models.py" else "from .. import models\n")
    write(f"box/{name}", text)
    wrong = name not in ("events.py", "migrations/rename.py")
    output = check(str(folder), code=int(wrong)).output
    assert reason in output
    assert "helper" not in output


@pytest.mark.usefixtures("without_natives")
def test_a_hook_with_a_mistyped_name_and_a_draft_are_notes(folder, write, check):
    model = HEAD + "class B(Records):\n    model = Box\n    def perpare(self, values, before): ...\nboxes = B()\n"
    write("box/models.py", model)
    write(
        "box/class/api_one.py",
        GOOD.format(name="One")
        .replace("class", "from ..models import boxes\nclass")
        .replace("    def", "    records = boxes\n    def"),
    )
    write("box/DRAFT", "")
    output = check(str(folder), code=0).output
    assert "models.py:7: B.perpare overrides nothing; did you mean prepare?" in output
    assert "note     box: a draft, not served; to serve it, remove its file DRAFT" in output
