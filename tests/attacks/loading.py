"""Module files: names of native ones, texts in the explorer, and reasons why one can't be loaded."""

from .rows import row


def _remove(path):
    for each in sorted(path.rglob("*"), reverse=True) if path.is_dir() and not path.is_symlink() else ():
        each.rmdir() if each.is_dir() and not each.is_symlink() else each.unlink()
    path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink(missing_ok=True)


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
