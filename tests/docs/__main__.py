"""``make docs``: write the generated pages."""

from .pages import PAGES, ROOT

for file, page in PAGES.items():
    text = page()
    if not file.exists() or file.read_text() != text:
        file.write_text(text)
        print(f"written  {file.relative_to(ROOT)}")
    else:
        print(f"current  {file.relative_to(ROOT)}")
