"""The page of each task: address, text boxes, examples and the head shown first.

The sentences about a task (`title`, `note`, `box_<key>`, `example_<name>` …) are in the catalogue named after it. The
examples were written for this project; tests/test_scenes.py checks the predictions of the shipped models for them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from viz_core.language import Translator
from viz_core.records import OTHER, OTHER_TRANSLATION


@dataclass(frozen=True)
class TaskPage:
    """The page of a task.

    url: the last part of its address. boxes: keys of its text boxes, one per text, in the session and in the link.
    height: of a box, in px. examples: name (`example_<name>` among its sentences) and texts; the first is shown before
    anything is typed. changed: the first example with some words changed, if any. first_heads: by model, the head
    shown first, as `layer.head` from 1. first_query: the token of the first example whose row is shown first; empty for
    [CLS]. catalogue: of its sentences, by default that of the task. reference_language: of the last text of an example,
    if that is its translation.
    """

    task: str
    url: str
    boxes: tuple[str, ...]
    height: int
    examples: tuple[tuple[str, tuple[str, ...]], ...]
    changed: tuple[str, ...] = ()
    first_heads: Mapping[str, str] = field(default_factory=dict)
    first_query: str = ""
    catalogue: str = ""
    reference_language: str = ""

    def __post_init__(self) -> None:
        count, inputs = len(self.boxes), [texts for _, texts in self.examples] + [self.changed] * bool(self.changed)
        if not self.examples or any(len(texts) != count for texts in inputs):
            raise ValueError(f"the page of {self.task} has {count} boxes: examples must have as many texts")

    def sentence(self, say: Translator, entry: str, default: str | None = None) -> str:
        """One of its sentences. Raises KeyError if there is none, and no default."""
        try:
            return say(f"{self.catalogue or self.task}.{entry}")
        except KeyError:
            if default is None:
                raise
            return default

    def name(self, say: Translator) -> str:
        """The task, where several are offered."""
        return self.sentence(say, f"page_{self.task}", self.sentence(say, "page"))

    def box_name(self, say: Translator, number: int, prefix: str = "") -> str:
        """The name of a text box. prefix: of the keys of boxes on pages with several per text."""
        default = say(f"{OTHER}.box_{OTHER_PAGES[len(self.boxes)].boxes[number]}")
        return self.sentence(say, f"{prefix or 'box_'}{self.boxes[number]}", default)

    def gloss(self, say: Translator, name: str, texts: Sequence[str]) -> list[str]:
        """What an example says, for readers of another language: a line for each box, or a remark; mostly none."""
        if self.reference_language == say.language:
            return [texts[-1]]
        return self.sentence(say, f"gloss_{name}", "").splitlines()

    def text_glosses(self, say: Translator, texts: Sequence[str]) -> list[str]:
        """The gloss of each text; empty unless these are the first texts of an example."""
        for name, example in self.examples:
            gloss = self.gloss(say, name, example)
            if [*example[: len(texts)]] == [*texts] and len(gloss) == len(texts):
                return gloss
        return [""] * len(texts)

    @property
    def component(self) -> str:
        """The key of its component: a page with another number of boxes is another component."""
        return f"explorer_{self.task}_{len(self.boxes)}"

    @property
    def first_texts(self) -> tuple[str, ...]:
        """The texts shown before anything is typed."""
        return self.examples[0][1]


_BEGINNING = "ni ge bu"
_SEQUENCE = "ta mi ru ve gi ha zu pe ki du la su ja ne bi fu ra te gu vi ma pu de zi ka lu"
# first_heads: in `small-distilled` “good” attends to “not” (0.99), as an adjective does in the fine-tuned ones; in the
# other review models most tokens attend to the decisive words. In the pair models each word of 花呗怎么还款 attends to
# its match in the other question; in the model of news 停 attends to 股 (0.71).
PAGES: dict[str, TaskPage] = {
    page.task: page
    for page in (
        TaskPage(
            "imdb",
            "sentiment",
            ("text",),
            120,
            (
                ("negation", ("The film is not good.",)),
                ("praise", ("The acting is superb and I loved every minute of it.",)),
                ("contrast", ("The plot is thin, but the performances are excellent and I enjoyed every minute.",)),
                (
                    "sarcasm",
                    (
                        "Oh great, another two hours of people shouting at each other. Just what I needed. I have seen "
                        "better acting in a washing machine commercial.",
                    ),
                ),
                ("mixed", ("Good actors, a terrible script: what a waste of talent.",)),
            ),
            ("The film is so good.",),
            {"small": "2.2", "small-distilled": "2.2", "wide": "2.1", "minilm": "2.7", "pretrained": "2.3"},
            "good",
        ),
        TaskPage(
            "afqmc",
            "matching",
            ("a", "b"),
            80,
            (
                ("paraphrase", ("花呗怎么还款", "花呗如何还钱")),
                ("one_word", ("花呗怎么还款", "花呗如何分期")),
                ("same_words", ("用花呗还借呗可以吗", "用借呗还花呗可以吗")),
                ("order", ("提前还款会影响额度吗", "额度会影响提前还款吗")),
                ("unrelated", ("我的花呗额度怎么变少了", "借呗可以晚几天还吗")),
            ),
            ("花呗怎么还款", "花呗如何分期"),
            {"small": "2.4", "small-2-layers": "1.1", "small-6-layers": "2.2", "wide-distilled": "2.4"},
            "怎",
        ),
        TaskPage(
            "thucnews",
            "news",
            ("text",),
            80,
            (
                ("shares", ("火箭类个股早盘逆市涨停",)),
                ("team", ("火箭队加时险胜，新秀三分球绝杀",)),
                ("launch", ("火箭成功发射，两颗卫星进入预定轨道",)),
                ("between", ("明星开公司，上市首日股价翻倍",)),
                ("traditional", ("網約車司機撿到十萬元，連夜歸還失主",)),
            ),
            ("火箭队球员末节逆势得分",),
            {"small": "2.1"},
            "停",
        ),
        TaskPage(
            "tatoeba",
            "translation",
            ("text", "reference"),
            80,
            (
                ("school", ("我们明天去学校。", "We are going to school tomorrow.")),
                ("negation", ("他昨天没有来。", "He didn't come yesterday.")),
                ("if", ("如果明天下雨，我们就不去公园。", "If it rains tomorrow, we won't go to the park.")),
                ("place", ("我昨天在图书馆看了一本书。", "I read a book at the library yesterday.")),
                ("question", ("你会说几种语言？", "How many languages can you speak?")),
                ("unknown", ("我看见一只貔貅。", "I saw a strange animal.")),
            ),
            changed=("我们昨天去学校。", "We went to school yesterday."),
            catalogue="translation",
            reference_language="en",
        ),
        # The name in the second one comes again where the text ends: a head that copies goes on with it.
        TaskPage(
            "imdb-text",
            "review-writer",
            ("text",),
            80,
            (
                ("film", ("This film is",)),
                ("name", ("The best thing about it is Doro Quandt, who plays the sister. I had never heard of Doro",)),
                ("never", ("I have never seen",)),
                ("story", ("The story begins in a small town, where",)),
            ),
            ("This book is",),
        ),
        # Their periods, 26 and 25, do not occur in training; the second one begins with something else.
        TaskPage(
            "syllables",
            "syllables",
            ("text",),
            80,
            (
                ("once_more", (f"{_SEQUENCE} {_SEQUENCE[:29]}",)),
                ("later", (f"{_BEGINNING} {_SEQUENCE[3:]} {_SEQUENCE[3:20]}",)),
            ),
        ),
    )
}


TEXT_COUNT = "texts"  # in the session and in the link: how many texts a model from elsewhere reads
# Models from elsewhere read a text or a pair, in whatever language.
OTHER_PAGES: dict[int, TaskPage] = {
    1: TaskPage(
        OTHER,
        "other",
        ("typed",),
        80,
        (
            ("pronoun", ("The keys on the table are old, so she put them into the box.",)),
            ("pieces", ("An unbelievably overrated film that somehow outshines its predecessors.",)),
            ("chinese", ("今天的天气真好，我们一起去公园散步吧。",)),
        ),
    ),
    2: TaskPage(
        OTHER,
        "other",
        ("first", "second"),
        80,
        (
            ("cat", ("The cat sat on the mat", "The cat lay on the rug")),
            ("question", ("Where did she put the old keys?", "She put the keys into the box on the table.")),
            ("same", ("The musicians were unbelievably good.", "The musicians were unbelievably good.")),
        ),
    ),
}
# Those that write a text for another.
OTHER_TRANSLATIONS = TaskPage(
    OTHER_TRANSLATION,
    "other",
    ("text", "reference"),
    80,
    (
        ("sentence", ("The cat that sat on the mat was not hungry.", "")),
        ("instruction", ("translate English to German: The house is old, but the garden is new.", "")),
        ("chinese", ("今天的天气真好，我们一起去公园散步吧。", "")),
    ),
    changed=("The dog that sat on the mat was not hungry.", ""),
    catalogue="other",
)


def first_head(task: str, model: str) -> str:
    """The head of a model that is shown first, as `layer.head` from 1; empty if any will do."""
    return PAGES[task].first_heads.get(model, "") if task in PAGES else ""


FIRST = {"en": "imdb", "zh": "afqmc"}  # by language, the task that the home page shows


@dataclass(frozen=True)
class Scene:
    """The same inputs, each with the label it has, through several models of a task; the first is what the others are
    compared with."""

    task: str
    models: tuple[str, ...]
    inputs: tuple[tuple[str, str], ...]


BEFORE_AND_AFTER = Scene(
    "imdb",
    ("small", "small-distilled", "minilm"),
    (("It is not a good film.", "negative"), ("Not bad at all.", "positive"), ("I was never bored.", "positive")),
)
