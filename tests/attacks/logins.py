"""Logging in: names that are taken for others, guesses under many spellings and addresses, others who are locked out."""

import re
import time
from concurrent.futures import ThreadPoolExecutor

from .people import PASSWORD
from .rows import row
from .wire import timed

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


@row("login-count", "failed logins are counted for the intended user, whatever the spelling and the client address")
def counted(field, tally):
    """One password after the other under spellings, as e-mail, and from many addresses of one network."""
    login = _somebody(field)
    told = [
        _try(field, spelling, f"guess {number}", "127.2.1.1").status
        for number, spelling in enumerate(_spellings(login) * 2)
    ]
    tally.check(
        told.count(403) <= FREE * 2 and 200 not in told,
        f"under spellings, {told.count(403)} of {len(told)} guesses were looked at",
    )
    login = _somebody(field)
    names = [login, f"{login}@example.org"] * 20
    told = [_try(field, name, f"guess {number}", "127.2.1.2").status for number, name in enumerate(names)]
    tally.check(
        told.count(403) <= FREE and 200 not in told,
        f"by name and e-mail, {told.count(403)} of {len(told)} guesses were looked at",
    )
    login = _somebody(field)
    told = [_try(field, login, f"guess {number}", f"2001:db8:7:7::{number + 1:x}").status for number in range(40)]
    tally.check(
        told.count(403) <= FREE and 200 not in told,
        f"from one network of IPv6, {told.count(403)} of 40 guesses were looked at",
    )
    login = _somebody(field)
    told = [
        _try(field, login, f"guess {number}", f"127.2.{2 + number // 200}.{number % 200 + 1}").status
        for number in range(200)
    ]
    tally.check(
        told.count(403) < 100 and 200 not in told,
        f"from 200 addresses, {told.count(403)} of 200 guesses were looked at",
    )


@row(
    "login-lockout",
    "a user can't be locked out by others: the correct password works from another address",
)
def lockout(field, tally):
    """Fail for somebody from an address; then that one comes from another. Then an office behind one address."""
    for sources in (
        ["127.3.1.1"] * 40,
        [f"127.3.2.{number + 1}" for number in range(60)],
        [f"2001:db8:{number:x}::1" for number in range(40)],
    ):
        login = _somebody(field)
        for number, source in enumerate(sources):
            _try(field, login, f"guess {number}", source)
        for source in ("127.3.9.1", "2001:db8:ffff::1"):
            answer = _try(field, login, PASSWORD, source)
            tally.check(
                answer.status == 200,
                f"after {len(sources)} guesses of others the right password from {source} -> {answer.status}",
            )
    office = "127.3.3.1"
    clumsy = _somebody(field)
    for number in range(40):
        _try(field, clumsy, f"guess {number}", office)
    for _ in range(5):
        colleague = _somebody(field)
        answer = _try(field, colleague, PASSWORD, office)
        tally.check(
            answer.status == 200, f"beside somebody who mistypes, a colleague's right password -> {answer.status}"
        )
    answer = _try(field, clumsy, PASSWORD, office)
    tally.check(
        answer.status == 429, f"after 40 guesses from one address the right one passes there -> {answer.status}"
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


@row("login-waiting", "a rejected login gets 429 and Retry-After immediately; no worker waits")
def waiting(field, tally):
    """Be refused a hundred times while others work."""
    login = _somebody(field)
    for number in range(30):
        _try(field, login, f"guess {number}", "127.5.1.1")

    def attack(number):
        seconds, answer = timed(lambda: _try(field, login, f"more {number}", "127.5.1.1"))
        held = (
            answer.status == 429
            and re.fullmatch(r"[1-9]\d*", answer.headers.get("retry-after", "")) is not None
            and seconds < 3
        )
        tally.check(held, f"a refusal took {seconds:.1f} s -> {answer.status} {answer.headers.get('retry-after')}")

    began = time.monotonic()
    field.each(range(100), attack)
    tally.check(time.monotonic() - began < 15, f"100 refusals took {time.monotonic() - began:.0f} s")
    seconds, answer = timed(lambda: field.ask("clerk", "GET", "/status"))
    tally.check(answer.status == 200 and seconds < 2, f"beside refusals a request took {seconds:.1f} s")
