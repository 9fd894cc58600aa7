"""A rule of a country's law or custom about legal notices."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from .case import Case

#: kinds of document, as `Documents.kind_of` returns them
INVOICE, CREDIT_NOTE, PROFORMA = "invoice", "credit note", "proforma"
PROPOSAL, ORDER, SHIPMENT = "proposal", "order", "shipment"
#: kinds that laws on invoices cover
INVOICES = (INVOICE, CREDIT_NOTE)

#: a field in a sentence
FIELD = re.compile(r"\{([\w.]+)\}")
#: a label that the stored value repeats
_TWICE = re.compile(r"^(\S+)\s+\1\b", re.IGNORECASE)


@cache
def fields_of(sentence: str) -> tuple[str, ...]:
    """Return the names of the fields in a sentence."""
    return tuple(FIELD.findall(sentence))


def always(case: Case) -> bool:
    """Return True: the rule applies to every document."""
    return True


@dataclass(frozen=True)
class Rule:
    """A legal notice that is required or customary on a document.

    :param key: such as ``fr.capital``; the later of two rules with the same key applies
    :param name: name of the legal notice, in English
    :param source: statute and article
    :param sentence: the printed sentence, in English, with fields such as ``{company.capital}``. If there are several,
        the first one with all fields set is printed. Empty: the page shows the fields elsewhere
    :param needs: the required fields, ``a|b`` for one of two; if empty, the fields of the first sentence
    :param place: ``foot``: the small print on each page, where `when` gets no record; ``mention``: below the terms;
        ``page``: shown elsewhere
    :param row: number of its line in the small print; line 1 has name and address
    :param kinds: the kinds of document it applies to, as `Documents.kind_of` returns them; empty: all
    :param must: whether it is mandatory; otherwise it is customary
    :param when: returns whether it applies
    :param verbatim: whether its sentence is the same in every language
    :param subject: what a note of an electronic invoice with this sentence is about (UNTDID 4451); empty: general
    """

    key: str
    name: str
    source: str
    sentence: str | tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    place: Literal["foot", "mention", "page"] = "mention"
    row: int = 2
    kinds: tuple[str, ...] = ()
    must: bool = True
    when: Callable[[Case], bool] = always
    verbatim: bool = False
    subject: str = ""

    @property
    def sentences(self) -> tuple[str, ...]:
        """The alternatives of its sentence."""
        return (self.sentence,) if isinstance(self.sentence, str) else self.sentence

    @property
    def wanted(self) -> tuple[str, ...]:
        """The required fields, ``a|b`` for one of two."""
        return self.needs or fields_of(self.sentences[0] if self.sentences else "")

    def is_for(self, case: Case) -> bool:
        """Return whether the rule is for the kind of a document."""
        return not self.kinds or not case.kind or case.kind in self.kinds

    def applies(self, case: Case) -> bool:
        """Return whether the rule applies to a document."""
        return self.is_for(case) and self.when(case)

    def missing(self, case: Case) -> list[str]:
        """Return the required fields that are not set; for ``a|b``, the first one."""
        groups = [need.split("|") for need in self.wanted]
        return [group[0] for group in groups if not any(case.text(name) for name in group)]

    def printed(self, case: Case) -> str:
        """Return its sentence in the language of the document; empty if a field isn't set."""
        for sentence in self.sentences:
            texts = {name: case.text(name) for name in fields_of(sentence)}
            if all(texts.values()):
                said = sentence if self.verbatim else case.words.say(sentence)
                filled = _filled(said, texts)
                return _TWICE.sub(r"\1", filled) if self.verbatim else filled
        return ""


def _filled(sentence: str, texts: Mapping[str, str]) -> str:
    """Return a sentence with the values of its fields; unknown names in braces stay unchanged."""
    return FIELD.sub(lambda found: texts.get(found[1], found[0]), sentence)
