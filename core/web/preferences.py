"""The header `Prefer` (RFC 7240): `handling=strict` and `return=representation`."""

from __future__ import annotations

from ..common.request_state import RequestState

#: the header in the environment of a request
PREFER = "HTTP_PREFER"
#: the header that lists what was done
APPLIED = "Preference-Applied"
STRICT, REPRESENTATION = "handling=strict", "return=representation"


def apply_preferences(header: str, state: RequestState) -> None:
    """Set what a client prefers; unknown preferences are ignored, as the RFC demands."""
    # A parameter after a semicolon changes none of these
    sent = {part.partition(";")[0].replace(" ", "").replace('"', "").lower() for part in header.split(",")}
    if STRICT in sent:
        state.asks_strict = True
        note_applied(state, STRICT)
    state.asks_record = REPRESENTATION in sent


def note_applied(state: RequestState, preference: str) -> None:
    """Add a preference to the header `Preference-Applied` of the response."""
    known = state.headers.get(APPLIED)
    # A request that was admitted before its body arrived comes here twice
    if known != preference:
        state.headers[APPLIED] = f"{known}, {preference}" if known else preference
