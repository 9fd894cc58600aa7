"""Titles: of an operation, such as "Create an order", from its first sentence; of a service, from its class name."""

from __future__ import annotations

import re

from core.contract.catalogue import Service

#: characters of a title; a longer one ends with an ellipsis
LONGEST = 60

#: the start of an addition: a punctuation mark, or a word that begins a subordinate clause
_MORE = re.compile(
    r"[:;,.](?=\s|$)|\s\(|\s(?=with (?:its|their)\s)"
    r"|\s(?=(?:that|which|who|whose|where|when|whenever|whatever|while|until|unless|because|if|so that)\s)"
)
_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)|:\w+:`([^`]*)`")
_MARKS = re.compile(r"`+|\*\*|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)")
#: minimum number of words in a title
_FEWEST = 2


def title_of(sentence: str) -> str:
    """Return a title for a sentence: its main clause in plain words, short enough for a list."""
    plain = " ".join(_MARKS.sub("", _LINK.sub(lambda found: found[1] or found[2], sentence)).split())
    ends = (found.start() for found in _MORE.finditer(plain))
    main = plain[: next((end for end in ends if len(plain[:end].split()) >= _FEWEST), len(plain))].rstrip(" .")
    if len(main) <= LONGEST:
        return main
    kept = main[: LONGEST - 2]
    return f"{kept.rpartition(' ')[0] or kept} …"


_WORD_OF_NAME = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def service_title(service: Service) -> str:
    """Return the words of a service's class name: "Bank accounts" for ``BankAccounts``."""
    words = _WORD_OF_NAME.findall(re.sub(r"_?(?:API|Api)$", "", service.class_name)) or [service.name]
    first, *others = (word if word[1:2].isupper() else word.lower() for word in words)
    return " ".join([first[:1].upper() + first[1:], *others])


#: words of a title that a name does without
_LEFT_OUT = {"a", "an", "the", "s"}
_PLAIN_WORD = re.compile(r"[a-z0-9]+")


def words_of(title: str) -> list[str]:
    """Return the words of a title in lower case, without articles, for a name in code."""
    return [word for word in _PLAIN_WORD.findall(title.replace("\u2019", "'").lower()) if word not in _LEFT_OUT]


def service_noun(service: Service) -> str:
    """Return the words for one record of a service: "Bank account" for ``BankAccounts``."""
    return re.sub(r"(?<=x)es$|(?<=[cs]h)es$|(?<=ss)es$|(?<![su])s$", "", re.sub(r"ies$", "y", service_title(service)))


def told_in_full(sentence: str, description: str) -> str:
    """Return the description under a title, with the whole first sentence if the title doesn't contain all of it."""
    if title_of(sentence) == sentence.rstrip("."):
        return description
    return "\n\n".join(part for part in (sentence, description) if part)
