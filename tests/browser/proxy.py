"""A small reverse proxy that takes a prefix off: what a company puts before such a server."""

import http.client
import threading
from contextlib import closing, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

#: what belongs to one connection
HOP_BY_HOP = {"connection", "transfer-encoding", "keep-alive", "host"}


@contextmanager
def proxy(port, prefix):
    """The address under which a server at a port is reached with a prefix, while it lasts."""

    class Handler(BaseHTTPRequestHandler):
        def forward(self):
            if not self.path.startswith(f"{prefix}/"):
                self.send_error(404)
                return
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            headers = {name: value for name, value in self.headers.items() if name.lower() not in HOP_BY_HOP}
            with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as behind:
                behind.request(self.command, self.path.removeprefix(prefix), body or None, headers)
                answer = behind.getresponse()
                content = answer.read()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in HOP_BY_HOP | {"content-length"}:
                    self.send_header(name, value)
            if answer.status != 304:
                self.send_header("Content-Length", str(len(content)))
            # A page that is left no longer reads
            with suppress(ConnectionError):
                self.end_headers()
                self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = forward

        def log_message(self, *_):
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}{prefix}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
