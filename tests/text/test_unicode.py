"""Texts typed in any of Unicode's ways: the tokens, their spans in the typed text, and notices of what is not read."""

import re
from unicodedata import category, normalize

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from viz_core.language import LANGUAGES, Translator, has_sentence
from viz_core.records import Encoding, Failure, Message
from viz_core.text.building import build_character_tokenizer, build_word_tokenizer
from viz_core.text.tokenizer import TextEncoder
from viz_core.text.unicode import visible

VOCABULARY = "a i e q good film café cafe istanbul quit straße ŉ kürk çin ﬁlm ώ"
WORDS = TextEncoder(build_word_tokenizer([VOCABULARY], max_tokens=64, min_count=1))
CHARACTERS = TextEncoder(build_character_tokenizer(["花呗\ufeff，café 豈각ガ"], max_tokens=64))

LINE_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


def surfaces(encoding: Encoding) -> list[str]:
    return [encoding.surface(i) for i in np.flatnonzero(~encoding.special)]


def tokens(encoding: Encoding) -> list[str]:
    return [token for token, special in zip(encoding.tokens, encoding.special, strict=True) if not special]


def quoted_characters(encoding: Encoding) -> list[str]:
    return [c for notice in encoding.notices if notice.key == "text.lost" for c in notice.values["characters"]]


@pytest.mark.parametrize(
    "text, read, typed",
    [
        ("cafe\u0301 good", ["café", "good"], ["cafe\u0301", "good"]),  # decomposed é
        ("CAFE\u0301", ["café"], ["CAFE\u0301"]),
        ("İstanbul good", ["istanbul", "good"], ["İstanbul", "good"]),
        ("I\u0307STANBUL", ["istanbul"], ["I\u0307STANBUL"]),
        ("Straße", ["straße"], ["Straße"]),
        ("ŉ", ["ŉ"], ["ŉ"]),
        ("KU\u0308RK c\u0327in", ["kürk", "çin"], ["KU\u0308RK", "c\u0327in"]),
        ("\u1f7d", ["ώ"], ["\u1f7d"]),  # omega with oxia is omega with tonos
        ("ﬁlm", ["ﬁlm"], ["ﬁlm"]),  # not NFKC: a ligature stays as it is
        ("good\u3000film", ["good", "film"], ["good", "film"]),
        ("😀 good", ["good"], ["good"]),
        ("good😀film", ["good", "film"], ["good", "film"]),
        ("qu\u00adit", ["quit"], ["qu\u00adit"]),  # soft hyphen
        ("\ufeffgood\u200f film", ["good", "film"], ["good\u200f", "film"]),
        ("qu\u200dit", ["quit"], ["qu\u200dit"]),
        ("good\u200bfilm", ["good", "film"], ["good", "film"]),  # a space, though of no width
        ("q\u0303uit", ["quit"], ["q\u0303uit"]),
        ("good\x00film", ["good", "film"], ["good", "film"]),
    ],
)
def test_words(text, read, typed):
    encoding = WORDS.encode(text)
    assert (tokens(encoding), surfaces(encoding)) == (read, typed)


@pytest.mark.parametrize("text", ["ＡＢＣ１２３", "ﾊﾝｶｸ", "臺灣", "kırmızı", "ΟΔΟΣ", "e\u0323\u0301e", "한국"])
def test_an_unknown_word_is_a_single_token(text):
    encoding = WORDS.encode(text)
    assert (tokens(encoding), surfaces(encoding)) == (["[UNK]"], [text])
    assert encoding.notices == (Message("text.unknown", {"count": 1, "tokens": [text], "more": ""}),)


@pytest.mark.parametrize(
    "text, read, typed",
    [
        ("e\u0301花", ["é", "花"], ["e\u0301", "花"]),
        ("\uf900呗", ["豈", "呗"], ["\uf900", "呗"]),  # a CJK compatibility ideograph
        ("\u1100\u1161\u11a8呗", ["각", "呗"], ["\u1100\u1161\u11a8", "呗"]),  # Hangul Jamo
        ("カ\u3099花", ["ガ", "花"], ["カ\u3099", "花"]),
        ("花，呗", ["花", "，", "呗"], ["花", "，", "呗"]),  # not NFKC: a full-width comma stays as it is
        ("\ufeff花", ["\ufeff", "花"], ["\ufeff", "花"]),  # it is in this vocabulary
        ("花\u2060呗\u200e", ["花", "呗"], ["花\u2060", "呗\u200e"]),
        ("Ｂ１臺", ["[UNK]"] * 3, ["Ｂ", "１", "臺"]),
        ("👨\u200d👩花", ["[UNK]", "[UNK]", "花"], ["👨\u200d", "👩", "花"]),
        ("🇨🇳花", ["[UNK]", "[UNK]", "花"], ["🇨", "🇳", "花"]),
    ],
)
def test_characters(text, read, typed):
    encoding = CHARACTERS.encode(text)
    assert (tokens(encoding), surfaces(encoding)) == (read, typed)


