"""What stands behind || in a note was for the office."""

from peewee import TextField


def migrate(tables):
    tables.add("worktime_entry", "internal_note", TextField(default=""))
    for id, note in tables.rows("SELECT id, note FROM worktime_entry WHERE note LIKE ?", "%||%"):
        public, internal = note.split("||", 1)
        tables.set("worktime_entry", {"note": public.strip(), "internal_note": internal.strip()}, "id = ?", id)
