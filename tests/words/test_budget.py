"""The numbers of `budget.tsv` may only fall; the expressions of `core/WRITING.md` find what they are for."""

from collections import Counter

from .counting import count, lower, read_budget
from .patterns import read_patterns
from .reading import plain


def test_the_numbers_only_fall():
    counts, budget = count(read_patterns()), read_budget()
    above = [f"{' '.join(key)}: {counts[key]} of {budget[key]}" for key in counts if counts[key] > budget[key]]
    assert not above, f"more banned phrases than before; list them: python -m tests.words [path ...]: {above}"
    below = [f"{' '.join(key)}: {counts[key]} of {budget[key]}" for key in budget if counts[key] < budget[key]]
    assert not below, f"lower it: python -m tests.words --lower: {below}"


def test_each_expression_finds_its_own_example():
    patterns = read_patterns()
    assert len(patterns) > 30
    for pattern in patterns:
        missed = [example for example in pattern.wrong.split("; ") if not pattern.expression.search(plain(example))]
        assert not missed, pattern.expression.pattern
        found = [example for example in pattern.better.split("; ") if pattern.expression.search(plain(example))]
        assert not found, pattern.expression.pattern


def test_lowering_writes_no_larger_number(tmp_path):
    file = tmp_path / "budget.tsv"
    file.write_text("folder\tkind\tnumber\ncore\thelp\t3\ncore\tpages\t5\nmodules\tpages\t2\n")
    counts = Counter({("core", "pages"): 4, ("modules", "pages"): 7, ("explorer", "pages"): 1})
    assert lower(counts, file) == ["explorer pages: 1, allowed 0", "modules pages: 7, allowed 2"]
    assert read_budget(file) == Counter({("core", "pages"): 4, ("modules", "pages"): 2})
