"""Tokenise texts by the fast tokenizer of an external model, with offsets into the text and word groups.

As in the library, texts are not normalised first, and special tokens may be typed. They are special
then, too: a marker is the same whoever puts it there.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np
from tokenizers import Encoding as LibraryEncoding
from tokenizers import Tokenizer
from transformers import PreTrainedTokenizerBase

from viz_core.records import Encoding, Failure, show_whitespace
from viz_core.text.chat import ChatFrame
from viz_core.text.tokenizer import TextEncoder
from viz_core.text.unicode import UnicodeNormalizer

_SPACE = "▁"  # of SentencePiece
REPLACEMENT = "\ufffd"  # what a decoder writes for bytes that do not form a character


class _NothingRemoved(UnicodeNormalizer):
    """Report no lost marks: external tokenizers treat marks as they did in training."""

    def lost_marks(self, text: str) -> list[str]:
        return []


class AdaptedTextEncoder(TextEncoder):
    """Text encoder with a tokenizer of the library.

    It truncates texts to `max_tokens`, including special tokens.

    Attributes:
        frame: What a chat template puts around messages, which is special in texts; None without one.

    Raises:
        Failure: If the tokenizer is a slow one.
    """

    frame: ChatFrame | None = None

    def __init__(self, tokenizer: PreTrainedTokenizerBase, max_tokens: int, name: str = "") -> None:
        if not getattr(tokenizer, "is_fast", False):
            raise Failure("adapters.slow_tokenizer", name=name, files=[type(tokenizer).__name__])
        content = tokenizer.backend_tokenizer.to_str()
        self._tokenizer, self._untruncated = Tokenizer.from_str(content), Tokenizer.from_str(content)
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_tokens)
        self._untruncated.no_padding()
        self._untruncated.no_truncation()
        self._unicode = _NothingRemoved()
        self.unknown_id = -1 if tokenizer.unk_token_id is None else tokenizer.unk_token_id
        self._has_pieces = self._tokenizer.pre_tokenizer is not None

    def ids(
        self, texts: Sequence[str], texts_b: Sequence[str] | None = None
    ) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Return ids and segments of many texts (or pairs), an array `(T,)` each, truncated and not padded."""
        pairs = [(text,) for text in texts] if texts_b is None else list(zip(texts, texts_b, strict=True))
        encodings = [self.encode(*pair) for pair in pairs]
        return [encoding.ids for encoding in encodings], [encoding.segments for encoding in encodings]

    @property
    def second_segment(self) -> int:
        """The token type of the second text of a pair."""
        encoded = self._untruncated.encode("a", "a")
        types = [kind for kind, text in zip(encoded.type_ids, encoded.sequence_ids, strict=True) if text == 1]
        return max(types, default=0)

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

    def _added_tokens(self) -> set[str]:
        return {token.content for token in self._tokenizer.get_added_tokens_decoder().values()}

    def _special(self, texts: Sequence[str], encoded: LibraryEncoding) -> np.ndarray:
        """Tokens that are markers, `(T,)` bool.

        They are the ones that the tokenizer puts around texts; its special tokens where they stand in
        a text; and in a chat all tokens of what the template puts there, such as the names of the roles.
        """
        markers, names = self.special_ids, self._added_tokens()
        pieces = [self.frame.markers(text) if self.frame else [] for text in texts]

        def is_special(index: int, span: tuple[int, int], sequence: int | None) -> bool:
            if sequence is None:
                return True
            start, end = span
            if index in markers:  # what a tokenizer does not know is no marker
                return index != self.unknown_id or texts[sequence][start:end].strip() in names
            return any(first <= start < end <= last for first, last in pieces[sequence])

        return np.array([*map(is_special, encoded.ids, encoded.offsets, encoded.sequence_ids)], bool)

    def _words(
        self,
        texts: Sequence[str],
        encoded: LibraryEncoding,
        segments: np.ndarray,
        offsets: np.ndarray,
        special: np.ndarray,
    ) -> np.ndarray:
        """Number the words of the pre-tokenizer, `(T,)`: pieces of a word have its number, special tokens their own."""
        if not self._has_pieces:
            return np.arange(len(segments))
        words = [
            (None, i) if is_special else numbers
            for i, (*numbers, is_special) in enumerate(
                zip(encoded.word_ids, encoded.sequence_ids, special.tolist(), strict=True)
            )
        ]
        return np.cumsum([i == 0 or words[i] != words[i - 1] for i in range(len(words))]) - 1

    def _segments(self, encoded: LibraryEncoding) -> np.ndarray:
        """Return segments as our tokenizers do: a special token belongs to the text before it."""
        numbers, current = [], 0
        for sequence in encoded.sequence_ids:
            current = current if sequence is None else sequence
            numbers.append(current)
        return np.array(numbers, np.int64)

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


def _bytes_of(token: str) -> bytes:
    """Return the bytes that the characters of a byte-level token stand for (GPT-2's `bytes_to_unicode`)."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    names = {chr(byte): byte for byte in printable} | {chr(256 + n): byte for n, byte in enumerate(others)}
    return bytes(names[character] for character in token if character in names)
