"""Why a request is refused before, or beneath, the application; each says what its client is answered."""

from __future__ import annotations


class Refusal(Exception):
    """A request that is not answered by the application."""

    status = 500
    reason = "Internal Server Error"
    message = ""

    def __init__(self, message: str = "") -> None:
        super().__init__(message)
        self.message = message or self.message


class NotHttp(Refusal):
    """A head that is not proper HTTP, although gunicorn takes it."""

    status, reason = 400, "Bad Request"


class TooSlow(Refusal):
    """A request did not come to its end in time."""

    status, reason = 408, "Request Timeout"
    message = "the request didn't arrive in time; send it again"


class TooLong(Refusal):
    """A body without a Content-Length has become longer than it may be."""

    status, reason = 413, "Content Too Large"


class TooMuch(Refusal):
    """More is being uploaded by all together than there is room for."""

    status, reason = 503, "Service Unavailable"
    message = "too many bytes are being uploaded at once; try again later"


class Stuck(Refusal):
    """Answering took longer than it may."""

    status, reason = 503, "Service Unavailable"
    message = "the response took longer than COMPTOIR_TIMEOUT; the change may have been made, so read the record first"
