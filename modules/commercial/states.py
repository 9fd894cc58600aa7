"""The states of a kind of document as data: permitted actions, and transitions between states.

A kind writes one table. The choices of its field `statut`, the help texts, the accepted transitions and their
documentation come from it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from core import Refused, profile
from core import Transition as ShownTransition

DRAFT = 0
VALIDATED = 1

#: lines may be added, changed and removed; a draft always permits it
LINES = "lines"
#: something is still due or expected: the document counts in `outstanding`
OPEN = "open"
#: what both parties agree to, such as third party and date, can change; a draft always permits it
CHANGE = "change"
#: the document can be deleted; a draft always permits it
DELETE = "delete"

#: verbs of the operations that every kind has, if they differ from the name
_VERBS = {"settodraft": "set to draft"}


@dataclass(frozen=True)
class State:
    """A state.

    :param name: its name in messages and in the documentation
    :param permits: actions permitted in this state, apart from its transitions, such as ``invoice``
    :param predicate: its name after "is", if that differs, such as ``being shipped``
    """

    name: str
    # A list of what is allowed, not of what is forbidden: a state that is added later allows nothing by accident
    permits: tuple[str, ...] = ()
    predicate: str = ""


@dataclass(frozen=True)
class Transition:
    """A transition from some states to one.

    :param name: its name, as in ``POST /orders/{id}/close``
    :param sources: the states that it leads from
    :param target: the state that it leads to
    :param event: the event of which it notifies other modules, such as ``validated``
    :param condition: a further condition in words, such as ``while nothing has been paid``
    :param verb: its name in messages, after "can't", if that differs, such as ``set to paid``
    """

    name: str
    sources: Collection[int]
    target: int
    event: str
    condition: str = ""
    verb: str = ""


class States:
    """The states of a kind of document and the transitions between them.

    :param states: number, as the field `statut` holds it → the state, or just its name
    :param transitions: all of them; several with one name lead to different states
    :param operations: what a state permits → the operations that need it, such as ``POST /invoices/{id}/payments``
    """

    def __init__(
        self,
        states: Mapping[int, State | str],
        transitions: Iterable[Transition],
        operations: Mapping[str, Collection[str]] | None = None,
    ) -> None:
        self.operations = operations or {}
        self._states = {number: State(each) if isinstance(each, str) else each for number, each in states.items()}
        self.transitions = tuple(transitions)
        for each in self.transitions:
            unknown = {*each.sources, each.target} - {*self._states}
            if unknown:
                raise ValueError(f"the transition {each.name} uses the state {min(unknown)}, which is not defined")

    @property
    def names(self) -> dict[int, str]:
        """Return the names of the states by number."""
        return {number: each.name for number, each in self._states.items()}

    def number(self, name: str) -> int:
        """Return the number of the state with a name."""
        return next(number for number, each in self.names.items() if each == name)

    @property
    def choices(self) -> tuple[tuple[int, str], ...]:
        """Return the states as the choices of a field."""
        return tuple(self.names.items())

    @property
    def listed(self) -> str:
        """Return the states on one line: ``0 draft, 1 validated``."""
        return ", ".join(f"{number} {name}" for number, name in self.names.items())

    def explained(self) -> str:
        """Return states and transitions in words, for a docstring."""
        ways: dict[str, list[str]] = {}
        for each in self.transitions:
            sources = _joined([str(number) for number in sorted(each.sources)])
            ways.setdefault(each.name, []).append(f"from {sources} to {each.target} {each.condition}".strip())
        transitions = ", ".join(f"`{name}` leads {_joined(found)}" for name, found in ways.items())
        return f"States: {self.listed}.{f' {transitions}.' if transitions else ''}"

    def shown(self) -> list[ShownTransition]:
        """Return the transitions as the explorer shows them."""
        names = {number: f"{name} ({number})" for number, name in self.names.items()}
        return [
            ShownTransition(names[source], each.name, names[each.target])
            for each in self.transitions
            for source in sorted(each.sources)
        ]

    def permits(self, number: int, action: str) -> bool:
        """Return whether a state permits something, such as ``invoice``."""
        always = (LINES, CHANGE, DELETE) if number == DRAFT else ()
        return action in (*always, *(self._states[number].permits if number in self._states else ()))

    def allowing(self, action: str) -> list[int]:
        """Return the states that permit something."""
        return [number for number in self._states if self.permits(number, action)]

    def find(self, name: str, source: int, target: int | None = None, *, document: str = "document") -> Transition:
        """Return the transition of a name that leads from a state.

        :param target: the state it must lead to, if several of that name lead from one
        :param document: noun and reference, for the message, such as ``order CO2611-0001``
        :raises Refused: the table has no such transition, or the document is in its target state already
        :raises 304: the document is in its target state already, if the profile's `repeated_action` is `Unchanged`
        """
        named = [each for each in self.transitions if each.name == name]
        verb = next((each.verb for each in named if each.verb), _VERBS.get(name, name))
        if not named:
            raise Refused(f"can't {verb}: the {document} does not support this operation")
        named = [each for each in named if target in (None, each.target)]
        for each in named:
            if source in each.sources:
                return each
        now = self.described(source)
        if any(each.target == source for each in named):
            message, reason = f"can't {verb}: the {document} is already {now}", f"already_{self._word(source)}"
            raise profile().repeated_action(message, reason=reason)
        sources = sorted({state for each in named for state in each.sources})
        required = self.required(sources)
        raise Refused(
            f"can't {verb}: the {document} is {now}{required and f', but must be {required}'}",
            reason=self.reason_for(sources),
        )

    def reason_for(self, numbers: Iterable[int]) -> str:
        """Return the reason of an error for a document that must be in one of these states."""
        words = [self._word(number) for number in numbers]
        return f"not_{words[0]}" if len(words) == 1 else "wrong_state"

    def _word(self, number: int) -> str:
        return self.names[number].replace(" ", "_")

    def required(self, numbers: Iterable[int]) -> str:
        """Return states as the end of a sentence: ``validated or being shipped`` after ``it must be``."""
        return " or ".join(_joined([self.described(number) for number in numbers]).rsplit(" and ", 1))

    def described(self, number: int) -> str:
        """Return a state's name as the end of a sentence: ``a draft`` after ``the order is``."""
        state = self._states.get(number) or State(str(number))
        return state.predicate or ("a draft" if number == DRAFT and state.name == "draft" else state.name)


def _joined(words: list[str]) -> str:
    """Join words: ``a``, ``a and b``, ``a, b and c``."""
    return " and ".join([*([", ".join(words[:-1])] if len(words) > 1 else []), *words[-1:]])
