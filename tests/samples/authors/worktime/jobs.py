"""What is done in the background."""

from collections.abc import Iterator
from typing import Any

from core import BadRequest, CsvRow, job, progress, transaction

from .models import Import, ImportLine, entries, imports

#: of what is wrong in a file so many are told, so that the result fits
TOLD = 100


class Watched(list[CsvRow]):
    """Lines that tell how many of them have been looked at."""

    def __iter__(self) -> Iterator[CsvRow]:
        for number, line in enumerate(super().__iter__(), 1):
            progress(number, len(self), "lines")
            yield line


@job(attempts=3)
def note_file(file: int) -> dict[str, Any]:
    """Note the lines of an import, or none of them; they go away with that, so a second run finds nothing to do."""
    made = Import.get_or_none(Import.id == file)
    if made is None:
        return {"noted": 0, "wrong": "the file has been noted before", "errors": []}
    lines = ImportLine.select().where(ImportLine.file == file).order_by(ImportLine.id)
    watched = Watched(CsvRow(each.cells, each.line) for each in lines)
    try:
        with transaction():
            imports.delete(file)
            noted = entries.note_file(watched, made.user)
        return {"noted": noted, "errors": []}
    except BadRequest as error:
        imports.delete(file)
        return {"noted": 0, "wrong": error.message, "errors": [list(each) for each in error.errors[:TOLD]]}
