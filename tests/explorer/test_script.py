"""The script is one scope made of many files: no name may stand in it twice, or the later one wins without a word, and
nothing may run before all names are known."""

import re
from collections import Counter
from pathlib import Path

SCRIPTS = Path(__file__).parents[2] / "explorer" / "script"


def test_every_name_is_declared_once():
    files = sorted(SCRIPTS.rglob("*.js"))
    declared = re.compile(r"^(?:async )?(?:function\*?|const|let|class) +([A-Za-z_$][\w$]*)", re.MULTILINE)
    names = Counter(name for file in files for name in declared.findall(file.read_text()))
    assert len(names) > 50
    assert [name for name, count in names.items() if count > 1] == []


def test_only_the_last_file_does_anything_when_it_is_read():
    """The order of all others does not matter."""
    declared = re.compile(r"(?:async )?function|const |let |class |//|/\*| \*|[\s})\]`]|$")
    files = [file for file in SCRIPTS.rglob("*.js") if file.name != "start.js"]
    assert len(files) > 20
    lines = [(file.name, line) for file in files for line in file.read_text().split("\n") if not declared.match(line)]
    assert lines == []


def test_no_text_has_several_lines():
    """The server leaves out indentation and lines that begin as comments: neither may be a part of a text."""
    comment = re.compile(r"^[ \t]*(?:/\*.*?\*/[ \t]*|//[^\n]*)\n", re.DOTALL | re.MULTILINE)
    quoted = re.compile(r'"(?:\\.|[^"\\\n])*"|/(?:\\.|\[[^\]]*\]|[^/\\\n])+/[a-z]*')
    files = {file.name: comment.sub("", file.read_text()) for file in SCRIPTS.rglob("*.js")}
    lines = [(name, line) for name, text in files.items() for line in text.split("\n")]
    assert [(name, line) for name, line in lines if quoted.sub("", line).count("`") % 2] == []
