"""Template files, and event handlers that wait for every service: found, followed, and alone in their failures."""

import pytest

from core.contract.catalogue import catalogue
from core.loading.file_status import file_statuses

pytestmark = pytest.mark.usefixtures("without_natives")


MODELS = '''
from peewee import AutoField, CharField

from core import Model, Records


class Note(Model):
    """A note."""

    id = AutoField()
    text = CharField(max_length=20)

    class Meta:
        table_name = "talk_note"


notes = Records(Note, service="words", noun="Note")
'''
API = '''
from ..models import notes


class Words:
    """Notes.

    :access: public
    """

    def post(self, request_data: dict) -> int:
        """Make a note."""
        return notes.create(request_data)
'''


@pytest.fixture
def served(serve, folder):
    return serve(modules=str(folder))


def own():
    return {each.name: each for each in catalogue().templates if each.module == "talk"}


def test_templates_are_found_and_followed(served, write):
    file = write("talk/doctemplates/pdf_plain.py", "WORD = 'one'")
    write("talk/mailtemplates/html_hello.py", "WORD = 'two'")
    served.server.reloader.check()
    plain, hello = own()["plain"], own()["hello"]
    assert (plain.folder, plain.kind, plain.file, plain.content.WORD) == ("doctemplates", "pdf", file, "one")
    assert (hello.folder, hello.kind) == ("mailtemplates", "html")
    file.write_text("WORD = 'three'")
    served.server.reloader.check()
    assert own()["plain"].content.WORD == "three"
    file.unlink()
    served.server.reloader.check()
    assert list(own()) == ["hello"]


def test_a_template_that_cannot_be_loaded_fails_alone(served, write):
    write(
        "talk/class/api_words.py",
        "class Words:\n    def get(self) -> int:\n        ''':access: public'''\n        return 1",
    )
    write("talk/doctemplates/pdf_good.py", "")
    write("talk/doctemplates/pdf_bad.py", "import nothing_of_this_name")
    write("talk/doctemplates/readme.py", "")
    served.server.reloader.check()
    assert list(own()) == ["good"]
    failure = next(each for each in catalogue().failures if each.name == "talk/doctemplates/pdf_bad")
    assert "nothing_of_this_name" in failure.reason
    assert served.client(None).get("/words") == 1
    states = {
        each.file.name: each.state for each in file_statuses(catalogue()) if each.file.parent.name == "doctemplates"
    }
    assert {name: states[name] for name in ("pdf_good.py", "pdf_bad.py", "readme.py")} == {
        "pdf_good.py": "loaded",
        "pdf_bad.py": "failed",
        "readme.py": "skipped",
    }


def test_a_handler_may_wait_for_every_service(served, write):
    write("talk/models.py", MODELS)
    write("talk/class/api_words.py", API)
    write(
        "ear/events.py",
        "from core import Refused, warn\n\n\ndef before_any_created(service, record):\n"
        "    if record['text'] == 'no':\n        raise Refused(f'{service} may not say no')\n\n\n"
        "def after_any_created(service, record):\n    warn(f'{service} said {record[\"text\"]}')\n",
    )
    client = served.client(None)
    answer = client.simulate_post("/words", json={"text": "yes"})
    assert (answer.status_code, answer.headers["warning"]) == (200, '299 comptoir "words said yes"')
    assert "words may not say no" in client.refused("POST", "/words", {"text": "no"}, status=405)
    assert not [each for each in catalogue().failures if each.module == "ear"]


def test_a_broken_handler_of_every_service_refuses(served, write):
    write("talk/models.py", MODELS)
    write("talk/class/api_words.py", API)
    write("ear/events.py", "import nothing_of_this_name\n\n\ndef before_any_created(service, record): ...\n")
    assert "must approve this change but can't be loaded" in served.client(None).refused(
        "POST", "/words", {"text": "yes"}, status=405
    )
