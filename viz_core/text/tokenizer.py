"""Tokenizers: from text to tokens with offsets into the text.

English is split into words, Chinese into characters; both use a WordLevel model of the `tokenizers` library, saved as
`tokenizer.json`. A pair becomes `[CLS] a [SEP] b [SEP]` with segments 0 and 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

from viz_core.records import Encoding, Failure, Message

PAD, UNK, CLS, SEP = range(4)
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
MAX_LISTED_UNKNOWN = 12  # unknown tokens quoted in a notice; the others are only counted

Segmenter = Callable[[str], list[tuple[int, int]]]  # text -> start and end of each word, in order, without gaps


def build_word_tokenizer(texts: Iterable[str], max_tokens: int, min_count: int = 5) -> Tokenizer:
    """English words in lower case; `<br>` and punctuation are replaced by spaces.

    The vocabulary holds the words that occur at least `min_count` times; texts are truncated to max_tokens.
    """
    normalizer = normalizers.Sequence(
        [
            normalizers.Lowercase(),
            normalizers.Replace(Regex(r"<br\s*/?>"), " "),
            normalizers.Replace(Regex(r"[^\p{L}\p{N}\s]"), " "),
        ]
    )
    return _build(texts, normalizer, pre_tokenizers.WhitespaceSplit(), max_tokens, min_count)


def build_character_tokenizer(texts: Iterable[str], max_tokens: int) -> Tokenizer:
    """Chinese characters, each a token, spaces included; Latin letters in lower case."""
    characters = pre_tokenizers.Split(Regex(r"(?m:.)"), behavior="isolated")
    return _build(texts, normalizers.Lowercase(), characters, max_tokens, min_count=1)


def _build(texts, normalizer, pre_tokenizer, max_tokens: int, min_count: int) -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel(unk_token=SPECIAL[UNK]))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizer, pre_tokenizer
    # vocab_size: practically unlimited (the default is 30,000).
    trainer = trainers.WordLevelTrainer(
        vocab_size=2**31, min_frequency=min_count, special_tokens=list(SPECIAL), show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", CLS), ("[SEP]", SEP)]
    )
    tokenizer.enable_truncation(max_tokens, strategy="longest_first")
    return tokenizer


class TextEncoder:
    """A tokenizer that also gives words and notices. segmenter: finds the words of a text split into characters."""

    def __init__(self, tokenizer: Tokenizer, segmenter: Segmenter | None = None) -> None:
        tokenizer.encode_special_tokens = True  # a typed "[SEP]" is text, not a special token
        self._tokenizer, self._segmenter = tokenizer, segmenter
        self._untruncated = Tokenizer.from_str(tokenizer.to_str())
        self._untruncated.encode_special_tokens = True
        self._untruncated.no_truncation()

    @classmethod
    def load(cls, file: Path, segmenter: Segmenter | None = None) -> TextEncoder:
        return cls(Tokenizer.from_file(str(file)), segmenter)

    def save(self, file: Path) -> None:
        self._tokenizer.save(str(file))

    @property
    def vocabulary(self) -> int:
        """Size of the vocabulary, special tokens included."""
        return self._tokenizer.get_vocab_size()

    @property
    def max_tokens(self) -> int:
        """Maximal number of tokens, special tokens included."""
        return self._tokenizer.truncation["max_length"]

    def token(self, index: int) -> str:
        return self._tokenizer.id_to_token(index)

    def ids(
        self, texts: Sequence[str], texts_b: Sequence[str] | None = None
    ) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Ids and segments of many texts (or pairs), an array `(T,)` each, truncated and not padded."""
        batch = list(texts) if texts_b is None else list(zip(texts, texts_b, strict=True))
        encodings = self._tokenizer.encode_batch_fast(batch)
        return (
            [np.asarray(encoding.ids, np.int32) for encoding in encodings],
            [np.asarray(encoding.type_ids, np.int8) for encoding in encodings],
        )

    def encode(self, text: str, text_b: str | None = None) -> Encoding:
        """Encodes a text or pair with offsets, words and notices. Raises Failure if a text has no tokens."""
        texts = (text,) if text_b is None else (text, text_b)
        for number, part in enumerate(texts, 1):
            self._check_readable(part, None if text_b is None else number)
        encoded = self._tokenizer.encode(text, text_b)
        special = np.array([sequence is None for sequence in encoded.sequence_ids])
        ids = np.array(encoded.ids, np.int64)
        segments = np.array(encoded.type_ids, np.int64)
        offsets = np.array(encoded.offsets, np.int64).reshape(-1, 2)
        tokens = tuple(encoded.tokens)
        words = self._words(texts, segments, offsets, special)
        encoding = Encoding(texts, tokens, ids, segments, offsets, words, special, (ids == UNK) & ~special)
        return self._with_notices(encoding)

    def _check_readable(self, text: str, number: int | None) -> None:
        where = Message("text.the_text") if number is None else Message("text.sentence", {"number": number})
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise Failure("text.not_unicode", where=where, position=error.start + 1) from error
        if not text.strip():
            raise Failure("text.blank", where=where)
        if not self._untruncated.encode(text, add_special_tokens=False).ids:
            raise Failure("text.no_words", where=where)

    def _words(self, texts, segments, offsets, special) -> np.ndarray:
        """Number of the word of each token, `(T,)`; without a segmenter each token is a word."""
        if self._segmenter is None:
            return np.arange(len(segments))
        starts = [{start for start, _ in self._segmenter(text)} for text in texts]
        is_first = [
            special[i] or special[i - 1] or bool(starts[segments[i]] & set(range(*offsets[i])))
            for i in range(len(segments))
        ]
        return np.cumsum(is_first) - 1

    def _with_notices(self, encoding: Encoding) -> Encoding:
        notices = []
        read = int((~encoding.special).sum())
        total = sum(len(self._untruncated.encode(text, add_special_tokens=False).ids) for text in encoding.texts)
        if total > read:
            notices.append(
                Message(
                    "text.truncated", {"count": total - read, "read": read, "typed": total, "limit": self.max_tokens}
                )
            )
        unknown = list(dict.fromkeys(encoding.label(i) for i in np.flatnonzero(encoding.unknown)))
        if unknown:
            more = (
                Message("text.and_more", {"count": len(unknown) - MAX_LISTED_UNKNOWN})
                if len(unknown) > MAX_LISTED_UNKNOWN
                else ""
            )
            notices.append(
                Message(
                    "text.unknown",
                    {"count": int(encoding.unknown.sum()), "tokens": unknown[:MAX_LISTED_UNKNOWN], "more": more},
                )
            )
        return Encoding(**{**vars(encoding), "notices": tuple(notices)})
