"""Sentences to translate, with a reference each, written for this project. The first is shown at first."""

EXAMPLES = (  # name (`translation.example_<name>` in the catalogue), source, reference
    ("school", "我们明天去学校。", "We are going to school tomorrow."),
    ("negation", "他昨天没有来。", "He didn't come yesterday."),
    ("if", "如果明天下雨，我们就不去公园。", "If it rains tomorrow, we won't go to the park."),
    ("place", "我昨天在图书馆看了一本书。", "I read a book at the library yesterday."),
    ("question", "你会说几种语言？", "How many languages can you speak?"),
    ("unknown", "我看见一只貔貅。", "I saw a strange animal."),
)
