"""A module of letters whose operations differ in what an `Idempotency-Key` means to them; written where a test wants it."""

from tests.files import write_files

MODELS = '''
import os
import time
from pathlib import Path

from peewee import AutoField, CharField

from core import File, Model, Records, Refused, transaction

from core.for_natives import after_commit

from core.for_natives import settings


class Letter(Model):
    id = AutoField()
    text = CharField(max_length=80, unique=True, default="")

    class Meta:
        table_name = "post_letter"


class Letters(Records[Letter]):
    model, service, noun = Letter, "letters", "Letter"
    events = ("stamped",)

    def stamp(self, identifier, mark):
        with transaction():
            row = self.load(identifier, lock=True, if_match=True)
            self.write_unchecked(identifier, text=row.text + mark)
            self.notify("stamped", identifier)


letters = Letters()


def stopped(where):
    """Wait, or end this process, where a test says so in a file; each time once."""
    order = Path(settings().documents) / where
    try:
        said = order.read_text()
        order.unlink()
    except FileNotFoundError:
        return
    if said == "kill":
        os.kill(os.getpid(), 9)
    time.sleep(float(said))
'''

API = '''
from typing import Annotated, Any, TypedDict

from core import File, Refused, Upload, query, set_header, transaction, warn

from core.for_natives import after_commit

from ..models import Letter, letters, stopped


class Letters:
    """Letters.

    :access: protected
    """

    def index(self) -> list[str]:
        """Their texts."""
        return [row[0] for row in query("SELECT text FROM post_letter ORDER BY id")]

    def post(self, request_data: dict) -> int:
        """Write one, perhaps slowly."""
        made = letters.create(request_data)
        stopped("work")
        return made

    def put(self, id: int, request_data: dict) -> dict:
        """Change one."""
        letters.change(id, request_data)
        return letters.read(id)

    def stamp(self, id: int, mark: str) -> dict:
        """Stamp one; answers the record that modules were told of.

        :url: POST {id}/stamp
        :header: X-Office: Lyon
        :status: 201
        """
        letters.stamp(id, mark)
        set_header("X-Stamps", mark)
        warn("stamped")
        return letters.answer(id)

    def stamp_and_read(self, id: int, mark: str) -> dict:
        """Stamp one; answers it as it is read.

        :url: POST {id}/stampandread
        """
        letters.stamp(id, mark)
        return letters.read(id)

    def fail(self, text: str, how: str = "") -> int:
        """Write one, and fail.

        :url: POST fail
        """
        letters.create({"text": text})
        after_commit(lambda: letters.create({"text": "told of what was undone"}))
        if how == "exit":
            raise SystemExit(1)
        if how == "error":
            raise ValueError("private words")
        raise Refused("the post is closed")

    def several(self, texts: list) -> list[str]:
        """Write several, and say which could not be.

        :url: POST several
        """
        refused = []
        for text in texts:
            try:
                with transaction():
                    letters.create({"text": text})
                    after_commit(lambda text=text: warn("told of " + text))
                    if text == "bad":
                        raise Refused("bad words")
            except Refused:
                refused.append(text)
        return refused

    def sealed(self, text: str) -> dict:
        """Answer a secret.

        :url: POST sealed
        :idempotency: secret
        """
        letters.create({"text": text})
        return {"key": "a-secret-of-many-letters"}

    def unminded(self, text: str) -> int:
        """Write one each time.

        :url: POST unminded
        :idempotency: none
        """
        return letters.create({"text": text})

    def apart(self, text: str, fails: bool = False) -> int:
        """Write one in a transaction that ends at once.

        :url: POST apart
        :idempotency: apart
        """
        made = letters.create({"text": text})
        if fails:
            raise Refused("too late")
        return made

    def copies(self, size: int, random: bool = False) -> str:
        """Answer a long text.

        :url: POST copies
        """
        import os

        return os.urandom(size // 2).hex() if random else "x" * size

    def print(self, size: int) -> File:
        """Answer a file.

        :url: POST print
        """
        return File(b"%PDF" + b"x" * size, "letter.pdf", "application/pdf")

    def scan(self, text: str, file: Upload) -> str:
        """Take a file.

        :url: POST scan
        """
        letters.create({"text": text})
        return file.content.decode()

    def hybrid(self, text: str) -> int:
        """Write one, with a key or without.

        :url: POST hybrid
        :access: hybrid
        """
        return letters.create({"text": text})

    def public(self, text: str) -> int:
        """Write one without a key.

        :url: POST public
        :access: public
        """
        return letters.create({"text": text})
'''

EVENTS = """
from core import Refused

from .models import letters, stopped


def after_letters_created(record):
    stopped("late")


def after_letters_stamped(record):
    if record["text"].endswith("?"):
        raise Refused("no such stamp")
    if record["text"].endswith("!"):
        letters.write_unchecked(record["id"], text=record["text"] + " franked")
        return record | {"text": record["text"] + " franked"}
    if record["text"].endswith("#"):
        letters.write_unchecked(record["id"], text=record["text"] + " franked")
"""


def write_letters(folder):
    """Write the module into a folder of modules; answers the folder."""
    write_files(folder / "post", {"models.py": MODELS, "events.py": EVENTS, "class/api_letters.py": API})
    return folder
