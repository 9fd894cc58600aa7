"""Words that depend on the company's country, whatever the language: where there is no VAT, none is spoken of."""

from __future__ import annotations

from functools import lru_cache

from .language import Language

#: country → what is said instead of a text
INSTEAD = {
    "US": {
        "VAT": "Tax",
        "VAT rate": "Tax rate",
        "VAT amount": "Tax amount",
        "Total excl. VAT": "Total before tax",
        "Total VAT": "Sales tax",
        "Total incl. VAT": "Total with tax",
    }
}


def seller_words(words: Language, country: str | None) -> Language:
    """A language as a company of a country speaks it."""
    return _variant(words, country) if country in INSTEAD else words


@lru_cache(maxsize=64)
def _variant(words: Language, country: str) -> Language:
    return words.saying(INSTEAD[country])
