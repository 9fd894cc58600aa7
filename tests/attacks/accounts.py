"""What records show of others' accounts."""

from .rows import row


@row(
    "representatives",
    "callers without the permission to read users see only the ID and name of a user, in every record",
)
def representatives(field, tally):
    """Read those who represent third parties, and who have roles in documents."""
    person = field.people.fresh("toldof")
    field.people.add(
        person,
        [],
        **{
            "office_phone": "0123 planted",
            "job": "planted-job",
            "note_private": "planted-note",
            "address": "planted-street",
        },
    )
    user, own = field.people.ids[person], field.people.own
    field.made(f"/thirdparties/{own['thirdparties']}/representatives/{user}", None)
    for kind, role in (("proposals", "SALESREPFOLL"), ("orders", "SALESREPFOLL"), ("invoices", "SALESREPFOLL")):
        body = {"fk_socpeople": user, "type_contact": role, "source": "internal"}
        if field.published.find(f"POST /{kind}/{{id}}/contacts"):
            field.made(f"/{kind}/{own[kind]}/contacts", body)
    planted = (
        person.encode() + b"@example.org",
        b"planted-",
        b'"statut"',
        b'"admin"',
        b'"email":"',
        b'"datelastlogin"',
    )
    for who in ("internal", "external"):
        for path in (
            f"/thirdparties/{own['thirdparties']}/representatives",
            *(f"/{kind}/{own[kind]}/contacts" for kind in ("proposals", "orders", "invoices")),
        ):
            answer = field.ask(who, "GET", path)
            found = (
                [each for each in planted if each in answer.body]
                if "representatives" in path
                else [each for each in planted[:2] if each in answer.body]
            )
            tally.check(not found, f"{who} GET {path} tells {found}")
            logins = (
                [each["login"] for each in answer.json if isinstance(each, dict) and each.get("login")]
                if answer.status == 200 and answer.body[:1] == b"["
                else []
            )
            tally.check(not logins, f"{who} GET {path} tells the logins {logins}")
        posted = field.ask(who, "POST", f"/thirdparties/{own['thirdparties']}/representatives/{user}")
        found = [each for each in planted[:2] if each in posted.body]
        tally.check(not found, f"{who} POST …/representatives tells {found}")
