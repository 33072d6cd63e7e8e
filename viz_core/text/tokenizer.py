"""From text to tokens with offsets into the text.

The tokenizer (building.py) is saved as `tokenizer.json`. Before it, all texts are normalised alike
(unicode.py); this is not a part of that file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
from tokenizers import Encoding as LibraryEncoding
from tokenizers import NormalizedString, PreTokenizedString, Tokenizer
from tokenizers.pre_tokenizers import PreTokenizer

from viz_core.records import Encoding, Failure, Message
from viz_core.text.building import CLS, UNK
from viz_core.text.joining import join_with_spans
from viz_core.text.length import cut_notices, cut_text, text_name
from viz_core.text.notices import notices
from viz_core.text.tokenizer_file import read_tokenizer
from viz_core.text.unicode import UnicodeNormalizer

_TEXTS_AT_ONCE = 1_000  # what the library makes of the texts of a corpus would be gigabytes
Segmenter = Callable[[str], list[tuple[int, int]]]  # text -> start and end of each word, in order, without gaps


@contextmanager
def _failures() -> Iterator[None]:
    """Turn errors of the library into a Failure.

    The library raises bare Exceptions. Its panics are not Exceptions, and end more than the reading
    of this text.
    """
    try:
        yield
    except BaseException as error:
        if type(error) is Exception or type(error).__name__ == "PanicException":
            raise Failure("text.tokenizer_failed") from error
        raise


class _WordSplitter:
    """A pre-tokenizer that splits a text at the words of a segmenter and leaves out white space."""

    def __init__(self, segmenter: Segmenter) -> None:
        self._segmenter = segmenter

    def pre_tokenize(self, text: PreTokenizedString) -> None:
        """Split the text into words."""
        text.split(self._split)

    def _split(self, number: int, text: NormalizedString) -> list[NormalizedString]:
        string = str(text)
        parts = [text[start:end] for start, end in self._segmenter(string) if string[start:end].strip()]
        return [part for part in parts if part is not None]


class TextEncoder:
    """A tokenizer that also gives words and notices.

    A segmenter finds the words of a text. If the tokenizer has no pre-tokenizer, these words are
    its tokens. If it splits texts into characters, they are the word groups.

    Attributes:
        unknown_id: Id of the token for anything unknown.
        first_id: Id of the token that a decoder reads first.
        has_own_splitter: Whether the segmenter, which no file of the tokenizer can hold, makes the tokens.
    """

    unknown_id, first_id = UNK, CLS

    def __init__(self, tokenizer: Tokenizer, segmenter: Segmenter | None = None) -> None:
        splitter = _WordSplitter(segmenter) if segmenter and tokenizer.pre_tokenizer is None else None
        self._file, self._segmenter = tokenizer.to_str(), None if splitter else segmenter
        self.has_own_splitter = splitter is not None
        self._unicode = UnicodeNormalizer(tokenizer.get_vocab())
        self._tokenizer, self._untruncated = Tokenizer.from_str(self._file), Tokenizer.from_str(self._file)
        for copy in (self._tokenizer, self._untruncated):
            copy.normalizer = self._unicode.before(tokenizer.normalizer)
            if splitter:
                copy.pre_tokenizer = PreTokenizer.custom(splitter)
            copy.encode_special_tokens = True  # a typed "[SEP]" is text, not a special token
            copy.no_padding()
        self._untruncated.no_truncation()

    @classmethod
    def load(cls, file: Path, segmenter: Segmenter | None = None) -> TextEncoder:
        """Load the encoder of a `tokenizer.json`.

        Raises:
            OSError: If the file cannot be read.
            ValueError: If the tokenizer cannot be used, with a reason.
        """
        return cls(read_tokenizer(file), segmenter)

    def save(self, file: Path) -> None:
        """Write the tokenizer into a `tokenizer.json`."""
        file.write_text(self._file, encoding="utf-8", newline="")

    @property
    def vocabulary(self) -> int:
        """Size of the vocabulary, special tokens included."""
        return self._tokenizer.get_vocab_size()

    @property
    def special_ids(self) -> frozenset[int]:
        """Ids of the tokens that mark something in place of text, such as `</s>`; they may have been typed."""
        added = self._tokenizer.get_added_tokens_decoder()
        return frozenset(index for index, token in added.items() if token.special)

    @property
    def max_tokens(self) -> int:
        """Maximal number of tokens, special tokens included."""
        return (self._tokenizer.truncation or {})["max_length"]

    def token(self, index: int) -> str:
        """The token with this id, as people read it."""
        return self._readable(self._tokenizer.id_to_token(index) or "")

    @_failures()
    def ids(
        self, texts: Sequence[str], texts_b: Sequence[str] | None = None
    ) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Ids and segments of many texts (or pairs), an array `(T,)` each, truncated and not padded."""
        inputs: Sequence[str | tuple[str, str]] = [cut_text(text) for text in texts]
        if texts_b is not None:
            pairs = zip(texts, texts_b, strict=True)
            inputs = [self._shorten_pair(cut_text(a), cut_text(b)) for a, b in pairs]
        encodings = self._tokenizer.encode_batch_fast(inputs)
        return (
            [np.asarray(encoding.ids, np.int32) for encoding in encodings],
            [np.asarray(encoding.type_ids, np.int8) for encoding in encodings],
        )

    @_failures()
    def whole_ids(self, texts: Sequence[str]) -> list[np.ndarray]:
        """Ids of many texts, an array `(T,)` each, however long."""
        parts = (texts[start : start + _TEXTS_AT_ONCE] for start in range(0, len(texts), _TEXTS_AT_ONCE))
        encodings = (encoding for part in parts for encoding in self._untruncated.encode_batch_fast(list(part)))
        return [np.asarray(encoding.ids, np.int32) for encoding in encodings]

    @_failures()
    def offsets(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        """Start and end of each token of `ids` in its text, in code points; `(0, 0)` for special tokens."""
        return [encoding.offsets for encoding in self._tokenizer.encode_batch([cut_text(text) for text in texts])]

    @_failures()
    def encode(self, text: str, text_b: str | None = None) -> Encoding:
        """Encode a text or pair, each cut by `cut_text`, with offsets, words and notices.

        Raises:
            Failure: If a text has no tokens.
        """
        typed = (text,) if text_b is None else (text, text_b)
        texts = tuple(map(cut_text, typed))
        totals = [self._count_tokens(part, text_name(i, len(texts))) for i, part in enumerate(texts)]
        encoded = self._tokenizer.encode(*(texts if len(texts) == 1 else self._shorten_pair(*texts)))
        special = self._special(texts, encoded)
        ids, segments = np.array(self._ids(encoded), np.int64), self._segments(encoded)
        offsets = self._spans(texts, encoded, segments, special)
        words = self._words(texts, encoded, segments, offsets, special)
        tokens, unknown = tuple(map(self._readable, encoded.tokens)), (ids == self.unknown_id) & ~special
        encoding = Encoding(texts, tokens, ids, segments, offsets, words, special, unknown)
        unread = notices(encoding, totals, self.max_tokens, self._unicode)
        return replace(encoding, notices=cut_notices(typed) + unread)

    def text(self, ids: Sequence[int]) -> str:
        """The text of tokens, special ones left out."""
        return self._join([index for index in ids if index not in self.special_ids])[0]

    def single_token(self, word: str) -> int | None:
        """The id of a word that is a single known token; None for any other.

        Raises:
            Failure: As for `encode`.
        """
        encoding = self.encode(word)
        ids = encoding.ids[encoding.typed].tolist()
        return ids[0] if len(ids) == 1 and not encoding.unknown.any() else None

    def target_ids(self, text: str) -> tuple[list[int], tuple[Message, ...]]:
        """The ids that a decoder should produce for a text, the end last, and notices.

        Raises:
            Failure: As for `encode`.
        """
        encoding = self.encode(text)
        return encoding.ids[1:].tolist(), encoding.notices  # [CLS] is only read

    def decode(self, ids: Sequence[int], read: int | None = None) -> Encoding:
        """Turn tokens that a decoder produced, without special ones at their ends, into an encoding.

        The encoding holds the token that a decoder reads first, and the first `read` tokens, by
        default all of them; its text is that of all tokens.
        """
        text, spans = self._join(ids)
        left, spans = np.array([self.first_id, *ids[:read]], np.int64), spans[:read]
        special = np.arange(len(left)) == 0
        return Encoding(
            texts=(text,),
            tokens=tuple(map(self.token, left.tolist())),
            ids=left,
            segments=np.zeros(len(left), np.int64),
            offsets=np.array([(0, 0), *spans], np.int64),
            words=self._written_words(text, spans),
            special=special,
            unknown=(left == self.unknown_id) & ~special,
        )

    def extend(self, encoding: Encoding, ids: Sequence[int]) -> Encoding:
        """Return the encoding of a text and of the tokens that a model wrote after it.

        Their text is what they add when all tokens are decoded, special ones by their names; a token
        that is only a part of a character has an empty span.
        """
        if not ids:
            return encoding
        T, text = len(encoding.ids), encoding.texts[0]
        joined, spans = self._join([*encoding.ids.tolist(), *ids], names_special=True)
        written, shift = joined[spans[T - 1][1] :], len(text) - spans[T - 1][1]
        offsets = np.array(spans[T:], np.int64).reshape(-1, 2) + shift
        longer, special = text + written, np.isin(ids, [*self.special_ids])
        return Encoding(
            texts=(longer,),
            tokens=(*encoding.tokens, *map(self.token, ids)),
            ids=np.append(encoding.ids, np.array(ids, np.int64)),
            segments=np.append(encoding.segments, np.zeros(len(ids), np.int64)),
            offsets=np.vstack([encoding.offsets, offsets]),
            words=np.append(encoding.words, self._words_after(encoding, longer, offsets)),
            special=np.append(encoding.special, special),
            unknown=np.append(encoding.unknown, (np.array(ids, np.int64) == self.unknown_id) & ~special),
            notices=encoding.notices,
        )

    def _words_after(self, encoding: Encoding, text: str, offsets: np.ndarray) -> np.ndarray:
        """Number the words of the tokens at these `(t, 2)` offsets, which follow those of an encoding."""
        return int(encoding.words[-1]) + 1 + np.arange(len(offsets))

    def _join(self, ids: Sequence[int], names_special: bool = False) -> tuple[str, list[tuple[int, int]]]:
        """The text of tokens, and start and end of each in it; special ones may be left out."""
        return join_with_spans([self.token(index) for index in ids])

    def _written_words(self, text: str, spans: Sequence[tuple[int, int]]) -> np.ndarray:
        """Number of the word of each token of a decoder, the first one included; each token is a word."""
        return np.arange(len(spans) + 1)

    def _shorten_pair(self, a: str, b: str) -> tuple[str, str]:
        """The pair without the ends that are truncated anyway; the longer text stays the longer.

        The library stores what it truncates as further encodings: for a pair, every rest of one
        text with every rest of the other. For two texts of 20,000 characters these are gigabytes.
        """
        if max(len(a), len(b)) <= self.max_tokens:  # the usual case: no text has more tokens than characters
            return a, b
        ends = [[end for _, end in self._untruncated.encode(text, add_special_tokens=False).offsets] for text in (a, b)]
        longest = max(map(len, ends))
        limits = [self.max_tokens + (len(rest) == longest) for rest in ends]
        first, second = (
            text[: rest[limit - 1]] if len(rest) > limit else text
            for text, rest, limit in zip((a, b), ends, limits, strict=True)
        )
        return first, second

    def _count_tokens(self, text: str, where: Message) -> int:
        """Number of tokens of a text before truncation, special ones excluded.

        Raises:
            Failure: If there are none, naming the text.
        """
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise Failure("text.not_unicode", where=where, position=error.start + 1) from error
        if not text.strip():
            raise Failure("text.blank", where=where)
        if count := len(self._untruncated.encode(text, add_special_tokens=False).ids):
            return count
        raise Failure("text.no_words", where=where)

    def _readable(self, token: str) -> str:
        """A token of the vocabulary as people read it."""
        return token

    def _ids(self, encoded: LibraryEncoding) -> list[int]:
        return encoded.ids

    def _segments(self, encoded: LibraryEncoding) -> np.ndarray:
        """`(T,)` int64: the number of the text that each token belongs to."""
        return np.array(encoded.type_ids, np.int64)

    def _spans(
        self, texts: Sequence[str], encoded: LibraryEncoding, segments: np.ndarray, special: np.ndarray
    ) -> np.ndarray:
        """Start and end of each token, `(T, 2)`.

        A token also has the marks after it, which the tokenizer leaves out of its span.
        """
        starts, ends = map(list, zip(*encoded.offsets, strict=True))
        for i in np.flatnonzero(~special).tolist():
            text = texts[segments[i]]
            limit = len(text) if special[i + 1] else starts[i + 1]  # the last token is [SEP]
            while ends[i] < limit and self._unicode.attaches(text[ends[i]]):
                ends[i] += 1
        return np.stack([starts, ends], axis=1)

    def _special(self, texts: Sequence[str], encoded: LibraryEncoding) -> np.ndarray:
        """Tokens that are markers, `(T,)` bool: those that the tokenizer puts around texts."""
        return np.array([sequence is None for sequence in encoded.sequence_ids])

    def _words(
        self,
        texts: Sequence[str],
        encoded: LibraryEncoding,
        segments: np.ndarray,
        offsets: np.ndarray,
        special: np.ndarray,
    ) -> np.ndarray:
        """Number of the word of each token, `(T,)`.

        Without a segmenter the words are those of the tokenizer: pieces (WordPiece) of a word have
        the same number; special tokens have none.
        """
        word_ids = encoded.word_ids
        if self._segmenter is None:
            is_first = [i == 0 or word is None or word != word_ids[i - 1] for i, word in enumerate(word_ids)]
        else:
            starts = [{start for start, _ in self._segmenter(text)} for text in texts]
            is_first = [
                word is None or word_ids[i - 1] is None or bool(starts[segments[i]] & set(range(*offsets[i])))
                for i, word in enumerate(word_ids)
            ]
        return np.cumsum(is_first) - 1
