"""States as data: what each is called and permits, and which move leads from which to which.

A kind writes one table. The choices of its field `statut`, the help texts, the moves that are accepted and what the
documentation says of them are made from it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from core import Refused, Transition, settings

DRAFT = 0
VALIDATED = 1

#: that lines may be added, changed and removed; a draft always permits it
LINES = "lines"
#: that something is still expected of a record: it counts in `outstanding`
OPEN = "open"
#: that the third party and the day stay as they are: both sides have agreed on them
FIXED = "fixed"
#: that a record is not deleted, in the profile that says so
KEPT = "kept"


#: operations whose names are no verbs, as messages say them
_VERBS = {
    "settodraft": "set to draft",
    "settopaid": "set to paid",
    "settounpaid": "set to unpaid",
    "setinvoiced": "set to billed",
}
#: states whose names need another form after "is"
_PREDICATES = {"draft": "a draft", "shipment in process": "being shipped"}


@dataclass(frozen=True)
class State:
    """A state.

    :param name: what it is called in messages and in the documentation
    :param permits: what may be done to a record in it, besides the moves that begin in it, such as ``invoice``
    """

    name: str
    # A list of what is allowed, not of what is forbidden: a state that is added later allows nothing by accident
    permits: tuple[str, ...] = ()


@dataclass(frozen=True)
class Move:
    """A move from some states to one.

    :param name: what it is called, as in ``POST /orders/{id}/close``
    :param begins: the states it begins in
    :param ends: the state it ends in
    :param event: what the modules that wait for it are told, such as ``validated``
    :param condition: what must hold besides, in words, such as ``while nothing has been paid``
    """

    name: str
    begins: frozenset[int]
    ends: int
    event: str
    condition: str = ""


class States:
    """The states of a kind of document and the moves between them.

    :param states: number, as the field `statut` holds it → the state, or just its name
    :param moves: all there are; several of one name lead to different states
    """

    def __init__(self, states: Mapping[int, State | str], moves: Iterable[Move]) -> None:
        self._states = {number: State(each) if isinstance(each, str) else each for number, each in states.items()}
        self.moves = tuple(moves)
        for each in self.moves:
            unknown = {*each.begins, each.ends} - {*self._states}
            if unknown:
                raise ValueError(f"the transition {each.name} uses the state {min(unknown)}, which is not defined")

    @property
    def names(self) -> dict[int, str]:
        """State → its name."""
        return {number: each.name for number, each in self._states.items()}

    @property
    def choices(self) -> tuple[tuple[int, str], ...]:
        """The states as the choices of a field."""
        return tuple(self.names.items())

    @property
    def listed(self) -> str:
        """The states in a line: ``0 draft, 1 validated``."""
        return ", ".join(f"{number} {name}" for number, name in self.names.items())

    def explained(self) -> str:
        """States and moves in words, for a docstring."""
        places: dict[str, list[str]] = {}
        for each in self.moves:
            begins = _joined([str(number) for number in sorted(each.begins)])
            places.setdefault(each.name, []).append(f"from {begins} to {each.ends} {each.condition}".strip())
        moves = ", ".join(f"`{name}` leads {_joined(ways)}" for name, ways in places.items())
        return f"States: {self.listed}.{f' {moves}.' if moves else ''}"

    def transitions(self) -> list[Transition]:
        """The table of moves as the explorer shows it."""
        shown = {number: f"{name} ({number})" for number, name in self.names.items()}
        return [
            Transition(shown[begin], each.name, shown[each.ends])
            for each in self.moves
            for begin in sorted(each.begins)
        ]

    def permits(self, number: int, deed: str) -> bool:
        """Whether a state permits something, such as ``invoice``."""
        state = self._states.get(number)
        return (deed == LINES and number == DRAFT) or (state is not None and deed in state.permits)

    def allowing(self, deed: str) -> list[int]:
        """The states that permit something."""
        return [number for number in self._states if self.permits(number, deed)]

    def move(self, name: str, begin: int, end: int | None = None, *, document: str = "document") -> Move:
        """The move of a name that begins in a state.

        :param end: the state it must end in, where several of that name begin in one
        :param document: noun and reference, for the message, such as ``order CO2611-0001``
        :raises Refused: the table has no such move, or it has been made already
        :raises Unchanged: instead, in the profile that says so, when it has been made already
        """
        verb = _VERBS.get(name, name)
        if all(move.name != name for move in self.moves):
            raise Refused(f"can't {verb}: the {document} does not support this operation")
        named = [move for move in self.moves if move.name == name and end in (None, move.ends)]
        for move in named:
            if begin in move.begins:
                return move
        now = self.described(begin)
        if any(move.ends == begin for move in named):
            raise settings().profile.repeated_action(f"can't {verb}: the {document} is already {now}")
        required = self.required(sorted({state for move in named for state in move.begins}))
        raise Refused(f"can't {verb}: the {document} is {now}{required and f', but must be {required}'}")

    def required(self, numbers: Iterable[int]) -> str:
        """Return states as the end of a sentence: ``validated or being shipped`` after ``it must be``."""
        return " or ".join(_joined([self.described(number) for number in numbers]).rsplit(" and ", 1))

    def described(self, number: int) -> str:
        """Return a state's name as the end of a sentence: ``a draft`` after ``the order is``."""
        name = self.names.get(number, str(number))
        return _PREDICATES.get(name, name)


def move(name: str, begins: Collection[int], ends: int, *, event: str, condition: str = "") -> Move:
    """A move, as a table of them is written. The event is a plain text: which ones there are is read from the file."""
    return Move(name, frozenset(begins), ends, event, condition)


def _joined(words: list[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return " and ".join([*([", ".join(words[:-1])] if len(words) > 1 else []), *words[-1:]])
