"""Any program that has SQLite can open a database of the server, and write it."""

import sqlite3
from contextlib import closing

from core.storage.database import database
from tests.core.schema.authors import Author

NAME, TOWN = "    name = CharField(max_length=30, default='')", "    town = CharField(max_length=30, null=True)"
META = "sorted = ('{0}', 'town'); searched = ('{0}', 'town')"
RENAME = "def migrate(tables):\n    tables.rename('loyalty_card', 'name', 'title')\n"


def test_a_migrated_database_is_read_written_and_vacuumed(serve, folder):
    served = serve(modules=str(folder))
    admin = served.client()
    for name in ("Zoe", "éclair", "abc", "Abd"):
        thirdparty = admin.ask("POST", "/thirdparties", {"name": name, "town": "Lyon", "client": 1})
        admin.ask("POST", "/contacts", {"lastname": name, "socid": thirdparty})
        admin.ask("POST", "/orders", {"socid": thirdparty, "date": "2026-11-21", "lines": [{"desc": name, "qty": 1}]})
    author = Author(served, folder)
    assert author.says(NAME, TOWN, meta=META.format("name")) == ""
    for name in ("Zoe", "abc", "Abd"):
        author.add(name=name, town="Lyon")
    author.write("loyalty/migrations/0001_title.py", RENAME)
    assert author.says(NAME.replace("name", "title"), TOWN, meta=META.format("title")) == ""

    with closing(sqlite3.connect(database.obj.database, isolation_level=None)) as other:
        assert "CREATE TABLE" in "".join(other.iterdump())
        titles = other.execute("SELECT title FROM loyalty_card ORDER BY title COLLATE NOCASE").fetchall()
        assert titles == [("abc",), ("Abd",), ("Zoe",)]
        assert other.execute("SELECT title FROM loyalty_card ORDER BY title").fetchall()[0] == ("Abd",)
        other.execute("INSERT INTO loyalty_card (title, town) VALUES ('Mia', 'Oslo')")
        other.execute("UPDATE loyalty_card SET title = 'Ábel' WHERE title = 'Abd'")
        other.execute("DELETE FROM loyalty_card WHERE title = 'abc'")
        other.execute("UPDATE llx_societe SET nom = nom || ' Ltd', town = NULL")
        # Every column with an index for sorted lists
        sorted_columns = other.execute(
            "SELECT m.tbl_name, i.name FROM sqlite_master m, pragma_index_info(m.name) i "
            "WHERE m.type = 'index' AND substr(m.name, -8) = '__sorted' AND i.seqno = 0"
        ).fetchall()
        assert {("loyalty_card", "title"), ("llx_societe", "nom"), ("llx_user", "login")} <= {*sorted_columns}
        for table, column in sorted_columns:
            other.execute(f"UPDATE {table} SET {column} = {column} || ' '")
        assert other.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        other.execute("VACUUM")
        assert other.execute("PRAGMA integrity_check").fetchall() == [("ok",)]

    titles = [each["title"] for each in author.client.get("/cards", sortfield="t.title")]
    assert titles == ["Mia ", "Zoe ", "Ábel "]
    for words, found in (("mia oslo", ["Mia "]), ("abel", ["Ábel "]), ("abc", []), ("abd", [])):
        assert [each["title"] for each in author.client.get("/cards", q=words)] == found, words
    names = [each["name"] for each in admin.get("/thirdparties", sortfield="t.nom")]
    assert names == ["abc Ltd ", "Abd Ltd ", "Zoe Ltd ", "éclair Ltd "]
    assert len(admin.get("/thirdparties", q="ltd")) == 4
    assert admin.get("/thirdparties", q="lyon") == []
