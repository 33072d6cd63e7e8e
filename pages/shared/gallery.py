"""The examples on the pages, written for this project: `(key of the label, {key of a text box: text})`.

The first of each is what a visitor sees without having typed anything. Tests keep what is promised of them true.
"""

REVIEWS = (
    ("praise", {"text": "The acting is superb and I loved every minute of it."}),
    ("negation", {"text": "The film is not good."}),
    ("contrast", {"text": "The plot is thin, but the performances are excellent and I enjoyed every minute."}),
    ("sarcasm", {"text": "Oh great, another two hours of people shouting at each other. Just what I needed. I have seen "
                         "better acting in a washing machine commercial."}),
    ("mixed", {"text": "Good actors, a terrible script: what a waste of talent."}),
)

PAIRS = (
    ("paraphrase", {"a": "花呗怎么还款", "b": "花呗如何还钱"}),
    ("one_word", {"a": "花呗怎么还款", "b": "花呗怎么分期"}),
    ("same_words", {"a": "用花呗还借呗可以吗", "b": "用借呗还花呗可以吗"}),
    ("order", {"a": "提前还款会影响额度吗", "b": "额度会影响提前还款吗"}),
    ("unrelated", {"a": "我的花呗额度怎么变少了", "b": "借呗可以晚几天还吗"}),
)

# The head that is shown first, as `layer.head` from 1. In both review models [CLS] looks at the words that decide, in small
# “not” among them; in the pair models 花 looks at its like in the other question, in small each word of 花呗怎么还款 does.
HEADS = {"imdb/small": "2.1", "imdb/wide": "2.1", "afqmc/small": "2.4", "afqmc/small-2-layers": "1.1",
         "afqmc/small-6-layers": "2.2"}
