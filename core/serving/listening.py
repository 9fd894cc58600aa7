"""Addresses to listen on, found out about before anything else is done."""

from __future__ import annotations

import os
import socket

from gunicorn import util  # type: ignore[import-untyped]

#: set in a process that a master has started to take over from it, over the same sockets
_TAKES_OVER = "GUNICORN_PID"


class CannotListen(Exception):
    """The address cannot be listened on; says why."""


def ensure_can_listen(bind: str) -> None:
    """Check that the server can listen on addresses.

    :param bind: separated by commas; sockets in the file system are passed over
    :raises CannotListen: it can't listen on one
    """
    if _TAKES_OVER in os.environ:
        return
    for each in bind.split(","):
        if not each.strip().startswith("unix:"):
            bound_socket(each.strip()).close()


def bound_socket(address: str) -> socket.socket:
    """A socket that is bound to an address and a port. A new core beside the old one may have the same.

    :raises CannotListen: it cannot be
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
        raise CannotListen(f"can't listen on {address}: {reason}") from error
    # Whoever takes over from this one may bind to it as well
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    return bound
