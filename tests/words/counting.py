"""Hits of the banned phrases, long sentences, and how many of each a folder has."""

import re
from collections import Counter
from pathlib import Path

from .patterns import PAGE, ROOT
from .reading import read_texts

BUDGET = Path(__file__).parent / "budget.tsv"
#: folders whose texts are counted; files at the top are counted under "."
FOLDERS = ("core", "explorer", "modules")
MOST_WORDS = 30
#: shorter ones (headings, cells of tables) are no part of the share of long sentences
_FEWEST_WORDS = 5
LONG = "long sentences"

_END = re.compile(r"""(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)["')]?\s+(?=["'(`A-Z{\d])""")
_WORD = re.compile(r"\w")

Key = tuple[str, str]


def find_hits(text, patterns):
    """Yield (line, what was found, pattern) for each banned phrase of a text."""
    for pattern in patterns:
        for found in pattern.expression.finditer(text.text):
            yield text.line(found.start()), found[0].strip(), pattern


def sentences(text):
    """Yield (line, words, sentence) for each sentence of a text."""
    position = 0
    for each in [*(found.end() for found in _END.finditer(text.text)), len(text.text)]:
        sentence = text.text[position:each]
        words = sum(1 for word in sentence.split() if _WORD.search(word))
        if words >= _FEWEST_WORDS:
            yield text.line(position), words, sentence.strip()
        position = each


def counted_files(root=ROOT):
    """Yield (folder, file) for every file whose texts are counted."""
    for path in sorted(root.glob("*.md")):
        yield ".", path
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path != root / PAGE.relative_to(ROOT) and path.is_file():
                yield folder, path


def count(patterns, root=ROOT):
    """Return the number of hits by folder and kind, and of the long sentences of pages."""
    joined = {}
    counts = Counter()
    for folder, path in counted_files(root):
        for text in read_texts(path):
            joined.setdefault((folder, text.kind), []).append(text.text)
            if text.kind == "pages":
                counts[folder, LONG] += sum(words > MOST_WORDS for _, words, _ in sentences(text))
    for key, texts in joined.items():
        whole = "\n".join(texts)
        counts[key] = sum(len(pattern.expression.findall(whole)) for pattern in patterns)
    return +counts


def read_budget(path=BUDGET):
    """Return the numbers of the budget; what has no line has none."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    return Counter({(folder, kind): int(number) for folder, kind, number in rows})


def lower(counts, path=BUDGET):
    """Write the numbers that have fallen, and no larger one; return what is still above its number."""
    budget = read_budget(path)
    kept = {key: min(counts[key], number) for key, number in budget.items()}
    lines = [f"{folder}\t{kind}\t{number}" for (folder, kind), number in sorted(kept.items()) if number]
    path.write_text("\n".join(["folder\tkind\tnumber", *lines]) + "\n", encoding="utf-8")
    return [
        f"{folder} {kind}: {counts[folder, kind]}, allowed {budget[folder, kind]}"
        for folder, kind in sorted(counts)
        if counts[folder, kind] > budget[folder, kind]
    ]
