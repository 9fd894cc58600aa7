"""Requests that cost the server more than they cost the attacker."""

from .rows import row
from .wire import with_query


@row("S71", "a page never exceeds the maximum size, whatever limit is requested")
def pages(field, tally):
    """Limits and pages that are none or too large."""
    values = (
        "0",
        "-1",
        "1000000000",
        "abc",
        "1e9",
        "99999999999999999999",
        "1.5",
        "null",
        "",
        " 5",
        "٥",
        "0x10",
        "1;DROP",
        "5,6",
        "-0",
        "+3",
        "\x00",
        "NaN",
    )

    def attack(asked):
        path, name, value = asked
        answer = field.ask("clerk", "GET", with_query(path, **{name: value}))
        count = len(answer.json) if answer.status == 200 and answer.body[:1] == b"[" else 0
        tally.check(
            # A list below a record that isn't there doesn't look at the page
            answer.status in (200, 400, 401, *((404,) if path.count("/") > 1 else ())) and count <= 1000,
            f"{path} {name}={value!r} -> {answer.status}, {count} records",
        )

    lists, names = field.published.lists, ("limit", "page", "after", "count")
    field.each(
        [
            (field.path(each, "own"), name, value)
            for each, (name, value) in field.pairs(lists, [(name, value) for name in names for value in values], 12)
            if name in each.parameters
        ],
        attack,
    )
