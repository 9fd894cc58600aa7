"""Texts that attacks send."""

from __future__ import annotations

MARKED = "zq7marked"

#: filters that are none: each would read more, or something else, if it reached the statement
FILTERS = (
    f"1=1) UNION SELECT login, pass_crypted FROM llx_user WHERE '{MARKED}'='{MARKED}'--",
    "(t.rowid:=:1) UNION SELECT 1",
    "(t.rowid:=:1) or 1=1",
    "(t.rowid:=:1) or (1=1)",
    "(t.rowid:>:0) OR (SELECT 1)",
    "(t.rowid:=:1); DROP TABLE llx_societe",
    "(t.rowid:=:1); UPDATE llx_user SET admin=1",
    f"(t.rowid:=:1) -- {MARKED}",
    "(t.rowid:=:1) /* x */",
    "(t.rowid:=:1) # x",
    "(t.rowid:=:1 UNION SELECT 1)",
    "(t.rowid:=:(SELECT 1))",
    "(t.rowid:in:SELECT 1)",
    "(t.rowid:in:(SELECT rowid FROM llx_user))",
    "(t.rowid:in:1) or (1,2))",
    "(t.rowid = 1 or t.rowid:=:1)",
    "(t.rowid:= 1 or 1=1 or t.rowid =:1)",
    '(t.rowid" = 1 or "1:=:1)',
    "(t.rowid--:=:1)",
    "(t.rowid:;:1)",
    "(1:=:1) OR (1:=:1)",
    "(sleep(5):=:1)",
    "(pg_sleep(5):=:1)",
    "(benchmark(9999999,md5(1)):=:1)",
    "(randomblob(100000000):=:1)",
    "((((1=1))))",
    "'(' or 1=1 or ')'",
    "(t.rowid:=:1) or '(' = '(' or (t.rowid:=:1)",
    "rowid=2",
    "or 1=1",
    ")",
    "(",
    "())(",
    "(t.rowid:=:1",
    "t.rowid:=:1)",
    "(t.rowid:=:'1)",
    "(t.rowid:=:1)(t.rowid:=:2)",
    "(t.rowid:=:1)\x00",
    "(t.rowid:=:'a\x00b')",
    "(llx_user.pass_crypted:like:'a%')",
    "(x.rowid:=:1)",
    "(t.*:=:1)",
    "(t.rowid:regexp:'.*')",
    "(t.rowid:rlike:'.*')",
    "(t.rowid:exists:1)",
    "(t.rowid::1)",
    "(:::)",
    "(t.rowid:between:1 and 2 or 1=1)",
    "not",
    "and and",
    "(t.rowid:=:1) and",
    "((" * 5000,
    "(" * 1500 + "t.rowid:=:1" + ")" * 1500,
    "(t.rowid:=:1) or " * 300 + "(t.rowid:=:1)",
    "A" * 100_000,
    "(t.rowid:in:" + ",".join("1" * 1 for _ in range(45_000)) + ")",
    "(t.rowid:like:'" + "%a" * 50 + "')",
    "(t.rowid:=;:1)",
    "(t.rowid:=:%27 or 1=1)",
    "(t.password:like:'a%')",
    "((t.rowid:=:1)",
    "(t.rowid:=:1))",
    "(t.rowid:=:'1'' or ''1''=''1')x",
)
#: the same inside a value, where it is data: nothing may be found by it
VALUES = (
    "' or 1=1)--",
    "x' or '1'='1",
    "x\\') or 1=1 --",
    "1; DROP TABLE llx_societe",
    "%s%(a)s?:1$1{}",
    "') UNION SELECT login FROM llx_user--",
    "\\",
    "''",
    "%' ESCAPE 'x",
    "{{7*7}}",
    "%00",
    "0x31",
    "\u02bc or 1=1",
    "\uff07 or 1=1",
)
#: columns that are none
COLUMNS = (
    "(select 1)",
    "(select pass_crypted from llx_user limit 1)",
    "t.rowid;--",
    "t.rowid,(select 1)",
    "t.rowid desc, (select 1)",
    "case when 1=1 then t.rowid end",
    "1",
    "rand()",
    "t.rowid) UNION SELECT 1--",
    "`rowid`",
    '"rowid"',
    "t.rowid--",
    "t.rowid/**/",
    "t.\x00rowid",
    "llx_user.pass_crypted",
    "pass_crypted",
    "*",
    "t.*",
)
ORDERS = ("asc,(select 1)", "asc;--", "asc nulls first", "desc limit 1", "(select 1)", "asc\x00", "ASC/**/")
#: columns that hold secrets, by the names that systems of this kind have
SECRETS = (
    "pass_crypted", "password", "pass", "api_key", "digest", "token", "t.user.api_key", "t.pass_crypted", "t.digest",
    "user.pass_crypted", "fk_user.pass_crypted", "k.digest", "u.pass_crypted", "pass_temp",
)  # fmt: skip
#: names in a body that are no fields
NAMES = (
    "ref=1,x", "ref'", 'ref"', "`ref`", "ref) VALUES (1)--", "__class__", "__init__", "__dict__", "_meta", "id", "rowid",
    "t.ref", "ref;DROP TABLE llx_user", "constructor", "__proto__", "", " ", "\x00", "ref\n", "save", "objects", "pk",
    "id__in", "%s", "?", "dirty_fields", "__data__",
)  # fmt: skip
#: what templates, shells and formats would work out
TEMPLATES = (
    "{{7*191}}", "{{''.__class__.__mro__}}", "${7*191}", "#{7*191}", "<%= 7*191 %>", "{%for a in b%}1337{%endfor%}",
    "%(id)s", "{0.__class__}", "{id}", "$id", "`id`", "$(id)", "[[7*191]]", "{{config}}", "@{7*191}", "__import__('os')",
)  # fmt: skip
WORKED_OUT = ("1337", "<class", "uid=", "__mro__': ")
#: markup of the library that prints, and of browsers
MARKUP = (
    "<img src='http://127.0.0.1:{port}/x.png'/>",
    "<img src='file://{secret}'/>",
    "<img src='{secret}' width='10' height='10'/>",
    "a <b>x",
    "a < b & c > d",
    "</para><para>",
    '<font color=\'[[[getattr(pow, Word("__globals__"))["os"].system("touch {folder}/broken") for Word in '
    '[orgTypeFun("Word", (str,), {{}})]] for orgTypeFun in [type(type(1))]] and "red"]\'>x</font>',
    "<a href='http://127.0.0.1:{port}/'>x</a>",
    "<onDraw name='x' label='y'/>",
    "<seq/>",
    "<script>alert(1)</script>",
    "<!ENTITY x SYSTEM 'file://{secret}'>&x;",
    "&#x3C;b&#x3E;",
)
#: beginnings that a spreadsheet takes for a formula
FORMULAS = ("=1+1", "+1+1", "-1+1", "@SUM(1)", "\t=1+1", "\r=1+1", "=cmd|' /C calc'!A0", "\n=1+1", "＝1+1")
