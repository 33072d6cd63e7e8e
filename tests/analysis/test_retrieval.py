"""The translation of the most similar training sentence."""

from viz_core.analysis.translation.translating import retrieve_translations

TRAIN = ["我们去学校。", "他喝茶。", "我喝咖啡。", "他喝茶。"]
TARGETS = ["We go to school.", "He drinks tea.", "I drink coffee.", "He has tea."]


def test_the_nearest_sentence_by_hand():
    """The second query shares 喝咖啡 with the third sentence only; the last has no character of any."""
    queries = ["他喝茶。", "他喝咖啡", "明天去学校", "zoology"]
    expected = ["He drinks tea.", "I drink coffee.", "We go to school.", "We go to school."]
    assert retrieve_translations(queries, TRAIN, TARGETS) == expected


def test_a_rare_character_counts_more_than_a_frequent_one():
    """猫 is in one sentence, 我 in all three: the cat decides, though 我 and 我 has are shared as well."""
    train = ["我有猫", "我有书", "我有笔"]
    assert retrieve_translations(["他的猫", "我有"], train, ["cat", "book", "pen"])[0] == "cat"


def test_three_characters_in_a_row_do_not_count():
    """By characters and pairs aba is nearer to baa than aab is; by triples, too, it would not be."""
    assert retrieve_translations(["baa"], ["aab", "aba"], ["first", "second"]) == ["second"]
