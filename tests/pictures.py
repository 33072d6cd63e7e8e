"""Comparison of pictures with the baselines in `tests/baselines/`.

The comparison is tolerant since hinting of fonts and anti-aliasing vary between machines: both pictures are blurred by
BLUR px, a pixel differs where a channel is more than CHANNEL of 255 outside those of the other's pixels within 1 px, up
to SHARE of the pixels of any square of SQUARE px may differ, so that a missing label is noticed in a large picture, and
each side may be up to SLACK px longer or shorter (text wraps alike, yet line heights vary).
A failure leaves the expected and the actual picture and their difference in `tests/failures/` (git-ignored).
`VIZ_UPDATE_BASELINES=1` (or `make baselines`) rewrites the baselines: inspect each before committing it.
"""

import io
import os
from pathlib import Path

import numpy as np
from PIL import Image, ImageFilter
from scipy.ndimage import uniform_filter

BASELINES, FAILURES = Path(__file__).parent / "baselines", Path(__file__).parent / "failures"
BLUR, CHANNEL, SQUARE, SHARE, SLACK = 1.5, 36, 32, 0.02, 6


def compare(png: bytes, name: str) -> None:
    """Raises AssertionError where the picture differs from the baseline `name`, or there is none."""
    actual, file = Image.open(io.BytesIO(png)).convert("RGB"), BASELINES / f"{name}.png"
    if os.environ.get("VIZ_UPDATE_BASELINES") == "1":
        BASELINES.mkdir(exist_ok=True)
        actual.save(file, optimize=True)
        return
    assert file.exists(), f"no baseline {file.name}: run with VIZ_UPDATE_BASELINES=1, look at it, commit it"
    expected = Image.open(file).convert("RGB")
    share, differing = difference(expected, actual)
    if share <= SHARE and all(abs(a - b) <= SLACK for a, b in zip(expected.size, actual.size, strict=True)):
        return
    FAILURES.mkdir(exist_ok=True)
    for picture, kind in ((expected, "expected"), (actual, "actual"), (differing, "diff")):
        picture.save(FAILURES / f"{name}.{kind}.png")
    raise AssertionError(
        f"{name}: in a square {share:.0%} of the pixels differ (up to {SHARE:.0%} may), "
        f"{expected.size} -> {actual.size}; see {FAILURES}"
    )


def difference(expected: Image.Image, actual: Image.Image) -> tuple[float, Image.Image]:
    """Largest share of differing pixels of a square within both pictures, and a picture of them (white: differs)."""
    size = tuple(min(a, b) for a, b in zip(expected.size, actual.size, strict=True))
    pictures = [picture.crop((0, 0, *size)).filter(ImageFilter.GaussianBlur(BLUR)) for picture in (expected, actual)]
    differs = (_outside(*pictures) | _outside(*reversed(pictures))).any(axis=-1)
    share = uniform_filter(differs.astype(np.float32), SQUARE, mode="constant").max()
    return float(share), Image.fromarray((differs * 255).astype(np.uint8))


def _outside(picture: Image.Image, other: Image.Image) -> np.ndarray:
    """Where a channel of a picture is darker or brighter than all neighbouring pixels of another."""
    lowest, pixels, highest = (
        np.asarray(each, np.int16)
        for each in (other.filter(ImageFilter.MinFilter(3)), picture, other.filter(ImageFilter.MaxFilter(3)))
    )
    return (pixels < lowest - CHANNEL) | (pixels > highest + CHANNEL)
