"""Where a server keeps what it notes of files."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.common.settings import Settings
from core.wsgi import journal_folder


@pytest.mark.parametrize(
    ("database", "documents", "folder"),
    [
        ("sqlite:///kept/business.db", "elsewhere/files", "kept/importing"),
        ("postgresql://me@db/business", "kept/files", "kept/importing"),
        ("postgresql://me@db/business", "s3://bucket/files", "data/importing"),
        ("postgresql://me@db/business", "memory://files", "data/importing"),
    ],
)
def test_notes_of_imports_lie_in_a_folder_of_this_machine(database: str, documents: str, folder: str) -> None:
    assert journal_folder(Settings(database=database, documents=documents)) == Path(folder)
