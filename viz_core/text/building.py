"""Builds the tokenizers of this project with the `tokenizers` library.

Most are WordLevel models built from texts: English is split into words, Chinese into characters or,
by jieba, into words. For a language model it is byte-pair encoding; for a pre-trained encoder
WordPiece with the vocabulary that comes with the encoder. A pair becomes `[CLS] a [SEP] b [SEP]` with segments 0 and 1.
"""

from collections.abc import Iterable, Sequence

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from viz_core.text.notices import LINE_BREAK
from viz_core.text.unicode import COMPOSITION, UnicodeNormalizer
from viz_core.text.words import chinese_words

PAD, UNK, CLS, SEP = range(4)
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")


def build_word_tokenizer(texts: Iterable[str], max_tokens: int, min_count: int = 5) -> Tokenizer:
    """Build a tokenizer of English words in lower case; `<br>` and punctuation become spaces.

    The vocabulary holds the words that occur at least `min_count` times; texts are truncated to
    max_tokens.
    """
    normalizer = normalizers.Sequence(
        [
            normalizers.Lowercase(),
            normalizers.Replace(Regex(LINE_BREAK), " "),
            normalizers.Replace(Regex(r"[^\p{L}\p{N}\s]"), " "),
        ]
    )
    texts = map(UnicodeNormalizer().normalize, texts)
    return _build(texts, normalizer, pre_tokenizers.WhitespaceSplit(), max_tokens, min_count)


def build_character_tokenizer(texts: Iterable[str], max_tokens: int) -> Tokenizer:
    """Build a tokenizer of Chinese characters, spaces included; Latin letters in lower case."""
    characters = pre_tokenizers.Split(Regex(r"(?m:.)"), behavior="isolated")
    texts = map(COMPOSITION.normalize_str, texts)  # each remaining mark is also a character
    return _build(texts, normalizers.Lowercase(), characters, max_tokens, min_count=1)


def build_chinese_word_tokenizer(texts: Iterable[str], max_tokens: int, min_count: int = 2) -> Tokenizer:
    """Build a tokenizer of Chinese words by jieba, punctuation included; Latin letters in lower case.

    It has no pre-tokenizer, as jieba cannot be saved in it: a `TextEncoder` with a segmenter splits
    texts for it. The vocabulary holds the words that occur at least `min_count` times; texts are
    truncated to max_tokens.
    """
    texts = map(UnicodeNormalizer().normalize, texts)
    words = (text[start:end] for text in texts for start, end in chinese_words(text))
    return _build(filter(str.strip, words), normalizers.Lowercase(), None, max_tokens, min_count)


def build_translation_tokenizer(texts: Iterable[str], max_tokens: int, min_count: int = 2) -> Tokenizer:
    """Build a tokenizer of Chinese characters, lower-case words of other scripts, and punctuation marks.

    One vocabulary for both languages, with the tokens that occur at least `min_count` times; texts
    are truncated to max_tokens.
    """
    normalizer = normalizers.Sequence([normalizers.Lowercase(), normalizers.Replace("’", "'")])
    letter = r"[\p{L}\p{N}&&[^\p{Han}]]"  # "don't" is one word
    tokens = pre_tokenizers.Split(Regex(rf"{letter}+(?:'{letter}+)*|\S"), behavior="removed", invert=True)
    texts = map(UnicodeNormalizer().normalize, texts)
    return _build(texts, normalizer, tokens, max_tokens, min_count)


def build_byte_pair_tokenizer(texts: Iterable[str], max_tokens: int, vocabulary: int = 8_000) -> Tokenizer:
    """Build a byte-pair tokenizer (Sennrich et al. 2016) on bytes (Radford et al. 2019, section 2.2).

    It knows every text. A token has the space before it; case is kept; `<br>` and any white space
    become one space. The vocabulary has at most so many tokens, the special ones and all 256 bytes
    included; texts are truncated to max_tokens.
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Replace(Regex(f"(?i:{LINE_BREAK})"), " "), normalizers.Replace(Regex(r"\s+"), " ")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=list(SPECIAL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(map(UnicodeNormalizer().normalize, texts), trainer)
    return _finish(tokenizer, max_tokens)


def build_wordpiece_tokenizer(
    vocabulary: Sequence[str],
    max_tokens: int,
    lowercase: bool = True,
    strip_accents: bool | None = None,
    handle_chinese_chars: bool = True,
    clean_text: bool = True,
) -> Tokenizer:
    """Build the tokenizer of BERT (Devlin et al. 2019).

    A word is split into the longest pieces in the vocabulary; all but the first piece start with ##
    (Wu et al. 2016, section 4.1). `<br>`, markup in the reviews, becomes a space. The arguments not
    described here are those of `tokenizers.normalizers.BertNormalizer`.

    Args:
        vocabulary: SPECIAL, then all other tokens, by id.
        max_tokens: Texts are truncated to this length.
        strip_accents: None for the same as `lowercase`.
    """
    ids = {token: number for number, token in enumerate(vocabulary)}
    tokenizer = Tokenizer(models.WordPiece(ids, unk_token=SPECIAL[UNK], max_input_chars_per_word=100))
    tokenizer.add_special_tokens(list(SPECIAL))
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.Replace(Regex(f"(?i:{LINE_BREAK})"), " "),
            normalizers.BertNormalizer(clean_text, handle_chinese_chars, strip_accents, lowercase),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return _finish(tokenizer, max_tokens)


def _build(
    texts: Iterable[str],
    normalizer: normalizers.Normalizer,
    pre_tokenizer: pre_tokenizers.PreTokenizer | None,
    max_tokens: int,
    min_count: int,
) -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel(unk_token=SPECIAL[UNK]))
    tokenizer.normalizer = normalizer
    if pre_tokenizer is not None:
        tokenizer.pre_tokenizer = pre_tokenizer
    # vocab_size: practically unlimited (the default is 30,000).
    trainer = trainers.WordLevelTrainer(
        vocab_size=2**31, min_frequency=min_count, special_tokens=list(SPECIAL), show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    return _finish(tokenizer, max_tokens)


def _finish(tokenizer: Tokenizer, max_tokens: int) -> Tokenizer:
    """Add special tokens around a text or a pair, truncated to max_tokens."""
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", CLS), ("[SEP]", SEP)]
    )
    tokenizer.enable_truncation(max_tokens, strategy="longest_first")
    return tokenizer


BUILDERS = (build_word_tokenizer, build_character_tokenizer, build_chinese_word_tokenizer, build_translation_tokenizer)
