"""Which encoding a file of text has: UTF-8, UTF-16, GB18030 (Chinese Excel), or what charset-normalizer makes of it."""

import codecs
import re
from typing import BinaryIO

_HEAD, _BLOCK = 1 << 16, 1 << 20  # bytes
_ENOUGH = 20  # valid UTF-8 characters beyond ASCII that cannot be a coincidence
_FEWEST_NULS = 4  # bytes 0 in UTF-16: the name of the column `text` has four
# Almost all Chinese texts keep to GB2312. Accents of Latin-1 and kana of Shift JIS, read as GB18030, do not.
_GB2312 = re.compile(rb"[\xa1-\xf7][\xa1-\xfe]")
_USUAL = 0.8  # share of bytes beyond ASCII in such pairs
_LINE_END = re.compile(r"[\r\n]")
_BEYOND_ASCII = re.compile(rb"[^\r\n]*[\x80-\xff][^\r\n]*")
# What spreadsheets write. Short texts fit dozens of others, too.
_CANDIDATES = ("gb18030", "big5", "cp932", "cp949", "cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "koi8_r")
_NAMES = {
    "utf-8-sig": "UTF-8",
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
    "cp932": "Shift JIS",
    "cp949": "EUC-KR",
    "koi8_r": "KOI8-R",
}


def detect_unicode_or_gb18030(raw: BinaryIO) -> str | None:
    """Python's name for the encoding if it is UTF-8, UTF-16 or GB18030.

    A file with a few broken bytes in much UTF-8 is UTF-8.

    Args:
        raw: The file; it is read from its beginning, in blocks.
    """
    raw.seek(0)
    head = raw.read(_HEAD)
    if head.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if head.count(0) >= _FEWEST_NULS:
        even, odd = head[::2].count(0), head[1::2].count(0)
        guess, (few, many) = "utf-16-le" if odd > even else "utf-16-be", sorted((even, odd))
        # A few characters, such as 一, have their byte 0 where ASCII has none; other files with bytes 0 have no lines.
        doubtful = 2 * few > many or (few and not _LINE_END.search(head.decode(guess, "ignore")))
        return None if doubtful or _count_valid(raw, guess) is not None else guess
    valid = _count_valid(raw, "utf-8")
    if valid is None or valid >= _ENOUGH:  # a few broken bytes are reported row by row
        return "utf-8"
    return "gb18030" if _count_valid(raw, "gb18030") is None else None


def detect_any(raw: BinaryIO) -> str | None:
    """Python's name for the encoding of a table; None if it is no text, or in none that spreadsheets write."""
    found = detect_unicode_or_gb18030(raw)
    if found not in ("gb18030", None):
        return found
    raw.seek(0)
    content = raw.read()
    if 0 in content:
        return found
    sample, size = [], 0
    for match in _BEYOND_ASCII.finditer(content):
        sample.append(match[0])
        size += len(match[0])
        if size > _HEAD:
            break
    lines = b"\n".join(sample)
    if found == "gb18030" and _is_usual_chinese(lines):
        return found
    return _guess(lines) or found


def encoding_name(encoding: str) -> str:
    """What people call an encoding of Python: `utf-16-le` is UTF-16, `cp1252` Windows-1252."""
    if encoding.startswith("cp125"):
        return f"Windows-{encoding[2:]}"
    return _NAMES.get(encoding, encoding.upper())


def _is_usual_chinese(text: bytes) -> bool:
    beyond = sum(byte >= 0x80 for byte in text)
    return 2 * len(_GB2312.findall(text)) >= _USUAL * beyond


def _guess(lines: bytes) -> str | None:
    from charset_normalizer import from_bytes  # a third of a second; most files never need it

    matches = from_bytes(lines, cp_isolation=list(_CANDIDATES))
    found = [encoding for match in matches for encoding in match.could_be_from_charset]
    # Western European texts are valid in the Central European and Turkish code pages, too, with some other accents.
    western = "cp1252" if "cp1252" in found and found[0] in ("cp1250", "cp1254") else None
    return western or (found[0] if found else None)


def _count_valid(raw: BinaryIO, encoding: str) -> int | None:
    """The number of characters beyond ASCII before the first error; None if the file has no error."""
    decoder, count = codecs.getincrementaldecoder(encoding)(), 0
    raw.seek(0)
    while True:
        block = raw.read(_BLOCK)
        try:
            count += _count_beyond_ascii(decoder.decode(block, final=not block))
        except UnicodeDecodeError as error:
            return count + _count_beyond_ascii(error.object[: error.start].decode(encoding, "replace"))
        if not block:
            return None


def _count_beyond_ascii(text: str) -> int:
    return 0 if text.isascii() else len(text) - len(text.encode("ascii", "ignore"))
