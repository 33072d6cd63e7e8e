"""Text -> tokens, with the way back: every token knows where in the text it stands.

English is cut into words, Chinese into characters; both are a WordLevel model of the `tokenizers` library, saved as one
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
SHOWN_UNKNOWN = 12  # so many unknown tokens are named in a notice; the rest are counted

Segmenter = Callable[[str], list[tuple[int, int]]]  # text -> start and end of every word, in order, without gaps


def build_word_tokenizer(texts: Iterable[str], max_tokens: int, min_count: int = 5) -> Tokenizer:
    """English: lower case, markup and everything but letters, digits and spaces to a space, words seen `min_count` times."""
    normalizer = normalizers.Sequence(
        [
            normalizers.Lowercase(),
            normalizers.Replace(Regex(r"<br\s*/?>"), " "),
            normalizers.Replace(Regex(r"[^\p{L}\p{N}\s]"), " "),
        ]
    )
    return _build(texts, normalizer, pre_tokenizers.WhitespaceSplit(), max_tokens, min_count)


def build_character_tokenizer(texts: Iterable[str], max_tokens: int) -> Tokenizer:
    """Chinese: one token a character, capitals lowered, everything else (spaces too) as written."""
    one_each = pre_tokenizers.Split(Regex(r"(?m:.)"), behavior="isolated")
    return _build(texts, normalizers.Lowercase(), one_each, max_tokens, min_count=1)


def _build(texts, normalizer, pre_tokenizer, max_tokens: int, min_count: int) -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel(unk_token=SPECIAL[UNK]))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizer, pre_tokenizer
    # vocab_size: no other bound than the texts themselves (the default would keep 30,000).
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
    """A tokenizer with word groups and notices. `segmenter` finds the words of a text cut into characters."""

    def __init__(self, tokenizer: Tokenizer, segmenter: Segmenter | None = None) -> None:
        tokenizer.encode_special_tokens = True  # "[SEP]" typed by a person is text, not a special token
        self._tokenizer, self._segmenter = tokenizer, segmenter
        self._whole = Tokenizer.from_str(tokenizer.to_str())
        self._whole.encode_special_tokens = True
        self._whole.no_truncation()

    @classmethod
    def load(cls, file: Path, segmenter: Segmenter | None = None) -> TextEncoder:
        return cls(Tokenizer.from_file(str(file)), segmenter)

    def save(self, file: Path) -> None:
        self._tokenizer.save(str(file))

    @property
    def vocabulary(self) -> int:
        return self._tokenizer.get_vocab_size()

    @property
    def max_tokens(self) -> int:
        return self._tokenizer.truncation["max_length"]

    def token(self, index: int) -> str:
        return self._tokenizer.id_to_token(index)

    def ids(
        self, texts: Sequence[str], texts_b: Sequence[str] | None = None
    ) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Ids and segments of many texts (or pairs), truncated, not padded; for training and evaluation."""
        batch = list(texts) if texts_b is None else list(zip(texts, texts_b, strict=True))
        encoded = self._tokenizer.encode_batch_fast(batch)
        return (
            [np.asarray(item.ids, np.int32) for item in encoded],
            [np.asarray(item.type_ids, np.int8) for item in encoded],
        )

    def encode(self, text: str, text_b: str | None = None) -> Encoding:
        """One text or pair, with offsets, word groups and notices. Raises Failure where there is nothing to read."""
        texts = (text,) if text_b is None else (text, text_b)
        for number, typed in enumerate(texts, 1):
            self._refuse_unreadable(typed, None if text_b is None else number)
        encoded = self._tokenizer.encode(text, text_b)
        special = np.array([sequence is None for sequence in encoded.sequence_ids])
        ids = np.array(encoded.ids, np.int64)
        segments = np.array(encoded.type_ids, np.int64)
        offsets = np.array(encoded.offsets, np.int64).reshape(-1, 2)
        tokens = tuple(encoded.tokens)
        words = self._words(texts, segments, offsets, special)
        encoding = Encoding(texts, tokens, ids, segments, offsets, words, special, (ids == UNK) & ~special)
        return self._with_notices(encoding)

    def _refuse_unreadable(self, text: str, number: int | None) -> None:
        where = Message("text.the_text") if number is None else Message("text.sentence", {"number": number})
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise Failure("text.not_unicode", where=where, position=error.start + 1) from error
        if not text.strip():
            raise Failure("text.blank", where=where)
        if not self._whole.encode(text, add_special_tokens=False).ids:
            raise Failure("text.no_words", where=where)

    def _words(self, texts, segments, offsets, special) -> np.ndarray:
        """Number of the word group of each token; without a segmenter each token is a word."""
        if self._segmenter is None:
            return np.arange(len(segments))
        starts = [{start for start, _ in self._segmenter(text)} for text in texts]
        begins = [
            special[i] or special[i - 1] or bool(starts[segments[i]] & set(range(*offsets[i])))
            for i in range(len(segments))
        ]
        return np.cumsum(begins) - 1

    def _with_notices(self, encoding: Encoding) -> Encoding:
        notices = []
        kept = int((~encoding.special).sum())
        typed = sum(len(self._whole.encode(text, add_special_tokens=False).ids) for text in encoding.texts)
        if typed > kept:
            notices.append(
                Message(
                    "text.truncated", {"count": typed - kept, "read": kept, "typed": typed, "limit": self.max_tokens}
                )
            )
        unknown = list(dict.fromkeys(encoding.label(i) for i in np.flatnonzero(encoding.unknown)))
        if unknown:
            more = (
                Message("text.and_more", {"count": len(unknown) - SHOWN_UNKNOWN})
                if len(unknown) > SHOWN_UNKNOWN
                else ""
            )
            notices.append(
                Message(
                    "text.unknown",
                    {"count": int(encoding.unknown.sum()), "tokens": unknown[:SHOWN_UNKNOWN], "more": more},
                )
            )
        return Encoding(**{**vars(encoding), "notices": tuple(notices)})
