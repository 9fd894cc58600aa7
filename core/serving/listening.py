"""Checking, before anything else, that the server can listen on its addresses."""

from __future__ import annotations

import os
import socket

from gunicorn import util  # type: ignore[import-untyped]

#: environment variable of a process that a master has started to take over its sockets
_TAKES_OVER = "GUNICORN_PID"


class CannotListen(Exception):
    """The server can't listen on an address."""


def ensure_can_listen(bind: str) -> None:
    """Check that the server can listen on addresses.

    :param bind: addresses separated by commas; Unix sockets aren't checked
    :raises CannotListen: it can't listen on one
    """
    if _TAKES_OVER in os.environ:
        return
    for each in bind.split(","):
        if not each.strip().startswith("unix:"):
            bound_socket(each.strip(), "COMPTOIR_BIND").close()


def bound_socket(address: str, setting: str) -> socket.socket:
    """Return a socket that is bound to an address and a port. A new version can bind to it beside the old one.

    :param setting: the setting with the address
    :raises CannotListen: the address is invalid or in use
    """
    try:
        parsed = util.parse_address(address)
        family = socket.AF_INET6 if util.is_ipv6(parsed[0]) else socket.AF_INET
        bound = socket.socket(family, socket.SOCK_STREAM)
        try:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if _TAKES_OVER in os.environ:
                bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            bound.bind(parsed)
        except BaseException:
            bound.close()
            raise
    except (OSError, RuntimeError, OverflowError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        advice = f"set another address in {setting}, such as 127.0.0.1:8001"
        raise CannotListen(f"can't listen on {address}: {reason}; {advice}") from error
    # The next version can bind to the address as well
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    return bound
