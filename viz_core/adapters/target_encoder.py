"""Convert between target texts of an external model and token ids.

Ids become a text with the span of each token in it; a text becomes the ids that a decoder is to
produce.
"""

from collections.abc import Sequence

import numpy as np
from tokenizers import Encoding as LibraryEncoding
from transformers import PreTrainedTokenizerBase

from viz_core.adapters.marian_tokenizer import OF_OTHER
from viz_core.adapters.text_encoder import AdaptedTextEncoder
from viz_core.models.decoding import Vocabulary
from viz_core.records import Message

WORD_START = "▁"  # of SentencePiece: before the first piece of a word


class TranslationTextEncoder(AdaptedTextEncoder):
    """Text encoder of an external encoder-decoder.

    It takes the library's tokenizer of the source and, if it differs, that of the target; both share
    one vocabulary of ids.

    Raises:
        Failure: As `AdaptedTextEncoder`.
    """

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
        """Return the token with this id, as people read it."""
        return super().token(index).removeprefix(OF_OTHER)

    def single_token(self, word: str) -> int | None:
        """Return the id of a token as written in the vocabulary, or of a whole word; None if there is none."""
        names = (mark + start + word for mark in ("", OF_OTHER) for start in ("", WORD_START))
        return next((index for index in map(self._tokenizer.token_to_id, names) if index is not None), None)

    def target_ids(self, text: str) -> tuple[list[int], tuple[Message, ...]]:
        """Return the ids that a decoder should produce for a text, the end last, and notices."""
        encoding = self._target.encode(text)
        end, ids = self._special_ids.end, encoding.ids.tolist()
        ids = ids[1:] if ids[0] == self._special_ids.begin else ids
        return [*ids[: self.max_tokens - 1], end] if ids[-1] != end else ids, encoding.notices

    def _written_words(self, text: str, spans: Sequence[tuple[int, int]]) -> np.ndarray:
        """Number the words, which are separated by white space."""
        begins = [i == 0 or text[:start].endswith(" ") for i, (start, _) in enumerate(spans)]
        return np.cumsum([0, *begins])

    def _ids(self, encoded: LibraryEncoding) -> list[int]:
        """Return the ids, replacing unknown tokens by pieces of the other language.

        Marian has one vocabulary for the pieces of both languages.
        """
        others = (self._tokenizer.token_to_id(OF_OTHER + token) for token in encoded.tokens)
        return [
            other if index == self.unknown_id and other is not None else index
            for index, other in zip(encoded.ids, others, strict=True)
        ]
