"""A served application at an address, for programs that call it over HTTP."""

import threading
from contextlib import contextmanager
from wsgiref.simple_server import WSGIRequestHandler, make_server

from core.storage.database import close


class _Quiet(WSGIRequestHandler):
    def log_message(self, format, *args):
        """Say nothing."""


@contextmanager
def address_of(served):
    """Serve requests in a thread; return the address."""
    server = make_server("127.0.0.1", 0, served.app, handler_class=_Quiet)

    def serve():
        server.serve_forever(poll_interval=0.05)
        close()

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
        served.close()
