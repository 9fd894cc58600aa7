"""What a rule of a country's law, or of its custom, is."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from .case import Case

#: kinds of paper
INVOICE, CREDIT_NOTE, PROPOSAL, ORDER, PROFORMA = "invoice", "credit note", "proposal", "order", "proforma"
#: those that a law on invoices is about
INVOICES = (INVOICE, CREDIT_NOTE)

#: a field in a sentence
FIELD = re.compile(r"\{([\w.]+)\}")
#: a label that stands in the stored value, too
_TWICE = re.compile(r"^(\S+)\s+\1\b", re.IGNORECASE)


@cache
def fields_of(sentence: str) -> tuple[str, ...]:
    """The fields in a sentence."""
    return tuple(FIELD.findall(sentence))


def always(case: Case) -> bool:
    """Whatever the paper says."""
    return True


@dataclass(frozen=True)
class Rule:
    """Something that must, or should, stand on a paper.

    :param key: such as ``fr.capital``; of two rules with one key the later counts
    :param name: what it is called, in English
    :param source: statute and article
    :param sentence: as it is printed, in English, with fields such as ``{company.capital}``; of several the first whose
        fields are all known; empty where another part of the paper shows it
    :param needs: the fields without which it is missing, ``a|b``: one of them; those of the first sentence when empty
    :param place: ``foot``: the small print on each page; ``mention``: below the terms; ``page``: shown elsewhere
    :param row: the line of small print it goes to: 1 is that of name and address
    :param kinds: of which papers; empty: of all
    :param must: whether it is mandatory; otherwise it is customary
    :param when: whether it applies
    :param verbatim: whether its sentence is the same in every language
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

    @property
    def sentences(self) -> tuple[str, ...]:
        """Every form of its sentence."""
        return (self.sentence,) if isinstance(self.sentence, str) else self.sentence

    @property
    def wanted(self) -> tuple[str, ...]:
        """The fields without which it is missing."""
        return self.needs or fields_of(self.sentences[0] if self.sentences else "")

    def applies(self, case: Case) -> bool:
        """Whether a paper falls under it."""
        return (not self.kinds or not case.kind or case.kind in self.kinds) and self.when(case)

    def missing(self, case: Case) -> list[str]:
        """The fields that it needs and nobody has set; of ``a|b`` the first."""
        groups = [need.split("|") for need in self.wanted]
        return [group[0] for group in groups if not any(case.text(name) for name in group)]

    def printed(self, case: Case) -> str:
        """Its sentence in the language of the paper; empty while its fields are."""
        for sentence in self.sentences:
            texts = {name: case.text(name) for name in fields_of(sentence)}
            if all(texts.values()):
                said = sentence if self.verbatim else case.words.say(sentence)
                filled = _filled(said, texts)
                return _TWICE.sub(r"\1", filled) if self.verbatim else filled
        return ""


def _filled(sentence: str, texts: Mapping[str, str]) -> str:
    """A sentence with its fields; what stands in braces and is none of them stays."""
    return FIELD.sub(lambda found: texts.get(found[1], found[0]), sentence)
