"""nginx with the README's block in front of a server."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.needed import program
from tests.serving.running import ROOT, free_port, until

(BLOCK,) = re.findall(r"^```nginx\n(.*?)^```$", (ROOT / "README.md").read_text(), re.M | re.S)

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
def nginx(folder: Path, upstream: int, *, kept: bool = False) -> Iterator[int]:
    """nginx with the README's block meanwhile, before a server on another port; answers its own port.

    :param kept: clients share one connection to the server, and nothing is buffered: what one sends, and the server
        reads in another way than nginx, comes before the request of another
    """
    folder.mkdir()
    port = free_port()
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
            until(lambda: process.poll() is not None or listens(port))
            assert process.poll() is None, process.stderr and process.stderr.read()
            yield port
        finally:
            process.terminate()


def listens(port: int) -> bool:
    with socket.socket() as trial:
        return trial.connect_ex(("127.0.0.1", port)) == 0
