"""The receivers of the guide as processes."""

import os
import re
import subprocess
import sys
from contextlib import contextmanager

from explorer.guide_pages import guide_pages
from tests.serving.running import own_port, wait_until

#: language → the command that runs a file on a port
COMMANDS = {
    "python": lambda file, port: [sys.executable, file],
    "php": lambda file, port: ["php", "-S", f"127.0.0.1:{port}", file],
    "js": lambda file, port: ["node", file],
}


def programs():
    """Return the programs of the page, by language."""
    [page] = [each for each in guide_pages() if each.name == "receivers"]
    return dict(re.findall(r"^```([a-z]+)\n(.*?)^```$", page.text, re.MULTILINE | re.DOTALL))


class Receiver:
    """A receiver that runs.

    :param output: the file with what it prints
    """

    def __init__(self, port, output):
        self.port, self._output = port, output

    @property
    def lines(self):
        return self._output.read_text().splitlines()

    def wait_for(self, line, number=1):
        """Wait until it has printed lines that end so: it prints after it has responded."""
        wait_until(lambda: [each.endswith(line) for each in self.lines].count(True) == number, lambda: str(self.lines))


@contextmanager
def receiver(language, secret, folder):
    """Run the program of a language, with a port that the test has reserved."""
    file, output, port = folder / f"receiver.{language}", folder / "output", own_port()
    file.write_text(programs()[language])
    environment = os.environ | {"SECRET": secret, "PORT": str(port)}
    with output.open("w") as opened:
        command = COMMANDS[language](file, port)
        process = subprocess.Popen(command, env=environment, stdout=opened, stderr=subprocess.STDOUT)
    try:
        yield Receiver(port, output)
        assert process.poll() is None, output.read_text()
    finally:
        process.kill()
        process.wait()
