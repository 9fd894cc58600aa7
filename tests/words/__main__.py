"""`python -m tests.words [path ...]`: list banned phrases and long sentences; `--lower` lowers the budget."""

import sys
from collections import Counter
from pathlib import Path

from .counting import MOST_WORDS, count, counted_files, find_hits, lower, sentences
from .patterns import read_patterns
from .reading import read_texts

_USAGE = f"""Usage: python -m tests.words [path ...]

List banned phrases and sentences of more than {MOST_WORDS} words, in files and folders; without a path, in everything
that is counted.

  --lower   Write smaller numbers to tests/words/budget.tsv.
  --counts  Print only the numbers by folder and kind."""


def main(arguments):
    """Run the command."""
    patterns = read_patterns()
    if "--help" in arguments:
        print(_USAGE)
        return 0
    if "--lower" in arguments:
        above = lower(count(patterns))
        print("\n".join(above) or "Lowered tests/words/budget.tsv.")
        return bool(above)
    if "--counts" in arguments:
        for (folder, kind), number in sorted(count(patterns).items()):
            print(f"{folder}\t{kind}\t{number}")
        return 0
    total = Counter()
    for path in _files(arguments):
        texts = read_texts(path)
        for text in texts:
            for line, found, pattern in find_hits(text, patterns):
                print(f"{path}:{line}: {text.kind}: {found!r}: not {pattern.wrong}, but {pattern.better}")
                total[text.kind] += 1
        _list_sentences(path, texts)
    print(f"{sum(total.values())} banned phrases", dict(total) if total else "")
    return bool(total)


def _files(paths):
    if not paths:
        return [
            path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path for _, path in counted_files()
        ]
    found = [Path(path) for path in paths]
    return [each for path in found for each in (sorted(path.rglob("*")) if path.is_dir() else [path]) if each.is_file()]


def _list_sentences(path, texts):
    """Print the long sentences of a file; for a page also its words, and the share of long ones outside of tables."""
    prose = []
    for text in texts:
        for line, words, sentence in sentences(text) if text.kind != "comments" else []:
            if words > MOST_WORDS:
                print(f"{path}:{line}: {text.kind}: {words} words: {sentence[:70]} …")
            if not text.cell:
                prose.append(words)
    if path.suffix == ".md" and prose:
        long = sum(words > MOST_WORDS for words in prose)
        print(
            f"{path}: {sum(len(text.text.split()) for text in texts)} words; {len(prose)} sentences outside of tables, "
            f"{sum(prose) / len(prose):.1f} words each, {long} of more than {MOST_WORDS} ({100 * long / len(prose):.1f} %)"
        )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
