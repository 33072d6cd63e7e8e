"""The comparison of pictures tolerates differences between machines and nothing else."""

import io

import numpy as np
import pytest
from PIL import Image
from scipy import ndimage

from tests import pictures


def png(pixels):
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "png")
    return file.getvalue()


@pytest.fixture
def baseline(tmp_path, monkeypatch):
    """The pixels of the baseline `square`, a black square on white."""
    monkeypatch.setattr(pictures, "BASELINES", tmp_path / "baselines")
    monkeypatch.setattr(pictures, "FAILURES", tmp_path / "failures")
    pixels = np.full((200, 300, 3), 255, np.uint8)
    pixels[50:100, 50:100] = 0
    monkeypatch.setenv("VIZ_UPDATE_BASELINES", "1")
    pictures.compare(png(pixels), "square")
    monkeypatch.delenv("VIZ_UPDATE_BASELINES")
    return pixels


def test_the_same_picture_passes(baseline):
    pictures.compare(png(baseline), "square")


def test_anti_aliasing_and_extra_lines_pass(baseline):
    softer = np.vstack([baseline, baseline[:4]])
    softer[49, 50:100] = 200
    pictures.compare(png(softer), "square")


@pytest.mark.parametrize(
    "change",
    [
        lambda pixels: np.roll(pixels, 8, axis=1),
        lambda pixels: 255 - pixels,
        lambda pixels: pixels[:150],
        lambda pixels: np.where(pixels == 0, 60, pixels).astype(np.uint8),
    ],
    ids=["moved", "inverted", "cut", "paler"],
)
def test_a_change_fails_and_saves_three_pictures(baseline, change, tmp_path):
    with pytest.raises(AssertionError, match="pixels"):
        pictures.compare(png(change(baseline)), "square")
    assert sorted(file.name for file in (tmp_path / "failures").iterdir()) == [
        "square.actual.png",
        "square.diff.png",
        "square.expected.png",
    ]


@pytest.mark.parametrize("name", ["heatmap_review_en_light", "curves_loss_en_light"])
def test_one_erased_label_of_a_large_picture_is_noticed_but_no_shift_by_a_pixel(name):
    """The first label of the vertical axis: a box of ink at the left, below the titles, on a plain background."""
    picture = Image.open(pictures.BASELINES / f"{name}.png").convert("RGB")
    pixels = np.asarray(picture)
    ink = (np.abs(pixels.astype(int) - pixels[0, 0]) > 60).any(-1)
    text, _ = ndimage.label(ndimage.binary_dilation(ink, iterations=4))
    boxes = [box for box in ndimage.find_objects(text) if 12 <= box[0].stop - box[0].start <= 36 and box[0].start > 100]
    label = min(boxes, key=lambda box: box[1].start)
    erased = pixels.copy()
    erased[label] = pixels[0, 0]
    assert pictures.difference(picture, Image.fromarray(erased))[0] > 2 * pictures.SHARE
    moved = Image.fromarray(np.roll(pixels, 1, axis=0))
    assert pictures.difference(picture, moved)[0] < pictures.SHARE / 2


def test_a_missing_baseline_tells_how_to_write_it(baseline):
    with pytest.raises(AssertionError, match="VIZ_UPDATE_BASELINES=1"):
        pictures.compare(png(baseline), "circle")
