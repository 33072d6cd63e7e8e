"""The tokens of what a model from elsewhere writes: from ids to a text with the place of each token in it, and from a
text to the ids that a decoder is to produce."""

from collections.abc import Sequence

import numpy as np
from tokenizers import Encoding as LibraryEncoding
from transformers import PreTrainedTokenizerBase

from viz_core.adapters.marian_tokenizer import OF_OTHER
from viz_core.adapters.text_encoder import REPLACEMENT, AdaptedTextEncoder
from viz_core.models.decoding import Vocabulary
from viz_core.records import Message

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
        self._special_ids, self.first_id = special_ids, special_ids.begin
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

    def _written_words(self, text: str, spans: Sequence[tuple[int, int]]) -> np.ndarray:
        """Tokens belong to one word up to the next white space."""
        begins = [i == 0 or text[:start].endswith(" ") for i, (start, _) in enumerate(spans)]
        return np.cumsum([0, *begins])

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
