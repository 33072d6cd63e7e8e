from viz_core.rendering import labels


def test_repeated_tokens_have_unique_names():
    assert labels.categories(["the", "the"]) == ["1 · the", "2 · the"]


def test_markup_is_escaped():
    assert labels.tick_texts(["<b>", "&amp;"]) == ["&lt;b&gt;", "&amp;amp;"]


def test_long_words_are_truncated():
    word = "x" * 300
    assert labels.tick_texts([word]) == ["x" * 13 + "…"]
    assert labels.categories([word]) == ["1 · " + "x" * 59 + "…"]
    assert labels.shorten("花" * 10, 14) == "花" * 6 + "…"
    assert labels.shorten("花" * 7, 14) == "花" * 7


def test_control_characters_are_shown_as_codes():
    assert labels.printable("a\u202eb\u200d") == "a\\u202eb\u200d"


def test_tick_steps_by_hand():
    assert labels.tick_step(cell=35, line=15) == 1
    assert labels.tick_step(cell=8.75, line=15) == 2
    assert labels.tick_step(cell=560 / 512, line=15) == 14


def test_chinese_labels_are_upright():
    assert labels.upright_ticks(["花", "[SEP]"], cell=40, size=12) == ["花", "[SEP]"]
    assert labels.upright_ticks(["花呗", "怎么", "[SEP]"], cell=20, size=12) == [
        "花<br>呗",
        "怎<br>么",
        '<span style="font-size:11px">SEP</span>',  # 20 / (3 * 0.58) = 11.5
    ]
    assert labels.upright_ticks(["花呗", "[a]"], cell=20, size=12)[1] == "﹇<br>a<br>﹈", "as typed"
    assert labels.upright_ticks(["wonderful", "plot"], cell=20, size=12) is None


def test_wrap_by_hand():
    assert labels.wrap("red two three", 7) == ["red two", "three"]
    assert labels.wrap("每格取最大，按顺序", 10) == ["每格取最大，", "按顺序"]
    assert labels.wrap("某种展开方式（rollout）", 15) == ["某种展开方式", "（rollout）"]
    assert labels.wrap("某方法（逐个移除）", 13) == ["某方法", "（逐个移除）"]


def test_an_excerpt_is_one_line_without_the_breaks_of_reviews():
    assert labels.excerpt("Dull.<br /><br />But\n short <BR>it is", 40) == "Dull. But short it is"
    assert labels.excerpt("a < b <br/> c", 40) == "a < b c" and labels.excerpt("abcdefgh", 5) == "abcd…"
