"""Logos of any shape and kind: how large they are drawn, on what ground, and when the name stands instead."""

from dataclasses import replace
from io import BytesIO

import pytest
from PIL import Image, ImageDraw

from modules.documents.content.printed_document import Party
from modules.documents.layout.images import picture_of
from modules.documents.layout.masthead import size_of
from modules.documents.layout.sheet import MM, Sheets
from tests.modules.documents.layout.drawing import DIFFERENT, draw, native_style, placed, printed

NOTHING = (0, 0, 0, 0)


def encoded(image, kind="PNG", **options):
    file = BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def mark(colour, ground=NOTHING, size=(90, 60)):
    """A disc on a ground."""
    image = Image.new("RGBA", size, ground)
    ImageDraw.Draw(image).ellipse((10, 5, size[0] - 10, size[1] - 5), fill=colour)
    return image


@pytest.mark.parametrize(
    ("shape", "least"),
    [
        ((1200, 60), (60, 3)),
        ((600, 100), (55, 9)),
        ((300, 100), (45, 15)),
        ((100, 100), (20, 20)),
        ((60, 300), (4, 20)),
    ],
)
def test_a_logo_has_a_sensible_size_whatever_its_shape(shape, least):
    picture = picture_of(encoded(Image.new("RGB", shape, "navy")))
    assert picture is not None
    width, height = (each / MM for each in size_of(picture))
    assert least[0] <= width <= 62.01 and least[1] <= height <= 22.01
    assert width / height == pytest.approx(shape[0] / shape[1])


def test_a_light_logo_on_transparent_ground_is_told_from_all_others():
    looks = {
        "white": mark("white"), "pale": mark("#dfe6ee"), "dark": mark("navy"), "white on dark": mark("white", "navy"),
        "dark on white": mark("navy", "white"),
    }  # fmt: skip
    badge = mark("navy")
    ImageDraw.Draw(badge).ellipse((30, 15, 60, 45), fill="white")
    found = {name: picture_of(encoded(image)) for name, image in (looks | {"badge": badge}).items()}
    assert {name for name, picture in found.items() if picture and picture.light} == {"white", "pale"}
    assert all(picture and picture.seen for picture in found.values())


@pytest.mark.parametrize("name", DIFFERENT)
@pytest.mark.parametrize("colour", ("white", "navy"))
def test_every_template_draws_it_on_a_ground_where_it_is_seen(name, colour, monkeypatch):
    style = native_style(name)
    boxes = []
    seen = []
    box, picture = Sheets.box, Sheets.picture

    def note_box(self, x, y, width, height, *, fill="", **more):
        boxes.append((x, y, x + width, y + height, fill))
        box(self, x, y, width, height, fill=fill, **more)

    def note_picture(self, drawn, x, y, *more, **options):
        around = [fill for left, top, right, bottom, fill in boxes if fill and left <= x < right and top <= y < bottom]
        seen.append(around[-1] if around else "#ffffff")
        boxes.clear()
        picture(self, drawn, x, y, *more, **options)

    monkeypatch.setattr(Sheets, "box", note_box)
    monkeypatch.setattr(Sheets, "picture", note_picture)
    draw(printed(logo=encoded(mark(colour))), style)
    draw(printed(logo=encoded(mark(colour))), replace(style, accent="#ffe680"))
    # A light accent is no ground for a light logo
    assert seen == ([style.accent, "#333333"] if colour == "white" else ["#ffffff", "#ffffff"])


def test_pictures_of_all_kinds_are_what_they_show():
    turned = Image.new("RGB", (40, 20), "red")
    exif = Image.Exif()
    exif[0x0112] = 6
    turned_picture = picture_of(encoded(turned, "JPEG", exif=exif))
    assert turned_picture is not None and (turned_picture.width, turned_picture.height) == (20, 40)

    grey = Image.new("I;16", (20, 20), 0x4000)
    palette = mark("white").quantize()
    cmyk = Image.new("CMYK", (20, 20), (255, 255, 0, 0))
    for data, light in ((encoded(grey), False), (encoded(palette), True), (encoded(cmyk, "JPEG"), False)):
        picture = picture_of(data)
        assert picture is not None and picture.seen and picture.light == light


@pytest.mark.parametrize("name", DIFFERENT)
@pytest.mark.parametrize("kind", ("none", "one pixel", "nothing", "white"))
def test_the_name_stands_where_nothing_would_be_seen(name, kind):
    logos = {
        "none": None, "one pixel": encoded(Image.new("RGB", (1, 1), "red")),
        "nothing": encoded(Image.new("RGBA", (50, 50), NOTHING)), "white": encoded(Image.new("RGB", (50, 50), "white")),
    }  # fmt: skip
    found = placed(printed(logo=logos[kind], sender=Party(["Comptoir des Exemples", "Lyon"])), native_style(name))
    assert any(each.text == "Comptoir des Exemples" and each.size >= 14 and each.bottom < 40 for each in found)
