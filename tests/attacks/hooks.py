"""What is open to other servers and to browsers: signed bodies, redirects, files that a browser shows."""

import base64
import hashlib
import hmac

from .rows import row
from .wire import with_query

SECRET = "planted-signature-4b7d"
#: the attackers' own service: a module with all that these rows attack
HOOKS = f'''
import base64
import hashlib
import hmac

from core import BadRequest, File, RawBody, Redirect, Unauthorized


class Hooks:
    """Calls of other servers and of browsers.

    :access: public
    """

    def post(self, body: RawBody) -> int:
        """Take a signed message."""
        sent = body.headers.get("X-Signature", "").encode()
        expected = hmac.new(b"{SECRET}", body.content, hashlib.sha256).hexdigest().encode()
        if not hmac.compare_digest(sent, expected):
            raise Unauthorized("wrong signature")
        return len(body.content)

    def go(self, url: str) -> Redirect:
        """Go to a URL."""
        try:
            return Redirect(url)
        except ValueError as error:
            raise BadRequest(errors=[("url", str(error))]) from None

    def shown(self, kind: str, content: str) -> File:
        """Show a file."""
        try:
            return File(base64.b64decode(content), "a", kind, inline=True)
        except ValueError as error:
            raise BadRequest(errors=[("kind", str(error))]) from None
'''

_BODY = b'{"amount":  12}\n'


def _signature(body, secret=SECRET):
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


@row("S44-signatures", "a signed body is accepted only with the whole signature of exactly its bytes")
def signatures(field, tally):
    """Send no signature, a part of one, one of another body, and the right one in another form."""
    right = _signature(_BODY)

    def sent(signature, body=_BODY, **more):
        headers = more if signature is None else {"X-Signature": signature, **more}
        return field.ask("", "POST", "/hooks", body, headers)

    answer = sent(right)
    tally.same((200, len(_BODY)), (answer.status, answer.json), "the right one")
    odd = [None, "", " ", "null", "None", "true", "0", "[]", "{}", "undefined", right[:-1], right[:8], right[1:], f"{right}0", right.upper(), f"['{right}']",
           f'"{right}"', f"{right},{right}", f"sha256={right}", "0" * 64, "\xe9" * 64, hashlib.sha256(_BODY).hexdigest(), _signature(_BODY, ""),
           _signature(_BODY, "null"), _signature(b""), right.replace(right[0], "%" + format(ord(right[0]), "x"), 1), "a" * 7000]  # fmt: skip
    for each in odd:
        tally.same(401, sent(each).status, f"{str(each)[:50]!r}")
    for body in (
        b"",
        b" ",
        _BODY[:-1],
        _BODY + b" ",
        _BODY.strip(),
        _BODY.replace(b"12", b"99"),
        b"null",
        b"[]",
        _BODY * 2,
    ):
        tally.same(401, sent(right, body).status, f"the signature of another body than {body[:30]!r}")
    for kind in ("multipart/form-data", "application/x-www-form-urlencoded", "text/plain", "x"):
        tally.same(401, sent(right, b"amount=12", **{"Content-Type": kind}).status, kind)
    tally.same(413, sent(right, b"x" * 20_000).status, "a long body without a key")
    for head in (
        b"X-Signature: RIGHT\r\nX-Signature: RIGHT",
        b"X-Signature: \r\nX-Signature: RIGHT",
        b"X_Signature: RIGHT",
        b"X-Signature : RIGHT",
    ):
        request = b"POST /hooks HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %d\r\n%s\r\n\r\n%s"
        answered = field.raw(request % (len(_BODY), head.replace(b"RIGHT", right.encode()), _BODY), wait=5)
        tally.check(answered.startswith((b"HTTP/1.1 401", b"HTTP/1.1 400")), f"{head!r} -> {answered[:60]!r}")


@row("redirects", "no redirect leads to a host that the operator hasn't listed")
def redirects(field, tally):
    """URLs that a browser reads as another host's, and paths that could become such."""
    outside = ["//evil.example", "///evil.example", "/\\evil.example", "\\\\evil.example", "/\t/evil.example", "/\n/evil.example", "https://evil.example",
               "http://evil.example", "https:evil.example", "https:/evil.example", "https:\\\\evil.example", "//evil.example/%2f..", "https://x@evil.example",
               "javascript:alert(1)", "data:text/html,<script>", "/\x00/evil.example", "/a\r\nSet-Cookie: a=b", "/a\nLocation: //evil.example",
               "\x0bhttps://evil.example", "/\u2028/evil.example", "\u3000//evil.example", "evil.example", "?//evil.example"]  # fmt: skip
    for url in outside:
        answer = field.ask("", "GET", with_query("/hooks/go", url=url))
        held = answer.status == 400 and "location" not in answer.headers
        tally.check(held, f"{url!r} -> {answer.status} {answer.headers.get('location')!r}")
    for url in (
        "/status",
        "/a:b",
        "/https:evil.example",
        "/javascript:alert(1)",
        "/.//evil.example",
        "/%2fevil.example",
        "/@evil.example",
    ):
        for path in ("/hooks/go", "/api/index.php/hooks/go"):
            answer = field.ask("", "GET", with_query(path, url=url))
            tally.same((303, f"../{url[1:]}"), (answer.status, answer.headers.get("location")), f"{path} {url}")


_PAGE = b"<html><script>alert(1)</script></html>"
_SVG = b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'


@row("S52-shown", "a browser shows only PDFs and pictures that begin as such, under a policy without scripts")
def shown(field, tally):
    """Pages and pictures with scripts, under their own type and under others."""

    def told(kind, content):
        return field.ask("", "GET", with_query("/hooks/shown", kind=kind, content=base64.b64encode(content).decode()))

    for kind in ("image/svg+xml", "text/html", "application/xhtml+xml", "text/xml", "application/xml", "text/plain", "image/bmp", "IMAGE/PNG",
                 "image/png;text/html", "image/png, text/html", "image/svg+xml;x=image/png", "multipart/x-mixed-replace", "*/*"):  # fmt: skip
        for content in (_PAGE, _SVG, b"\x89PNG\r\n\x1a\n"):
            tally.same(400, told(kind, content).status, f"{kind} with {content[:10]!r}")
    for kind in ("application/pdf", "image/png", "image/jpeg", "image/gif", "image/webp"):
        for content in (
            _PAGE,
            _SVG,
            b" %PDF-1.7",
            b"%!PS",
            b"GIF8",
            b"RIFF" + _PAGE,
            b"\xff\xd8" + _PAGE,
            b"\x89PNG\n" + _PAGE,
            b"PK\x03\x04",
            b"",
        ):
            headers = told(kind, content).headers
            held = headers.get("content-disposition", "").startswith("attachment")
            held &= headers.get("x-content-type-options") == "nosniff" and headers.get("content-type") == kind
            held &= headers.get("content-security-policy") == "sandbox; default-src 'none'"
            tally.check(held, f"{kind} with {content[:10]!r} -> {headers}")
    answer = told("image/gif", b"GIF89a" + _PAGE)
    kept = [
        answer.headers.get(each)
        for each in ("content-disposition", "content-security-policy", "x-content-type-options")
    ]
    tally.same(
        ['inline; filename="a"', "sandbox; default-src 'none'", "nosniff"], kept, "a page that begins as a picture"
    )
