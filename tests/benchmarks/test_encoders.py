"""The section about encoders from elsewhere: its inputs have the sizes that it names, its rows what was measured."""

from benchmarks import encoders
from benchmarks.encoders import Case
from benchmarks.notebook_page import Drawing


def test_inputs_have_the_numbers_of_tokens_that_are_named():
    encoder = encoders.encoders()[0]
    counts = [len(encoder.tokenizer(*texts).input_ids) for texts in encoders.inputs(encoder, (128, 512))]
    assert counts == [15, 128, 512]
    shapes = [
        (net.num_hidden_layers, net.num_attention_heads) for net in (e.network.config for e in encoders.encoders())
    ]
    assert shapes == [(6, 12), (12, 12)]


def test_rows_have_medians_and_say_what_was_not_drawn():
    ours = [
        Drawing(15, build, 200_000, draw, 1.0, 20_000_000, (20.0, 40.0)) for build, draw in ((0.1, 0.4), (0.3, 0.2))
    ]
    theirs = [Drawing(15, 4.0, 216_000_000, None, 45.0, 8_000_000_000)]
    lines = encoders.table([Case("tiny", ours, theirs), Case("large", ours[:1], [])], 0.5).splitlines()
    assert "| tiny: ours | 200 ms | 200 kB | 300 ms | 30 ms | 20 MB |" in lines
    assert "| tiny: BertViz | 4.0 s | 216 MB | not drawn in 45 s, then 8,000 MB were full |  | 8,000 MB |" in lines
    assert "| large: BertViz | not tried | | | | |" in lines
    assert "with earlier parts of this run: 0.5." in lines[-1]
