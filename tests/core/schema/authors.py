"""An author who edits a module of a running server."""

from core.contract.catalogue import catalogue
from core.storage.database import ensure_connected

HEAD = "from peewee import *\nfrom core import ExactField, Model, RecordField, Records\n"
CARD = """
class Card(Model):
    id = AutoField(column_name="rowid")
{fields}

    class Meta:
        table_name = "loyalty_card"
        {meta}


cards = Records(Card, service="cards")
"""
API = '''
from core import Crud
from ..models import cards


class Cards(Crud):
    """Cards."""

    records = cards
'''
PRICE = "    price = ExactField(12, {}, default=0)"
NAME = "    name = CharField(max_length=30, default='')"


class Author:
    """Someone who edits a module of a running server."""

    def __init__(self, served, folder):
        self.served, self.folder, self._edits = served, folder, 0
        self.client = served.client()
        self.write("loyalty/class/api_cards.py", API)

    def write(self, name, text):
        """Write a file of a module."""
        self._edits += 1
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n# {self._edits}\n")

    def says(self, *fields, meta="pass"):
        """Write the model and have it loaded; answers why it cannot be served, if so."""
        self.write("loyalty/models.py", HEAD + CARD.format(fields="\n".join(fields), meta=meta))
        return self.loaded()

    def loaded(self):
        """Load what has changed; answers why the cards cannot be served, if so."""
        self.served.server.reloader.check()
        ensure_connected()
        return next((each.reason for each in catalogue().failures if each.name == "cards"), "")

    def add(self, **values):
        """A card."""
        return int(self.client.ask("POST", "/cards", values))

    def card(self, number=1, status=200):
        """A card as it is answered."""
        return self.client.ask("GET", f"/cards/{number}", status=status)
