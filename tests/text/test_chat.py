"""A message is read between what the template puts around it."""

from viz_core.text.chat import ChatFrame, Turn

FRAME = ChatFrame(("<u>", "</u><a>"), ("<s>", "</s><u>", "</u><a>"))


def test_a_message_stands_between_the_markers_and_a_system_line_before_it():
    assert FRAME.read(" Hi there\n") == "<u>Hi there</u><a>"
    assert FRAME.read("Hi", " Be brief ") == "<s>Be brief</s><u>Hi</u><a>"
    assert FRAME.read("Hi", " \n") == "<u>Hi</u><a>"


def test_a_template_without_a_system_line_does_not_read_it():
    assert ChatFrame(FRAME.alone).read("Hi", "Be brief") == "<u>Hi</u><a>"


def test_further_turns_have_the_same_pieces_and_a_chat_may_end_with_an_answer():
    chat = ChatFrame(FRAME.alone, FRAME.with_system, "</a><u>")
    turns = (Turn("Hi", " Hello "), Turn("How are you?", "Well"))
    whole = "<u>Hi</u><a>Hello</a><u>How are you?</u><a>Well</a><u>Good</u><a>"
    assert chat.read("Good", turns=turns) == whole
    assert chat.read(" ", turns=turns) == whole.removesuffix("</a><u>Good</u><a>")
    assert chat.read("Good", "Be brief", turns) == "<s>Be brief</s>" + whole
    ends = [start for start, _ in chat.markers(whole)], [end for _, end in chat.markers(whole)]
    between = [whole[start:end] for start, end in zip(ends[1], [*ends[0][1:], len(whole)], strict=True)]
    assert between == ["Hi", "Hello", "How are you?", "Well", "Good", ""]


def test_what_the_template_has_put_into_a_text_is_found_again():
    text = FRAME.read("Hi", "Be brief")
    assert [text[start:end] for start, end in FRAME.markers(text)] == ["<s>", "</s><u>", "</u><a>"]
    assert FRAME.markers("<u>Hi</u><a>I am well") == [(0, 3), (5, 12)]
    for other in ("Hi", "<u>Hi", " <u>Hi</u><a>", "<s>Be brief</s><u>Hi", ""):
        assert FRAME.markers(other) == []


def test_a_line_of_the_template_itself_is_a_part_of_it_and_one_of_the_user_is_not():
    """As of SmolLM2, which has a system line of its own; and of Llama 2, where one begins like a message."""
    of_its_own = ChatFrame(("<s>You help</s><u>", "</u><a>"), ("<s>", "</s><u>", "</u><a>"))
    assert of_its_own.markers(of_its_own.read("Hi"))[0] == (0, len("<s>You help</s><u>"))
    assert of_its_own.markers(of_its_own.read("Hi", "You help me"))[:2] == [(0, 3), (14, 21)]
    alike = ChatFrame(("[", "]"), ("[<<", ">>", "]"))
    assert alike.markers("[<<Be brief>>Hi]") == [(0, 3), (11, 13), (15, 16)] and alike.markers("[Hi]") == [
        (0, 1),
        (3, 4),
    ]
