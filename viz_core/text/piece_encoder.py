"""Text encoder of a tokenizer whose tokens are pieces of words, joined to a text by its decoder."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from tokenizers import Encoding as LibraryEncoding
from tokenizers import Tokenizer

from viz_core.records import Encoding, show_whitespace
from viz_core.text.tokenizer import Segmenter, TextEncoder

_SPACE = "▁"  # of SentencePiece
REPLACEMENT = "\ufffd"  # what a decoder writes for bytes that do not form a character


class PieceEncoder(TextEncoder):
    """Text encoder whose tokens have the white space before them: `Ġfilm`, `▁film`."""

    @property
    def _has_pieces(self) -> bool:
        return self._tokenizer.pre_tokenizer is not None

    def text(self, ids: Sequence[int]) -> str:
        """The text of tokens, special ones left out."""
        return self._tokenizer.decode(list(ids))

    def _readable(self, token: str) -> str:
        """Return a token as people read it.

        For a byte-level tokenizer these are its characters, or its bytes if they are only a part of
        a character.
        """
        decoder = self._tokenizer.decoder
        if type(decoder).__name__ != "ByteLevel" or token in self._added_tokens():
            return token
        text = decoder.decode([token])
        if REPLACEMENT not in text:
            return show_whitespace(text)
        return " ".join(f"<0x{byte:02X}>" for byte in _bytes_of(token))

    def _words_after(self, encoding: Encoding, text: str, offsets: np.ndarray) -> np.ndarray:
        """Number the words as the pre-tokenizer splits the whole text."""
        last = int(encoding.words[-1])
        if not self._has_pieces:
            return last + 1 + np.arange(len(offsets))
        starts = [start for _, (start, _) in self._tokenizer.pre_tokenizer.pre_tokenize_str(text)]
        numbers = np.searchsorted(starts, [encoding.offsets[-1][1] - 1, *offsets[:, 0]], side="right")
        return last + np.cumsum(np.diff(numbers) > 0)

    def _join(self, ids: Sequence[int], names_special: bool = False) -> tuple[str, list[tuple[int, int]]]:
        """Decode tokens to a text, and find the span of each, without the white space before it.

        A span is what a token adds to the text; it is empty for tokens that are only a part of a
        character, and for special ones unless their names are in the text.
        """
        decode = partial(self._tokenizer.decode, skip_special_tokens=not names_special)
        text = decode(list(ids))
        spans, position = [], 0
        for count in range(1, len(ids) + 1):
            longer = decode(list(ids[:count])).rstrip(REPLACEMENT)
            end = min(max(len(longer), position), len(text))
            start = position + len(text[position:end]) - len(text[position:end].lstrip())
            spans.append((start, end))
            position = end
        return text, spans

    def _spans(
        self, texts: Sequence[str], encoded: LibraryEncoding, segments: np.ndarray, special: np.ndarray
    ) -> np.ndarray:
        """Return spans in order and without overlaps, leaving out white space at the start of a token.

        If several tokens share the bytes of a character, the first one has the character, and the
        others an empty span, like a token for a space that is not in the text.
        """
        spans, position, current = [], 0, 0
        for token, (start, end), sequence in zip(encoded.tokens, encoded.offsets, encoded.sequence_ids, strict=True):
            if sequence is None:
                spans.append((0, 0))
                continue
            if sequence != current:
                position, current = 0, sequence
            typed = texts[sequence][start:end]
            if token == _SPACE and typed.strip():
                end = start
            elif typed.strip():
                start += len(typed) - len(typed.lstrip())
            start = max(start, position)
            position = max(start, end)
            spans.append((start, position))
        return np.array(spans, np.int64).reshape(-1, 2)

    def _added_tokens(self) -> set[str]:
        return {token.content for token in self._tokenizer.get_added_tokens_decoder().values()}


def _bytes_of(token: str) -> bytes:
    """Return the bytes that the characters of a byte-level token stand for (GPT-2's `bytes_to_unicode`)."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    names = {chr(byte): byte for byte in printable} | {chr(256 + n): byte for n, byte in enumerate(others)}
    return bytes(names[character] for character in token if character in names)


def text_encoder(tokenizer: Tokenizer, segmenter: Segmenter | None = None) -> TextEncoder:
    """Make the text encoder of a tokenizer of this project: only one whose tokens are pieces has a decoder."""
    return TextEncoder(tokenizer, segmenter) if tokenizer.decoder is None else PieceEncoder(tokenizer, segmenter)
