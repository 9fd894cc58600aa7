"""A module whose books are searched, for the tests of searches."""

from __future__ import annotations

from pathlib import Path

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
from core import Api, ListQuery
from ..models import books


class LibraryBooks(Api):
    """Books.

    :access: public
    """

    records = books

    def index(self, query: ListQuery) -> list[dict]:
        """All."""
        return books.page(query)

    def get(self, id: int) -> dict:
        """One."""
        return books.read(id)

    def post(self, request_data: dict) -> int:
        """Another."""
        return books.create(request_data)

    def put(self, id: int, request_data: dict) -> bool:
        """Change it."""
        return books.change(id, request_data)

    def delete(self, id: int) -> None:
        """Remove it."""
        books.delete(id)
'''


def fill(folder: Path) -> str:
    """Write the module into a folder; answers it as a setting."""
    (folder / "library/class").mkdir(parents=True)
    (folder / "library/models.py").write_text(MODELS)
    (folder / "library/class/api_librarybooks.py").write_text(API)
    return str(folder)
