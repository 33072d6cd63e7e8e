"""A message is read between what the template puts around it."""

from viz_core.text.chat import ChatFrame

FRAME = ChatFrame(("<u>", "</u><a>"), ("<s>", "</s><u>", "</u><a>"))


def test_a_message_stands_between_the_markers_and_a_system_line_before_it():
    assert FRAME.read(" Hi there\n") == "<u>Hi there</u><a>"
    assert FRAME.read("Hi", " Be brief ") == "<s>Be brief</s><u>Hi</u><a>"
    assert FRAME.read("Hi", " \n") == "<u>Hi</u><a>"


def test_a_template_without_a_system_line_does_not_read_it():
    assert ChatFrame(FRAME.alone).read("Hi", "Be brief") == "<u>Hi</u><a>"
