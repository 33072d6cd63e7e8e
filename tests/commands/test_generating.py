"""`generate`: a text continued by a model from elsewhere."""

from pathlib import Path

import pytest
import torch

from tests.adapters.test_language_model import network
from tests.adapters.test_opening import save_model
from tests.adapters.tiny_networks import CHAT_TEMPLATE, byte_pairs
from tests.sampling import few
from tests.words import says

pytestmark = pytest.mark.process  # models are tried out in a process of their own


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("llama")
    network("Llama").save_pretrained(folder)
    tokenizer = byte_pairs(40)
    tokenizer.chat_template = CHAT_TEMPLATE
    tokenizer.save_pretrained(folder)
    return folder


def test_a_text_is_continued(json_output, folder):
    output = json_output("generate", "--model", f"path:{folder}", "--text", "the cat", "--tokens", 3)
    assert len(output["tokens"]) == 3 and not output["complete"] and len(output["notices"]) == 1
    for token in output["tokens"]:  # greedy: the likeliest was taken
        assert token["rank"] == 1 and max(token["candidates"].values()) == token["probability"]


def test_samples_follow_the_seed(json_output, folder):
    written = [
        json_output("generate", "--model", f"path:{folder}", "--text", "a", "--temperature", 2, "--seed", seed)[
            "written"
        ]
        for seed in (1, 1, 2)
    ]
    assert written[0] == written[1] != written[2]


def test_a_message_of_a_chat_is_answered(json_output, folder):
    options = ("generate", "--model", f"path:{folder}", "--text", "cat", "--chat", "--tokens", 1)
    assert json_output(*options)["text"] == "<pad>u:cat</s><pad>a:"
    assert json_output(*options, "--system", "ab")["text"] == "<pad>s:ab</s><pad>u:cat</s><pad>a:"


@pytest.mark.parametrize(
    ("options", "key"),
    [
        (("--tokens", 0), "generation.no_tokens"),
        (("--text", "a" * 100_000), "generation.full"),
        *few(
            [
                (("--temperature", 9), "translation.temperature"),
                (("--temperature", 1, "--top-k", -1), "generation.top_k"),
                (("--temperature", 1, "--top-p", 2), "generation.top_p"),
                (("--text", "a" * 50), "generation.full"),
                (("--text", " "), "text.blank"),
                (("--text", " ", "--chat"), "text.blank"),
            ],
            0,
        ),
    ],
)
def test_what_is_not_possible_is_refused(error_sentences, folder, options, key):
    assert says(error_sentences("generate", "--model", f"path:{folder}", "--text", "a", *options)[0], key)


def test_where_the_context_is_full_it_stops_and_says_so(json_output, folder):
    output = json_output("generate", "--model", f"path:{folder}", "--text", "a" * 37, "--tokens", 9)
    assert len(output["tokens"]) == 2 and any(says(notice, "generation.context_full") for notice in output["notices"])


def test_numbers_that_are_not_finite_are_one_sentence(error_sentences, tmp_path):
    """Only texts of more than twelve tokens reach the position whose embedding overflows."""
    folder, out = overflowing(tmp_path), tmp_path / "out.npz"
    for command in (("generate",), ("explain", "--out", out), ("predict",)):
        message, _ = error_sentences(*command, "--model", f"path:{folder}", "--text", "a" * 15)
        assert says(message, "analysis.no_numbers"), message


def overflowing(folder: Path) -> Path:
    """A folder with a model whose weights are finite, but not what it computes from the thirteenth token on."""
    net = network("GPT2")
    with torch.no_grad():
        net.transformer.wpe.weight[12] = 3e38
    net.save_pretrained(folder)
    byte_pairs(40).save_pretrained(folder)
    return folder


def test_a_model_that_continues_nothing_says_so(error_sentences, tmp_path):
    classifier = save_model(tmp_path / "bert")
    message, _ = error_sentences("generate", "--model", f"path:{classifier}", "--text", "a")
    assert says(message, "generation.no_language_model")
