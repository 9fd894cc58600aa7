"""A module whose books are searched, books, and which of them are found."""

from tests.files import write_files

MODELS = """
from peewee import AutoField, CharField, IntegerField, TextField

from core import Model, Records


class Book(Model):
    id = AutoField(column_name="rowid")
    title = CharField(max_length=255)
    author = CharField(column_name="writer", max_length=255, null=True)
    summary = TextField(null=True)
    shelf = IntegerField(null=True)

    class Meta:
        table_name = "library_book"
        searched = ("title", "author", "summary")


books = Records(Book, service="librarybooks")
"""
API = '''
from core import Crud
from ..models import books


class LibraryBooks(Crud):
    """Books."""

    records = books
'''

#: title, author, summary; the number is the place from 1
BOOKS = [
    ("Le Rouge et le Noir", "Stendhal", None),
    ("Noirceur", "Marie Dupont", "une société"),
    ("La Société du spectacle", "Guy Debord", None),
    ("Dupontel", "Jean Mar", None),
    ("Œuvres complètes", "Marie Noire", "dupont-mar@example.org"),
    ("Die Straße", "the_le", "AB-2026/007"),
    ("Noir", None, "Le premier"),
]
#: what is searched → the numbers of the books that are found, in the order of the list; worked out by hand
FOUND = {
    "noir": [1, 2, 5, 7],
    "NOIR le": [1, 7],
    "dup mar": [2, 4, 5],
    "dupont": [2, 4, 5],
    "societe": [2, 3],
    "SOCIÉTÉ": [2, 3],
    "socie\u0301te\u0301": [2, 3],
    "oeuvre": [5],
    "œuvres": [5],
    "strasse": [6],
    "straße": [6],
    "the": [6],
    "le": [1, 6, 7],
    "l": [1, 3, 6, 7],
    "007": [6],
    "2026/007": [6],
    "dupont-mar@example.org": [5],
    "ab_2026": [6],
    "noir absent": [],
    "oir": [],
    "...": [],
    '"': [],
    "*": [],
    "😀": [],
    "NEAR(noir le)": [],
    "noir OR spectacle": [],
    "a" * 150: [],
    " ".join("noir le" for _ in range(25)): [1, 7],
    " ".join(chr(97 + number) for number in range(26)): [],
}


def fill(folder):
    """Write the module into a folder; answers it as a setting."""
    return str(write_files(folder, {"library/models.py": MODELS, "library/class/api_librarybooks.py": API}))