@pytest.mark.parametrize(
    "text, characters",
    [
        ("Good film!? “Good”; good-film…", []),  # punctuation is left out, as the pages say
        ("good<br />film <BR>good", []),
        ("cafe\u0301 İstanbul 😀", ["😀"]),
        ("I ♥ film + 5$", ["♥", "+", "$"]),
        ("😀😀 good 😀", ["😀"]),
        ("👨\u200d👩\u200d👧 good 🇨🇳 👍🏽 ❤\ufe0f", ["👨\u200d👩\u200d👧", "🇨🇳", "👍🏽", "❤\ufe0f"]),
        ("good 1\ufe0f\u20e3", []),  # "1" is unknown, and so it is all of [UNK]
        ("a\ufe0f\u20e3", ["U+FE0F VARIATION SELECTOR-16", "U+20E3 COMBINING ENCLOSING KEYCAP"]),
        ("q\u0303uit", ["U+0303 COMBINING TILDE"]),
        ("qu\u00adit", ["U+00AD SOFT HYPHEN"]),
        ("\ufeffgood", ["U+FEFF ZERO WIDTH NO-BREAK SPACE"]),
        ("good\x00film", ["U+0000"]),
        ("good\u202efilm", []),  # inside an unknown word
        ("good \u202e film", ["U+202E RIGHT-TO-LEFT OVERRIDE"]),
    ],
)
def test_characters_without_a_token_are_named(text, characters):
    assert quoted_characters(WORDS.encode(text)) == characters


@pytest.mark.parametrize("distinct, more", [(12, ""), (13, Message("text.and_more", {"count": 1}))])
def test_lost_characters_are_counted_and_only_the_first_are_quoted(distinct, more):
    emoji = [chr(0x1F600 + i) for i in range(distinct)]
    (notice,) = WORDS.encode("good " + "".join(emoji) + emoji[0]).notices
    assert notice.values == {"count": distinct + 1, "characters": emoji[:12], "more": more}


def test_the_notice_in_both_languages():
    (notice,) = WORDS.encode("good 😀").notices
    assert notice == Message("text.lost", {"count": 1, "characters": ["😀"], "more": ""}) and has_sentence(notice)


def test_what_is_truncated_is_not_reported_as_lost():
    encoding = TextEncoder(build_word_tokenizer([VOCABULARY], max_tokens=4, min_count=1)).encode("good ★ film 😀 good")
    assert [notice.key for notice in encoding.notices] == ["text.truncated", "text.lost"]
    assert quoted_characters(encoding) == ["★"]


def test_unknown_characters_that_are_invisible_are_named():
    (notice,) = CHARACTERS.encode("花\x00\u00a0\u200b").notices
    assert notice.key == "text.unknown"
    assert notice.values["tokens"] == ["U+0000", "U+00A0 NO-BREAK SPACE", "U+200B ZERO WIDTH SPACE"]


def test_a_quoted_word_cannot_turn_the_sentence_around():
    (notice,) = WORDS.encode("ze\u202ebra").notices
    assert notice.values["tokens"] == ["zebra"]


def test_a_text_of_lost_characters_only_is_a_failure():
    for text in ("😀", "\u0301", "\ufeff\u200b"):
        with pytest.raises(Failure) as failure:
            WORDS.encode(text)
        assert failure.value.message.key == "text.no_words"


def test_an_invisible_character_is_shown_as_a_symbol_or_its_code():
    assert visible("\ue000") == "U+E000"
    assert visible("\t") == "⇥"


