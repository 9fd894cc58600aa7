"""The native languages of PDFs without a server: read from the very files that a server loads."""

from pathlib import Path

from babel import Locale

from core.loading.places import parse_texts
from modules.documents.content.language import Language

MODULES = Path(__file__).parents[3] / "modules"
LANGUAGES = tuple(sorted(file.stem for file in MODULES.glob("documents/texts/*.po")))


def native_texts(language, module="documents"):
    """The texts of a language, such as ``fr``, in a native module."""
    return parse_texts((MODULES / f"{module}/texts/{language}.po").read_text(), f"{language}.po")


def native_language(name):
    """A language of a country, such as ``fr_FR``."""
    return Language(name, Locale.parse(name), native_texts(name.partition("_")[0]))
