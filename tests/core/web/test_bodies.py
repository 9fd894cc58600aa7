"""Bodies of requests: how much of one is read."""

from __future__ import annotations

import io

from falcon.testing import create_environ

from core.testing import Served


def test_a_body_without_a_length_is_read_to_its_limit(server: Served) -> None:
    def send(content: bytes) -> int:
        said: list[str] = []
        environ = create_environ("/thirdparties", method="POST", headers={"DOLAPIKEY": server.settings.admin_key})
        environ.pop("CONTENT_LENGTH", None)
        environ |= {
            "HTTP_TRANSFER_ENCODING": "chunked",
            "CONTENT_TYPE": "application/json",
            "wsgi.input": io.BytesIO(content),
        }
        b"".join(server.app(environ, lambda status, headers: said.append(status)))
        return int(said[0][:3])

    assert send(b'{"name": "Chunked Ltd"}') == 200
    assert send(b" " * (server.settings.max_body + 1)) == 413


def test_a_vertical_tab_is_no_empty_body(server: Served) -> None:
    answer = server.client().simulate_request(
        "PUT", "/thirdparties/1", body="\x0b", headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == 400
