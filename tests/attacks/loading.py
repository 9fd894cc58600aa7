"""Module files: who may write them, what they are called, what they do when they are imported, what is told of them."""

import os
import re
import time

from tests.serving.running import wait_until

from .field import EVERY_WORKER
from .rows import row
from .wire import ask_apart

#: seconds after which a dropped file has been seen by every worker
SEEN = 4.0
#: seconds after which a file that never ends must have been passed over, on a machine that others use, too
HOLDS_UP = 240.0


def _service(name, answer='"open"', *, above="", doc="X.", access="public"):
    return f'{above}\n\nclass {name.title()}:\n    """{doc}"""\n\n    def index(self) -> str:\n        """{doc}\n\n        :access: {access}\n        """\n        return {answer}\n'


def _refused(field, tally, name, words):
    """A file that was dropped in must not answer on any worker."""
    time.sleep(SEEN / 2)
    told = {(answer := field.apart("", "GET", f"/{name}")).status: answer.body for _ in range(EVERY_WORKER)}
    tally.check(200 not in told, f"{words} answers {told.get(200, b'')[:60]!r}")


def _remove(path):
    for each in sorted(path.rglob("*"), reverse=True) if path.is_dir() and not path.is_symlink() else ():
        each.rmdir() if each.is_dir() and not each.is_symlink() else each.unlink()
    path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink(missing_ok=True)


@row(
    "S90",
    "a module file isn't loaded if other users can write, own or replace it, or can write its folder",
)
def writable(field, tally):
    """Change modes and owners of the file and of every folder above it."""
    modules = field.server.modules
    cases = {
        "wideopen": lambda file: file.chmod(0o666),
        "grouped": lambda file: (
            (os.chown(file, 0, 12345), file.chmod(0o664)) if os.geteuid() == 0 else file.chmod(0o662)
        ),
        "folderopen": lambda file: file.parent.chmod(0o777),
        "moduleopen": lambda file: file.parent.parent.chmod(0o777),
    }
    if os.geteuid() == 0:
        cases["owned"] = lambda file: os.chown(file, 12345, 12345)
        cases["folderowned"] = lambda file: os.chown(file.parent, 12345, 12345)
        cases["moduleowned"] = lambda file: os.chown(file.parent.parent, 12345, 12345)
        cases["foldergroup"] = lambda file: (os.chown(file.parent, 0, 12345), file.parent.chmod(0o775))
    for name, open_up in cases.items():
        staged = field.outside / name
        file = staged / "class" / f"api_{name}.py"
        file.parent.mkdir(parents=True)
        file.write_text(_service(name))
        file.chmod(0o644)
        open_up(file)
        staged.rename(modules / name)
    for name in cases:
        _refused(field, tally, name, name)
        _remove(modules / name)
    outside = field.outside / "linked" / "class" / "api_linked.py"
    outside.parent.mkdir(parents=True)
    outside.write_text(_service("linked"))
    (modules / "linked").symlink_to(outside.parent.parent)
    (modules / "linkedfile" / "class").mkdir(parents=True)
    (modules / "linkedfile" / "class" / "api_linkedfile.py").symlink_to(outside)
    for name in ("linked", "linkedfile"):
        _refused(field, tally, name, f"{name}, a link that leads out,")
        _remove(modules / name)
    field.server.write("closed/class/api_closed.py", _service("closed"))
    tally.same(
        200, ask_apart(field.server.port, "GET", field.dropped("closed")).status, "a file that nobody else may write"
    )
    _remove(modules / "closed")


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
    time.sleep(SEEN)
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
    time.sleep(SEEN / 2)
    field.look_again()


@row("S92", "no file or folder name leads outside, impersonates another or hides one")
def names(field, tally):
    """Names that are no names."""
    modules = field.server.modules
    odd = ("api_..x.py", "api_.py", "api___init__.py", "api_\u0445.py", "api_a b.py", "api_a;b.py", "api_a\nb.py", "api_json.py", "api_os.py", "api_sys.py", "api_core.py", "api_modules.py", "api_con.py",
           "API_x.py", "api_x.PY", "api_x.py.txt", "api_x.pyc", "api_\u200bx.py", "api_1x.py", "api_.x.py", "api_<script>.py", "api_x'y.py", "api_%2e.py", "api_\u2044x.py")  # fmt: skip
    before = field.published.rights
    for number, name in enumerate(odd):
        folder = modules / f"odd{number}" / "class"
        folder.mkdir(parents=True)
        (folder / name).write_text(_service("json" if "json" in name else "x", '__import__("os").sep'))
    for folder_name in (
        "..evil",
        "a b",
        "json",
        "os",
        "core",
        "modules",
        "class",
        "\u0445",
        "con",
        "-x",
        "x.y",
        "__pycache__",
        "CORE",
    ):
        folder = modules / folder_name / "class"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"api_{re.sub('[^a-z]', '', folder_name.lower()) or 'y'}y.py").write_text(_service("zz"))
    time.sleep(SEEN)
    for path in ("/..x", "/__init__", "/\u0445", "/a b", "/1x", "/x'y", "/<script>", "/%2e", "/./x", "/api"):
        answer = field.ask("clerk", "GET", path)
        tally.check(answer.status in (400, 401, 404, 302), f"{path} -> {answer.status} {answer.body[:80]!r}")
    # Two that differ by case are one service
    field.server.write("case/class/api_twin.py", _service("twin", '"first"'))
    field.server.write("case/class/api_TWIN.py", _service("twin", '"second"'))
    path = field.dropped("twin")
    told = {ask_apart(field.server.port, "GET", path).body for _ in range(EVERY_WORKER)}
    tally.check(len(told) == 1, f"two files that differ by case answer {told}")
    for who, service in (
        ("clerk", "/thirdparties?limit=1"),
        ("", "/health/live"),
        ("clerk", "/status"),
        ("admin", "/explorer/openapi.json"),
    ):
        tally.same(200, field.ask(who, "GET", service).status, f"{service} beside odd names")
    tally.check(set(before) <= set(field.published.rights), "rights are gone")
    for each in modules.iterdir():
        if each.name != "who":
            _remove(each)
    time.sleep(SEEN / 2)
    field.look_again()


