"""Calls that the server itself makes: there are none that a caller could direct."""

import ast

from tests.serving.running import ROOT

from .rows import row

#: what calls others; files that import it call nobody whom a request names
_CALLERS = {"urllib.request", "http.client", "requests", "httpx", "aiohttp", "urllib3", "smtplib", "ftplib", "socket"}
#: address of clients, of the server's own sockets, of the database: none is named by a request
_KNOWN = (
    "core/serving/",
    "core/commands/",
    "core/common/",
    "core/storage/",
    "core/transfer/",
    "core/loading/",
    "core/web/",
)


def _imports(text):
    found = set()
    if not any(each.partition(".")[0] in text for each in _CALLERS):
        return found
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
    return found


def _no_calls(field, tally):
    for folder in ("modules", "explorer", "core"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            name = str(file.relative_to(ROOT))
            found = _imports(file.read_text()) & _CALLERS
            tally.check(
                not found or (found == {"socket"} and name.startswith(_KNOWN)), f"{name} may call others: {found}"
            )
    addresses = [
        f"{each.name} {name}"
        for each in field.published.operations
        for name, said in each.fields.items()
        if said.get("format") in ("uri", "url") and "webhook" in each.path
    ]
    tally.check(not addresses, f"addresses that the server might call: {addresses}")


@row("S60", "no request makes the server call an address, internal or external")
def addresses(field, tally):
    """There are no webhooks: see that nothing which calls others is there."""
    _no_calls(field, tally)
    tally.nothing(
        "there are no webhooks, and no operation fetches an address; what was tried is that no file of the server could"
    )
