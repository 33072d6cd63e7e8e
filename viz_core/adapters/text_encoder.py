"""Tokenise texts by the fast tokenizer of an external model, with offsets into the text and word groups.

As in the library, texts are not normalised first, and special tokens may be typed. They are special
then, too: a marker is the same whoever puts it there.
"""

from collections.abc import Sequence

import numpy as np
from tokenizers import Encoding as LibraryEncoding
from tokenizers import Tokenizer
from transformers import PreTrainedTokenizerBase

from viz_core.records import Failure
from viz_core.text.chat import ChatFrame
from viz_core.text.piece_encoder import PieceEncoder
from viz_core.text.unicode import UnicodeNormalizer


class _NothingRemoved(UnicodeNormalizer):
    """Report no lost marks: external tokenizers treat marks as they did in training."""

    def lost_marks(self, text: str) -> list[str]:
        return []


class AdaptedTextEncoder(PieceEncoder):
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
