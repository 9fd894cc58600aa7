"""The server in this process: each request passes the server's own connection and its whole application, but no socket."""

import http.client
import io
import logging
from contextlib import ExitStack
from unittest.mock import patch

from argon2 import PasswordHasher
from gunicorn.config import Config

from core.access import passwords
from core.access.keys import make_key
from core.serving.logs import Log, TextLines
from core.testing import serving
from tests.core.serving.conversation import Conversation
from tests.serving.running import ROOT, WHO

from .people import KEY
from .wire import Wire

#: loggers whose lines the server writes into its log
_LOGGERS = ("comptoir", "gunicorn.error", "py.warnings")


class Inside:
    """What `tests.serving.running.Running` is, as far as attacks need it."""

    #: how often one asks to be sure that each worker has been asked
    asks = 1

    def __init__(self, folder, kind, **options):
        self.modules = folder / "modules"
        self.write("who/class/api_who.py", WHO)
        self._lines = io.StringIO()
        self._ends = ExitStack()
        hasher = PasswordHasher(1, 8, 1)
        self._ends.enter_context(patch.multiple(passwords, _hasher=hasher, _NOBODY=hasher.hash("nobody")))
        (folder / "data").mkdir()
        options["modules"] = f"{self.modules}:{ROOT}/tests/samples/modules"
        served = self._ends.enter_context(serving(folder / "data", kind, **options))
        self.database = served.settings.database
        make_key(served.administrator.id, "attacks", key=KEY)
        self.wire = NearWire(served.app)

    def write(self, path, text):
        """Put a file into the module folder."""
        file = self.modules / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def started(self):
        """Keep what is logged from now on."""
        handler = logging.StreamHandler(self._lines)
        handler.setFormatter(TextLines())
        for name in _LOGGERS:
            logging.getLogger(name).addHandler(handler)
            self._ends.callback(logging.getLogger(name).removeHandler, handler)

    @property
    def output(self):
        """Everything that is logged."""
        return self._lines.getvalue()

    def end(self):
        """Another server may be active again."""
        self._ends.close()


class NearWire(Wire):
    """Connections to an application in this process."""

    def __init__(self, app):
        super().__init__(0)
        self._app = app

    def another(self):
        """A wire with connections of its own."""
        return NearWire(self._app)

    def open(self, source):
        """A connection from an address."""
        return _Connection(self._app, source)

    def raw(self, content, *, wait=3.0, source=""):
        """What is answered to these bytes."""
        talk = _Talk(self._app, client=source or "127.0.0.1")
        try:
            talk.sendall(content)
            return talk.read()
        finally:
            talk.close()


class _Talk(Conversation):
    """A conversation that is logged, as `http.client` uses a socket."""

    def __init__(self, app, client):
        super().__init__(app, client=client)
        configuration = Config()
        configuration.set("accesslog", "-")
        self.log = Log(configuration)

    def sendall(self, content):
        """Send it in pieces that the buffer of the socket holds; nothing more once the server has gone."""
        content = bytes(content)
        for start in range(0, len(content), 60_000):
            try:
                self.send(content[start : start + 60_000])
            except OSError:
                return

    def makefile(self, _mode):
        """Everything that has been answered."""
        return io.BytesIO(self.read())


class _Connection(http.client.HTTPConnection):
    def __init__(self, app, source):
        super().__init__("127.0.0.1")
        self._app, self._source = app, source or "127.0.0.1"

    def connect(self):
        self.sock = _Talk(self._app, self._source)
