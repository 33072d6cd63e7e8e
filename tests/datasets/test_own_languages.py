"""Languages of the texts of a table."""

from viz_core.datasets.own.languages import find_languages

ENGLISH = ["The harbour was full of small boats.", "Nobody answered the telephone.", "Where did you leave my keys?"]
GERMAN = ["Der Hafen war voll von kleinen Booten."]


def test_languages_come_with_their_shares_the_most_frequent_first():
    assert find_languages([*GERMAN, *ENGLISH]) == {"en": 0.75, "de": 0.25}


def test_texts_that_are_no_language_do_not_count():
    assert find_languages(["12", "👍", "https://example.org/a", *GERMAN]) == {"de": 1.0}
    assert find_languages(["12", "👍"]) == find_languages([]) == {}


def test_short_texts_are_recognised_together():
    words = ["harbour", "the answer", "nobody", "telephone", "small boats", "of my keys"]
    assert find_languages(words) == {"en": 1.0}


def test_a_rare_language_is_a_mistake_and_all_parts_of_a_table_are_looked_at():
    assert find_languages(ENGLISH[:1] * 99 + GERMAN) == {"en": 0.99}
    assert set(find_languages(ENGLISH[:1] * 5_000 + GERMAN * 5_000)) == {"en", "de"}


def test_chinese_is_one_language_however_it_is_written():
    assert find_languages(["这部电影真好看", "這部電影真好看", "佢哋喺度食緊飯"]) == {"zh": 1.0}
