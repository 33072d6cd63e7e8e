"""Unicode: one form for characters that can be typed in several ways; names of invisible characters.

Texts are composed (NFC, Unicode Standard Annex #15): é is one character, whether typed as one or as
e and an accent. NFKC would also replace the full-width comma of Chinese texts, for which the models
have a token, by the ASCII comma.
"""

import unicodedata
from collections.abc import Iterable

from tokenizers import Regex, normalizers, pre_tokenizers

from viz_core.records import show_whitespace

COMPOSITION = normalizers.Sequence(
    [
        normalizers.NFC(),
        # In lower case it would be i and a combining dot, two characters (Unicode's SpecialCasing.txt).
        normalizers.Replace("İ", "I"),
    ]
)
ZERO_WIDTH_SPACE = "\u200b"  # a format character that separates words
ZERO_WIDTH_JOINER = "\u200d"  # joins emoji: a family is one picture
_GRAPHEMES = pre_tokenizers.Split(Regex(r"\X"), behavior="isolated")


class UnicodeNormalizer:
    """Composes a text, then removes marks without a composed form (q̃) and format characters.

    Left in the text, marks and format characters (such as the soft hyphen) would cut a word in two.

    Attributes:
        tokens: The vocabulary; a character that is a token of its own stays.
    """

    def __init__(self, tokens: Iterable[str] = ()) -> None:
        removal = _mark_removal(ZERO_WIDTH_SPACE)
        exceptions = [token for token in tokens if len(token) == 1 and not removal.normalize_str(token)]
        self._removal = _mark_removal(ZERO_WIDTH_SPACE, *exceptions)

    def before(self, normalizer: normalizers.Normalizer | None) -> normalizers.Normalizer:
        """This normalizer, followed by that of a tokenizer."""
        return normalizers.Sequence([COMPOSITION, self._removal, *([normalizer] if normalizer else [])])

    def normalize(self, text: str) -> str:
        """Normalise a text."""
        return self._removal.normalize_str(COMPOSITION.normalize_str(text))

    def lost_marks(self, text: str) -> list[str]:
        """The marks and format characters that are removed from a text, in order."""
        return [] if text.isascii() else [c for c in COMPOSITION.normalize_str(text) if self._removes(c)]

    def attaches(self, character: str) -> bool:
        """Whether a character belongs to the one before: a mark, or the end of a Hangul syllable."""
        return not character.isascii() and ("\u1160" <= character <= "\u11ff" or self._removes(character))

    def _removes(self, character: str) -> bool:
        return not self._removal.normalize_str(character)


def _mark_removal(*exceptions: str) -> normalizers.Normalizer:
    codes = "".join(f"\\x{{{ord(character):x}}}" for character in exceptions)
    return normalizers.Replace(Regex(rf"[\p{{M}}\p{{Cf}}&&[^{codes}]]"), "")


def graphemes(text: str) -> list[str]:
    """Split a text into what a reader sees as single characters: letters with marks, combined emoji."""
    return [grapheme for grapheme, _ in _GRAPHEMES.pre_tokenize_str(text)]


def is_punctuation(character: str) -> bool:
    """Whether a character is punctuation or white space (symbols such as + and $ are not)."""
    return character.isspace() or unicodedata.category(character)[0] in "PZ"


_NAMED = "\u00a0\u00ad"  # their symbols alone would not say that the text has something invisible


def visible(text: str) -> str:
    """A text as it can be quoted in a sentence, without invisible characters.

    If it has no visible ones, the codes of its characters are quoted.
    """
    text = text if text[0] in _NAMED else show_whitespace(text)
    if _is_invisible(text[0]) or unicodedata.category(text[0])[0] == "M":
        return ", ".join(f"U+{ord(c):04X} {unicodedata.name(c, '')}".rstrip() for c in text)
    return "".join(c for c in text if c == ZERO_WIDTH_JOINER or not _is_invisible(c))


def _is_invisible(character: str) -> bool:
    """Whether a character is a space, control, format, private-use or surrogate character.

    Characters that Python does not know (Cn) count as visible: they may be emoji newer than it.
    """
    category = unicodedata.category(character)
    return category[0] == "Z" or category in ("Cc", "Cf", "Co", "Cs")
