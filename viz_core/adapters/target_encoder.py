"""The tokens of what a model from elsewhere writes: from ids to a text with the place of each token in it, and from a
text to the ids that a decoder is to produce."""

from collections.abc import Sequence

import numpy as np
from tokenizers import Encoding as LibraryEncoding
from transformers import PreTrainedTokenizerBase

from viz_core.adapters.marian_tokenizer import OF_OTHER
from viz_core.adapters.text_encoder import REPLACEMENT, AdaptedTextEncoder
from viz_core.models.decoding import Vocabulary
from viz_core.records import Encoding, Message

WORD_START = "▁"  # of SentencePiece: before the first piece of a word


class TranslationTextEncoder(AdaptedTextEncoder):
    """tokenizer: of the library, for the source. target: that of the target, where it is another; both have one
    vocabulary of ids. Raises Failure as `AdaptedTextEncoder` does."""

    def __init__(
        self,
        tokenizer: PreTrainedTokenizerBase,
        max_tokens: int,
        special_ids: Vocabulary,
        name: str = "",
        target: PreTrainedTokenizerBase | None = None,
    ) -> None:
        super().__init__(tokenizer, max_tokens, name)
        self._special_ids = special_ids
        self._target = self if target is None else TranslationTextEncoder(target, max_tokens, special_ids, name)

    def token(self, index: int) -> str:
        return super().token(index).removeprefix(OF_OTHER)

    def single_token(self, word: str) -> int | None:
        """A token as it is written in the vocabulary, or a whole word."""
        names = (mark + start + word for mark in ("", OF_OTHER) for start in ("", WORD_START))
        return next((index for index in map(self._tokenizer.token_to_id, names) if index is not None), None)

    def target_ids(self, text: str) -> tuple[list[int], tuple[Message, ...]]:
        encoding = self._target.encode(text)
        end, ids = self._special_ids.end, encoding.ids.tolist()
        ids = ids[1:] if ids[0] == self._special_ids.begin else ids
        return [*ids[: self.max_tokens - 1], end] if ids[-1] != end else ids, encoding.notices

    def decode(self, ids: Sequence[int], read: int | None = None) -> Encoding:
        """As of our encoders: the first token that the decoder reads, and the first `read` of those that were produced,
        in the text of all of them. Tokens belong to one word up to the next white space."""
        text, spans = self._join(ids)
        spans = spans[:read]
        T = len(spans) + 1
        begins = [i == 0 or text[:start].endswith(" ") for i, (start, _) in enumerate(spans)]
        special = np.arange(T) == 0
        read_ids = np.array([self._special_ids.begin, *ids[:read]], np.int64)
        return Encoding(
            texts=(text,),
            tokens=tuple(self.token(index) for index in read_ids.tolist()),
            ids=read_ids,
            segments=np.zeros(T, np.int64),
            offsets=np.array([(0, 0), *spans], np.int64),
            words=np.cumsum([0, *begins]),
            special=special,
            unknown=(read_ids == self.unknown_id) & ~special,
        )

    def _ids(self, encoded: LibraryEncoding) -> list[int]:
        """What a language does not know may be a piece of the other one, as Marian has it: of all pieces there is one
        vocabulary."""
        others = (self._tokenizer.token_to_id(OF_OTHER + token) for token in encoded.tokens)
        return [
            other if index == self.unknown_id and other is not None else index
            for index, other in zip(encoded.ids, others, strict=True)
        ]

    def _join(self, ids: Sequence[int]) -> tuple[str, list[tuple[int, int]]]:
        """The text of tokens, and start and end of each in it, without the white space before it: how much longer the
        text gets by it. A token for a part of a character has an empty span, as has a special one."""
        text = self._tokenizer.decode(list(ids))
        spans, position = [], 0
        for count in range(1, len(ids) + 1):
            longer = self._tokenizer.decode(list(ids[:count])).rstrip(REPLACEMENT)
            end = min(max(len(longer), position), len(text))
            start = position + len(text[position:end]) - len(text[position:end].lstrip())
            spans.append((start, end))
            position = end
        return text, spans
