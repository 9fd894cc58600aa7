"""``make pdfs``: print every case of the matrix as a file to look at.

    .venv/bin/python -m tests.modules.documents.matrix FOLDER [PART OF A NAME ...]

Where pdftoppm is (poppler-utils) there are pictures of the pages, too, and sheets of twelve pages each.
"""

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from PIL import Image, ImageDraw

from tests.modules.documents.matrix.building import making
from tests.modules.documents.matrix.cases import cases, covered, pairs
from tests.modules.documents.matrix.checking import CHECKS

#: dots an inch of a page's picture; columns and rows of a sheet, the width of a page on it
FINE = 100
COLUMNS, ROWS = 4, 3
WIDTH, HEIGHT, CAPTION = 496, 702, 16


def main(folder, parts):
    """Make the PDFs.

    :param folder: where they go
    :param parts: only those whose names hold one of these, or all
    """
    folder.mkdir(parents=True, exist_ok=True)
    wanted = [case for case in cases() if not parts or any(part in case.name for part in parts)]
    possible = {pair for pair, can_be in pairs().items() if can_be}
    met = len(covered(tuple(wanted)) & possible)
    print(
        f"{len(wanted)} PDFs, in which {met} of {len(possible)} possible pairs meet ({len(pairs())} with the impossible)"
    )
    begun = time.monotonic()
    pictures = []
    complaints = 0
    drawing = shutil.which("pdftoppm")
    with tempfile.TemporaryDirectory() as database:
        for number, made in enumerate(making(Path(database), wanted), 1):
            file = folder / f"{made.case.name}.pdf"
            file.write_bytes(made.pdf)
            wrong = [f"{name}: {each}" for name, check in CHECKS.items() for each in check(made)]
            complaints += len(wrong)
            if wrong:
                print("\n  ".join([f"\r{file.stem:<70}", *wrong]))
            if drawing:
                pictures += _draw(file)
            print(f"\r{number}/{len(wanted)} {file.stem:<60}", end="", flush=True)
    sheets = _sheets(folder, pictures)
    took = time.monotonic() - begun
    print(
        f"\r{len(wanted)} PDFs, {len(pictures)} pages, {len(sheets)} sheets in {folder}, {complaints} complaints ({took:.0f} s)"
    )


def _draw(file):
    """The pages of a file as pictures beside it."""
    for old in file.parent.glob(f"{file.stem}-p*.png"):
        old.unlink()
    subprocess.run(["pdftoppm", "-r", str(FINE), "-png", str(file), str(file.with_suffix("")) + "-p"], check=True)
    return sorted(file.parent.glob(f"{file.stem}-p*.png"))


def _sheets(folder, pictures):
    """Sheets of twelve pages each, every page with its name."""
    for old in folder.glob("sheet-*.png"):
        old.unlink()
    found = []
    for first in range(0, len(pictures), COLUMNS * ROWS):
        sheet = Image.new("RGB", (COLUMNS * WIDTH, ROWS * (HEIGHT + CAPTION)), "#777777")
        pen = ImageDraw.Draw(sheet)
        for place, picture in enumerate(pictures[first : first + COLUMNS * ROWS]):
            x, y = place % COLUMNS * WIDTH, place // COLUMNS * (HEIGHT + CAPTION)
            with Image.open(picture) as page:
                sheet.paste(page.convert("RGB").resize((WIDTH - 4, HEIGHT - 4)), (x + 2, y + CAPTION))
            pen.text((x + 4, y + 2), picture.stem, fill="#ffffff")
        file = folder / f"sheet-{first // (COLUMNS * ROWS) + 1:02}.png"
        sheet.save(file)
        found.append(file)
    return found


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("Where to? python -m tests.modules.documents.matrix FOLDER [PART OF A NAME ...]")
    main(Path(sys.argv[1]), sys.argv[2:])
