"""What the tests of proposals say to the server."""

#: 2026-11-21, midnight UTC
DAY = 1795219200
DAYS = 86400


def read(admin, identifier):
    return admin.get(f"/proposals/{identifier}")


def put(admin, identifier, body):
    return admin.ask("PUT", f"/proposals/{identifier}", body)
