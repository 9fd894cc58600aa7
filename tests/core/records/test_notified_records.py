"""What answers a change: the record that modules were told of, unless something was written since."""

import importlib

import pytest

pytestmark = pytest.mark.usefixtures("without_natives")

MODELS = """
from peewee import AutoField, CharField

from core import Model, Records, transaction


class Word(Model):
    id = AutoField(column_name="rowid")
    text = CharField(max_length=80, default="")

    class Meta:
        table_name = "talk_word"


class Words(Records[Word]):
    model, service, noun = Word, "words", "Word"
    events = ("shouted", "announced")

    def shout(self, identifier):
        with transaction():
            row = self.load(identifier, lock=True, if_match=True)
            self.write_unchecked(identifier, text=row.text.upper())
            self.notify("shouted", identifier)
        return self.answer(identifier)


words = Words()
"""

API = '''
from core import transaction

from ..models import words


class Words:
    """Words.

    :access: public
    """

    def post(self, request_data: dict) -> int:
        """Say one."""
        return words.create(request_data)

    def shout(self, id: int) -> dict:
        """Say it louder.

        :url: POST {id}/shout
        """
        return words.shout(id)

    def announce(self, id: int) -> dict:
        """Tell of it, then change it.

        :url: POST {id}/announce
        """
        with transaction():
            words.notify("announced", id)
            words.change(id, {"text": "loud"})
        return words.answer(id)
'''

#: what a module does with the record it is told of → what the answer holds
HANDLERS = {
    "nothing": ("pass", "A"),
    "changes its own copy": ('record["text"] = "mine"', "A"),
    "writes and says nothing": ('words.write_unchecked(record["id"], text="quiet")', "quiet"),
    "writes and says so": (
        'words.write_unchecked(record["id"], text="said"); return record | {"text": "said"}',
        "said",
    ),
    "writes through peewee": ('Word.update(text="direct").where(Word.id == record["id"]).execute()', "direct"),
    "writes a statement": ("Word._meta.database.execute_sql(\"UPDATE talk_word SET text = 'own'\")", "own"),
}


@pytest.fixture
def talk(serve, folder, write):
    write("talk/models.py", MODELS)
    write("talk/class/api_words.py", API)
    return serve(modules=str(folder))


def listen(talk, write, time, handler):
    """Let the module do something before or after a word has been shouted."""
    body = HANDLERS[handler][0].replace("; ", "\n    ")
    write("talk/events.py", f"from .models import Word, words\n\n\ndef {time}_words_shouted(record):\n    {body}\n")
    assert talk.server.reloader.check()


@pytest.mark.parametrize("time", ["before", "after"])
@pytest.mark.parametrize("handler", HANDLERS)
def test_the_answer_is_true_whatever_a_handler_does(talk, write, time, handler):
    listen(talk, write, time, handler)
    client = talk.client(None)
    made = client.ask("POST", "/words", {"text": "a"})
    assert client.ask("POST", f"/words/{made}/shout")["text"] == HANDLERS[handler][1]


NESTED = """
from .models import Word, words

heard = []


def {time}_words_shouted(record):
    if record["text"] == "A":
        words.shout(words.create({{"text": "b"}}))


def {time}_any_shouted(service, record):
    heard.append(record["text"])
"""


@pytest.mark.parametrize("time", ["before", "after"])
def test_a_handler_hears_of_its_own_record_also_when_another_has_been_told_of_meanwhile(talk, write, time):
    write("talk/events.py", NESTED.format(time=time))
    assert talk.server.reloader.check()
    client = talk.client(None)
    made = client.ask("POST", "/words", {"text": "a"})
    assert client.ask("POST", f"/words/{made}/shout")["text"] == "A"
    assert sorted(importlib.import_module("modules.talk.events").heard) == ["A", "B"]


@pytest.mark.parametrize("time", ["before", "after"])
def test_if_match_names_the_record_of_the_request_and_none_that_a_handler_changes(talk, write, time):
    change = "words.change(1, {'text': f'told of {record[\"id\"]}'}) if record['id'] > 1 else None"
    write(
        "talk/events.py",
        "from .models import words\n\n\n"
        f"def {time}_words_created(record):\n    {change}\n\n\ndef {time}_words_announced(record):\n    {change}\n",
    )
    assert talk.server.reloader.check()
    client = talk.client(None)
    client.ask("POST", "/words", {"text": "a"})
    answer = client.simulate_post("/words", json={"text": "b"}, headers={"If-Match": '"another"'})
    assert (answer.status_code, answer.headers.get("Warning")) == (200, None)
    second = answer.json
    # What the handler changes takes nothing away from the check of the request's own record
    tag = client.simulate_post(f"/words/{second}/shout").headers.get("ETag")
    refused = client.simulate_post(f"/words/{second}/announce", headers={"If-Match": '"another"'})
    assert refused.status_code == 412
    tag = tag or '"*"'
    assert client.simulate_post(f"/words/{second}/announce", headers={"If-Match": "*"}).json["text"] == "loud"
