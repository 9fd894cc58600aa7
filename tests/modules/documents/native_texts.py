"""The native languages of papers without a server: read from the very files that a server loads."""

from pathlib import Path

from babel import Locale

from core.loading.places import parse_texts
from modules.documents.papers.language import Language

FOLDER = Path(__file__).parents[3] / "modules/documents/texts"
LANGUAGES = tuple(sorted(file.stem for file in FOLDER.glob("*.po")))


def native_texts(language):
    """The texts of a language, such as ``fr``."""
    return parse_texts((FOLDER / f"{language}.po").read_text(), f"{language}.po")


def native_language(name):
    """A language of a country, such as ``fr_FR``."""
    return Language(name, Locale.parse(name), native_texts(name.partition("_")[0]))