# Letters that can be composed, marks, format characters, jamo, emoji and markup, and any other character.
SEQUENCES = st.sampled_from(
    ["a", "e", "i", "I", "İ", "q", "é", "花", "\uf900", "\u0958", "\u0344", "\u0f73", "\u0301", "\u0323", "\u0307"]
    + ["\u0338", "=", "\ufe0f", "\u20e3", "\u00ad", "\u200b", "\u200d", "\ufeff", "\u0600", "\u1100", "\u1161"]
    + ["\u11a8", "각", "😀", "👨\u200d👩\u200d👧", "🇨🇳", "👍🏽", "ｶ", "ﾞ", "<br />", "[SEP]", " ", "\r\n", "\x00", "!"]
)
TEXTS = st.lists(SEQUENCES | st.characters(exclude_categories=["Cs", "Cn"]), max_size=25).map("".join)
TOKENIZERS = pytest.mark.parametrize("tokenizer", [WORDS, CHARACTERS], ids=["words", "characters"])


def encode(tokenizer: TextEncoder, text: str) -> Encoding | None:
    try:
        return tokenizer.encode(text)
    except Failure:
        return None


@TOKENIZERS
@given(text=TEXTS)
@example("a\u0f73\u0338 e\u0323\u0301")
def test_the_same_text_typed_in_another_way_has_the_same_ids(tokenizer, text):
    forms = [normalize(form, text) for form in ("NFC", "NFD")]
    (expected, *others), _ = tokenizer.ids([text, *forms])
    assert all(np.array_equal(expected, other) for other in others)


@TOKENIZERS
@given(text=TEXTS)
def test_spans_are_in_order_and_a_known_token_spells_its_span(tokenizer, text):
    if encoding := encode(tokenizer, text):
        end = 0
        for i in np.flatnonzero(~encoding.special):
            assert end <= encoding.offsets[i, 0] < encoding.offsets[i, 1] <= len(text)
            end = encoding.offsets[i, 1]
            if not encoding.unknown[i] and encoding.tokens[i] != "\ufeff":
                composed = normalize("NFC", encoding.surface(i)).replace("İ", "I")
                spelling = "".join(c for c in composed if category(c) not in ("Mn", "Mc", "Me", "Cf"))
                assert spelling.lower() == encoding.tokens[i]


@TOKENIZERS
@given(text=TEXTS)
def test_every_character_is_read_or_reported(tokenizer, text):
    if encoding := encode(tokenizer, text):
        read = np.zeros(len(text), bool)
        for i in np.flatnonzero(~encoding.special):
            read[slice(*encoding.offsets[i])] = True
        for match in LINE_BREAK.finditer(text):
            read[slice(*match.span())] = True
        rest = [c for c, is_read in zip(text, read, strict=True) if not is_read]
        symbols = {c for c in rest if not c.isspace() and category(c)[0] not in "PZ"}
        reported = " ".join(quoted_characters(encoding))
        more = any(notice.values["more"] for notice in encoding.notices if notice.key == "text.lost")
        assert more or all(c in reported or f"U+{ord(c):04X}" in reported for c in symbols)


@TOKENIZERS
@given(text=st.text(st.characters(max_codepoint=0x24F, exclude_categories=["Cs", "Cf"], exclude_characters="İ")))
def test_a_text_without_marks_is_read_as_by_its_tokenizer_alone(tokenizer, text, tmp_path_factory):
    file = tmp_path_factory.getbasetemp() / "tokenizer.json"
    tokenizer.save(file)
    alone = Tokenizer.from_file(str(file))
    alone.encode_special_tokens = True  # Hypothesis draws "[SEP]", a constant of the code, too
    assert tokenizer.ids([text])[0][0].tolist() == alone.encode(text).ids


@pytest.mark.parametrize("language", LANGUAGES)
@given(text=TEXTS)
def test_a_notice_has_no_invisible_characters(language, text):
    if encoding := encode(WORDS, text):
        sentence = "".join(map(Translator(language), encoding.notices)).replace("\u200d", "")
        assert not [c for c in sentence if category(c) in ("Cc", "Cf", "Zl", "Zp")]


def test_training_texts_are_composed():
    file = build_word_tokenizer(["cafe\u0301 café"], max_tokens=8, min_count=2).get_vocab()
    assert "café" in file and "cafe" not in file
    assert "é" in build_character_tokenizer(["e\u0301"], max_tokens=8).get_vocab()
