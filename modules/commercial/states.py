"""States as data: which move leads from which state to which (differences.md, section 3)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from core import Refused, Transition, settings

DRAFT = 0
VALIDATED = 1


@dataclass(frozen=True)
class Move:
    """A move from some states to one.

    :param name: what it is called, as in ``POST /orders/{id}/close``
    :param begins: the states it begins in
    :param ends: the state it ends in
    :param event: what the modules that wait for it are told, such as ``validated``
    """

    name: str
    begins: frozenset[int]
    ends: int
    event: str


@dataclass(frozen=True)
class States:
    """The states of a kind of document and the moves between them.

    :param names: state → its name in messages
    :param moves: all there are; several of one name lead to different states
    """

    names: Mapping[int, str]
    moves: tuple[Move, ...]

    def __post_init__(self) -> None:
        for each in self.moves:
            unknown = {*each.begins, each.ends} - {*self.names}
            if unknown:
                raise ValueError(f"the move {each.name} names the state {min(unknown)}, which has no name")

    def transitions(self) -> list[Transition]:
        """The table of moves as the explorer shows it."""
        shown = {state: f"{name} ({state})" for state, name in self.names.items()}
        return [
            Transition(shown[begin], each.name, shown[each.ends])
            for each in self.moves
            for begin in sorted(each.begins)
        ]

    def move(self, name: str, begin: int, end: int | None = None) -> Move:
        """The move of a name that begins in a state.

        :param end: the state it must end in, where several of that name begin in one
        :raises Refused: the table has no such move, or it has been made already
        :raises Unchanged: instead, in the profile that says so, when it has been made already
        """
        if all(move.name != name for move in self.moves):
            raise Refused(f"there is no move {name}")
        named = [move for move in self.moves if move.name == name and end in (None, move.ends)]
        for move in named:
            if begin in move.begins:
                return move
        if any(move.ends == begin for move in named):
            raise settings().profile.repeated_action(f"{name}: it is {self.names[begin]} already")
        allowed = sorted({state for move in named for state in move.begins})
        states = ", ".join(self.names[state] for state in allowed) or "no state"
        raise Refused(f"{name}: it is {self.names.get(begin, begin)}, and this begins only in: {states}")


def move(name: str, begins: Collection[int], ends: int, event: str) -> Move:
    """A move, as a table of them is written."""
    return Move(name, frozenset(begins), ends, event)
