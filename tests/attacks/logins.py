"""Logging in: logins that look like another one, and guesses at the same moment."""

from concurrent.futures import ThreadPoolExecutor

from .people import PASSWORD
from .rows import row

#: guesses that a login and an address have before they are refused; more were no lock
FREE = 12
#: the proxy that stands before the server on this machine, whose word for an address is taken
_PROXY = "127.0.0.1"


def _somebody(field, login=""):
    """A user with the password that is planted."""
    login = login or field.people.fresh("loginsfor")
    field.people.add(login, [])
    field.made(f"/users/{field.people.ids[login]}", {"pass": PASSWORD}, verb="PUT")
    return login


def _try(field, login, password, source):
    """One attempt; an address of IPv6 is claimed by the proxy."""
    if ":" in source:
        return field.ask(
            "", "POST", "/login", {"login": login, "password": password}, {"X-Forwarded-For": source}, source=_PROXY
        )
    return field.ask("", "POST", "/login", {"login": login, "password": password}, source=source)


def _spellings(login):
    """What some databases take for the same name."""
    first, rest = login[:3], login[3:]
    odd = [
        f"{first}{each}{rest}"
        for each in ("\u00ad", "\x01", "\u200b", "\u200d", "\ufeff", "\x00", "\u0301", "\x7f", "\u2060", "\ufe0f")
    ]
    odd += [
        login.upper(),
        login.title(),
        login.replace("i", "\u0131"),
        login.replace("i", "\u0130"),
        login.replace("o", "\u00f6"),
        login.replace("s", "\u00df"),
        login.replace("o", "\uff4f"),
    ]
    odd += [
        f"{login} ",
        f" {login}",
        f"{login}\t",
        f"{login}\n",
        f"{login}\u00a0",
        login.replace("o", "0\u0338"),
        login.replace("o", "\u043e"),
        login.replace("f", "\ufb01"[:1]),
    ]
    return [each for each in odd if each != login]


@row(
    "login-spelling",
    "logins are compared exactly: no spelling that a database treats as equal opens an account",
)
def spellings(field, tally):
    """The right password under other spellings; and users whose names differ by these alone."""
    login = _somebody(field, field.people.fresh("spellingofi"))
    for number, spelling in enumerate(_spellings(login)):
        answer = _try(field, spelling, PASSWORD, f"127.1.1.{number + 1}")
        # Spaces at the ends are no part of what somebody types
        tally.check(
            answer.status in (400, 403) or spelling.strip() == login,
            f"{spelling!r} -> {answer.status} {answer.body[:60]!r}",
        )
    found = _try(field, login, PASSWORD, "127.1.1.250")
    tally.check(found.status == 200, f"the right spelling -> {found.status}")
    for number, spelling in enumerate((login.upper(), login.title())):
        made = field.ask("admin", "POST", "/users", {"login": spelling, "lastname": "x"})
        if made.status != 200:
            tally.check(made.status in (400, 405), f"a user {spelling} beside {login} -> {made.status}")
            continue
        field.made(f"/users/{made.json}", {"pass": f"{PASSWORD}-other"}, verb="PUT")
        for password, who in ((PASSWORD, login), (f"{PASSWORD}-other", spelling)):
            for each in (login, spelling):
                answer = _try(field, each, password, f"127.1.2.{number + 1}")
                tally.check(
                    (answer.status == 200) == (each == who), f"{each!r} with the password of {who!r} -> {answer.status}"
                )


@row("login-race", "failed logins at the same moment are all counted")
def race(field, tally):
    """Forty at once, on connections of their own."""
    for number in range(3):
        login = _somebody(field)
        body = [{"login": login, "password": f"guess {each}"} for each in range(40)]
        with ThreadPoolExecutor(20) as pool:
            source = f"127.4.1.{number + 1}"
            sent = [pool.submit(field.apart, "", "POST", "/login", each, None, source) for each in body]
        looked = [each.result().status for each in sent]
        tally.check(
            looked.count(403) <= FREE and 429 in looked, f"of 40 guesses at once {looked.count(403)} were looked at"
        )
