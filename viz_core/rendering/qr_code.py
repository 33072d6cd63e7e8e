"""A link as a QR code, for phones in a classroom."""

import segno

QUIET = 4  # modules of white space around the code that a camera needs (ISO/IEC 18004, section 6.3.8)


def qr_code(link: str, title: str, side: int) -> str | None:
    """SVG of `side` px, black on white in every theme; None for a link of over 2,953 bytes."""
    try:
        code = segno.make_qr(link, error="l", boost_error=False)
    except segno.DataOverflowError:
        return None
    modules = code.symbol_size(border=QUIET)[0]
    return code.svg_inline(scale=side / modules, border=QUIET, light="#fff", title=title)
