"""Module files: names of native ones, texts in the explorer, and reasons why one can't be loaded."""

import re

from .rows import row


def _service(name, answer='"open"', *, doc="X.", access="public"):
    return f'class {name.title()}:\n    """{doc}"""\n\n    def index(self) -> str:\n        """{doc}\n\n        :access: {access}\n        """\n        return {answer}\n'


def _remove(path):
    for each in sorted(path.rglob("*"), reverse=True) if path.is_dir() and not path.is_symlink() else ():
        each.rmdir() if each.is_dir() and not each.is_symlink() else each.unlink()
    path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink(missing_ok=True)


@row("S91", "a module can't take over a path, permission or name of a native module")
def shadows(field, tally):
    """Drop services called like native ones."""
    before = {each.name: each.permission for each in field.published.operations}
    for name in (
        "thirdparties",
        "users",
        "login",
        "explorer",
        "health",
        "metrics",
        "api",
        "status",
        "setup",
        "documents",
    ):
        field.server.write(f"shadow{name}/class/api_{name}.py", _service(name, '"taken"'))
        field.server.write(f"shadow2{name}/class/api_{name.upper()}.py", _service(name, '"taken"'))
    field.server.write(
        "shadowurl/class/api_shadowurl.py",
        _service("shadowurl", '"taken"').replace(
            ":access:", ":url: GET /thirdparties/{id}\n        :url: GET ../users\n        :access:"
        ),
    )
    # A folder of a native module's name
    field.server.write("users/class/api_users.py", _service("users", '"taken"'))
    field.server.settle()
    for path in (
        "/thirdparties",
        "/users",
        "/login",
        "/explorer",
        "/health",
        "/health/live",
        "/metrics",
        "/api",
        "/status",
        "/setup",
        "/documents",
        "/thirdparties/1",
        "/api/users",
    ):
        for who in ("", "clerk"):
            answer = field.ask(who, "GET", path)
            tally.check(b"taken" not in answer.body, f"{path} is answered by a module that was dropped in")
    field.look_again()
    after = {each.name: each.permission for each in field.published.operations}
    tally.same(before, {name: after.get(name) for name in before}, "the rights of native operations")
    for file in [*field.server.modules.glob("shadow*"), field.server.modules / "users"]:
        _remove(file)
    field.server.settle()
    field.look_again()


@row("S94", "the explorer shows a module's texts as plain text and runs only its own scripts")
def docstrings(field, tally):
    """Scripts in docstrings, names and messages; the policy of the page."""
    evil = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    field.server.write(
        "shown/class/api_shown.py", _service("shown", doc=f"{evil} `x`_ javascript:alert(1) [x](javascript:alert(1))")
    )
    field.server.write("failed/class/api_failed.py", f"raise ValueError({evil!r})")
    field.dropped("shown")
    for path in (
        "/explorer/",
        "/explorer",
        "/explorer/shown",
        "/explorer/openapi.json",
        "/explorer/index.json",
        "/explorer/openapi/shown.json",
        "/explorer/modules",
    ):
        for who in ("admin", ""):
            answer = field.ask(who, "GET", path)
            kind, policy = answer.headers.get("content-type", ""), answer.headers.get("content-security-policy", "")
            if "html" in kind:
                held = (
                    b"alert(1)" not in answer.body
                    and "script-src 'self'" in policy
                    and "unsafe" not in policy
                    and answer.headers.get("x-frame-options") == "DENY"
                )
                tally.check(
                    held and not re.search(rb"<script(?![^>]*src)[^>]*>|\son\w+=", answer.body), f"{path} -> {policy}"
                )
            else:
                tally.check(
                    kind.startswith("application/json") and answer.headers.get("x-content-type-options") == "nosniff",
                    f"{who} {path} -> {kind}",
                )
    for each in ("shown", "failed"):
        _remove(field.server.modules / each)


@row("S96", "only administrators with an unrestricted key see why a module can't be loaded")
def reasons(field, tally):
    """Ask for it in every way."""
    field.server.write(
        "broken/class/api_broken.py", 'SECRET = "planted-module-3b1d"\nraise ValueError(SECRET + __file__)'
    )
    path = field.dropped("broken")
    restricted = field.made(
        f"/users/{field.made('/users/info', None, verb='GET')['id']}/keys",
        {"label": "narrow", "rights": ["thirdparties.read", "setup.read"]},
    )["key"]
    everybody = ("", "nobody", "clerk", "external", "internal", restricted)
    for who in everybody:
        for asked in (
            path,
            f"{path}/1",
            "/explorer/index.json",
            "/explorer/modules",
            "/explorer/openapi.json",
            "/explorer/openapi/broken.json",
            "/setup/modules",
            "/metrics",
        ):
            answer = field.ask(who, "GET", asked)
            held = (
                b"planted-module" not in answer.body
                and str(field.folder).encode() not in answer.body
                and b"ValueError" not in answer.body
            )
            tally.check(held, f"{who[:9]} GET {asked} tells {answer.body[:120]!r}")
    answer = field.ask("admin", "GET", "/explorer/index.json")
    tally.check(
        b"planted-module"
        in field.wire.ask("GET", "/explorer/index.json", headers={"DOLAPIKEY": field.people.keys["admin"]}).body,
        f"an administrator is told nothing: {answer.body[:60]!r}",
    )
    _remove(field.server.modules / "broken")
