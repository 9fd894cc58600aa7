"""nginx with the block of `core/RUNNING.md` in front of a server."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import subprocess

from tests.needed import program
from tests.serving.running import ROOT, own_port, wait_until

#: a server with TLS at `/`, and the three lines that differ below a path
SERVER, BELOW_A_PATH = re.findall(r"^```nginx\n(.*?)^```$", (ROOT / "core/RUNNING.md").read_text(), re.M | re.S)


def _below_a_path():
    """Return the location of the server, changed as the page says."""
    location: str
    (location,) = re.findall(r"^ *location / \{.*?^ *\}\n", SERVER, re.M | re.S)
    for line in BELOW_A_PATH.splitlines():
        # What both lines have in common, such as `proxy_set_header X-Forwarded-Prefix`
        name = line.rpartition(" ")[0] if "{" not in line else "    location"
        (present,) = re.findall(rf"^ *{name.strip()} \S+.*\n", location, re.M)
        location = location.replace(present, f"{line}\n")
    return location


BLOCK = _below_a_path()

_CONFIGURATION = """
daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
{user}
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/bodies;
    proxy_temp_path {folder}/answers;
    {upstream}
    fastcgi_temp_path {folder}/a;
    uwsgi_temp_path {folder}/b;
    scgi_temp_path {folder}/c;
    server {{
        listen 127.0.0.1:{port};
        {block}
    }}
}}
"""


@contextlib.contextmanager
def nginx(folder, upstream, *, kept=False):
    """nginx with the block meanwhile, in front of a server on another port; yields its own port.

    :param kept: clients share one connection to the server, and nothing is buffered: what one sends, and the server
        reads in another way than nginx, comes before the request of another
    """
    folder.mkdir()
    port = own_port()
    assert BLOCK.count("127.0.0.1:8000") == 1
    block = BLOCK.replace("127.0.0.1:8000", f"127.0.0.1:{upstream}")
    servers = ""
    if kept:
        servers = f"upstream kept {{ server 127.0.0.1:{upstream}; keepalive 1; }}"
        block = block.replace(f"127.0.0.1:{upstream}", "kept").replace(
            "gzip on;", "proxy_request_buffering off; proxy_buffering off;"
        )
    user = "user root;" if os.geteuid() == 0 else ""
    file = folder / "nginx.conf"
    file.write_text(_CONFIGURATION.format(folder=folder, user=user, port=port, block=block, upstream=servers))
    command = [str(program("nginx")), "-e", f"{folder}/early.log", "-p", str(folder), "-c", str(file)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            wait_until(lambda: process.poll() is not None or listens(port))
            assert process.poll() is None, process.stderr and process.stderr.read()
            yield port
        finally:
            process.terminate()


def listens(port):
    with socket.socket() as trial:
        return trial.connect_ex(("127.0.0.1", port)) == 0
