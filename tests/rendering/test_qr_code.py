import io

import pytest
import zxingcpp
from PIL import Image

from viz_core.rendering.qr_code import qr_code

LINK = "http://192.168.1.5:8501/matching?text=%E8%8A%B1%E5%91%97&head=2.4"


@pytest.mark.browser
def test_a_camera_reads_the_link(page):
    page.set_content(f"<body style='margin:0;background:black'>{qr_code(LINK, 'code', 240)}</body>")
    picture = page.locator("svg").screenshot()
    (code,) = zxingcpp.read_barcodes(Image.open(io.BytesIO(picture)))
    assert code.text == LINK and code.format == zxingcpp.BarcodeFormat.QRCode


def test_a_link_that_is_too_long_has_no_code():
    """2,953 bytes fit into the largest code, version 40 with the lowest error correction."""
    assert qr_code("x" * 2953, "code", 240) and qr_code("x" * 2954, "code", 240) is None


def test_the_title_is_text():
    assert "<b>" not in qr_code(LINK, "<b>", 240)