@row("S93", "a file that exits, blocks, changes or breaks the importing process disables only itself")
def breaking(field, tally):
    """Drop such files, one after the other, and keep asking for everything else."""
    texts = {
        "exits": "import sys\nsys.exit()",
        "ends": "import os\nos._exit(3)",
        "kills": "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
        "parent": "import os, signal\nos.kill(os.getppid(), signal.SIGUSR1) if False else None\nraise KeyboardInterrupt",
        "syntax": "def",
        "half": "class Half:\n    def index(self",
        "recurses": "def f():\n    f()\nf()",
        "memory": "import resource\nx = bytearray(10**12)",
        "closes": "import os\nfor each in range(3, 200):\n    try:\n        os.close(each)\n    except OSError:\n        pass",
        "moves": "import os\nos.chdir('/')",
        "nulls": "x = '\x00'",
        "crashes": "import ctypes\nctypes.string_at(0)",
        "loops": "while True:\n    pass",
    }
    alive = field.server.workers
    for name, above in texts.items():
        field.server.write(f"{name}/class/api_{name}.py", _service(name, above=above))
        time.sleep(0.5)
        for who, path in (("", "/health/live"), ("clerk", "/status"), ("clerk", "/thirdparties?limit=1")):
            answer = field.ask(who, "GET", path)
            tally.check(answer.status == 200, f"beside {name}: {path} -> {answer.status}")
    # A file that holds up its trial is given some seconds of the processor, which others may want as well
    end = time.monotonic() + HOLDS_UP
    while time.monotonic() < end and any(field.apart("", "GET", f"/{name}").status == 404 for name in texts):
        time.sleep(0.5)
    for name in texts:
        answer = field.ask("clerk", "GET", f"/{name}")
        tally.check(
            answer.status in (200, 501) if name in ("moves", "closes", "exits") else answer.status == 501,
            f"{name} -> {answer.status}",
        )
    tally.same(sorted(alive), sorted(field.server.workers), "the workers")
    # A file that grows while it is read
    target = field.server.modules / "grows/class/api_grows.py"
    target.parent.mkdir(parents=True)
    whole = _service("grows", '"whole"')
    for end in range(0, len(whole), 40):
        target.write_text(whole[:end])
        answer = field.ask("clerk", "GET", "/grows")
        tally.check(answer.status in (404, 501), f"a file of {end} bytes -> {answer.status}")
    target.write_text(whole)
    wait_until(
        lambda: {ask_apart(field.server.port, "GET", "/grows").body for _ in range(EVERY_WORKER)} == {b'"whole"'}
    )
    tally.same(200, field.ask("", "GET", "/grows").status, "the whole file")
    for each in (*texts, "grows"):
        _remove(field.server.modules / each)


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


@row("S95", "a removed module stops responding on every worker and disappears from every description")
def removed(field, tally):
    """Take files away and ask every worker."""
    for number in range(3):
        name = f"taken{number}"
        field.server.write(f"{name}/class/api_{name}.py", _service(name))
        tally.same(200, ask_apart(field.server.port, "GET", field.dropped(name)).status, f"/{name} before")
        _remove(field.server.modules / name)
        end = time.monotonic() + SEEN
        while time.monotonic() < end and {
            ask_apart(field.server.port, "GET", f"/{name}").status for _ in range(EVERY_WORKER)
        } != {404}:
            time.sleep(0.1)
        told = {field.apart("", "GET", f"/{name}").status for _ in range(EVERY_WORKER)}
        tally.same({404}, told, f"/{name} afterwards")
        tally.check(
            f"/{name}".encode() not in field.ask("admin", "GET", "/explorer/openapi.json").body, f"/{name} is described"
        )


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
