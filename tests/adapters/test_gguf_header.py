"""Headers of GGUF files, written byte by byte: what is read of them, and that damaged ones end with a reason."""

import struct

import pytest

from viz_core.adapters import gguf_header
from viz_core.adapters.gguf_header import read_gguf_header


def text(value: str | bytes) -> bytes:
    value = value.encode() if isinstance(value, str) else value
    return struct.pack("<Q", len(value)) + value


def entry(name: str, kind: int, value: bytes) -> bytes:
    return text(name) + struct.pack("<I", kind) + value


def tensor(name: str, *sizes: int) -> bytes:
    return text(name) + struct.pack(f"<I{len(sizes)}Q", len(sizes), *sizes) + struct.pack("<IQ", 0, 0)


ENTRIES = [
    entry("general.architecture", 8, text("llama")),
    entry("llama.block_count", 4, struct.pack("<I", 30)),
    entry("tokenizer.ggml.tokens", 9, struct.pack("<IQ", 8, 3) + text("a") + text("b\xff") + text("")),
    entry("tokenizer.ggml.scores", 9, struct.pack("<IQ", 6, 2) + struct.pack("<2f", 0.5, 1.5)),
    entry("tokenizer.ggml.add_bos_token", 7, b"\x01"),
    entry("llama.rope.freq_base", 12, struct.pack("<d", 1e4)),
]
TENSORS = [tensor("token_embd.weight", 4, 3), tensor("output_norm.weight", 4)]


def written(tmp_path, entries=ENTRIES, tensors=TENSORS, version=3, magic=b"GGUF"):
    file = tmp_path / "model.gguf"
    header = magic + struct.pack("<IQQ", version, len(tensors), len(entries)) + b"".join(entries) + b"".join(tensors)
    file.write_bytes(header + bytes(64))
    return file, len(header)


def test_numbers_texts_lengths_of_lists_and_shapes_are_read(tmp_path):
    file, size = written(tmp_path)
    header = read_gguf_header(file)
    assert header.metadata == {
        "general.architecture": "llama",
        "llama.block_count": 30,
        "tokenizer.ggml.tokens": 3,
        "tokenizer.ggml.scores": 2,
        "tokenizer.ggml.add_bos_token": True,
        "llama.rope.freq_base": 1e4,
    }
    assert header.shapes == {"token_embd.weight": (3, 4), "output_norm.weight": (4,)}  # the fastest size comes first
    assert header.bytes == size and header.of_model("block_count") == 30 and header.of_model("context_length") is None


HUGE = 2**63


@pytest.mark.parametrize(
    "changes, reason",
    [
        (dict(magic=b"GGML"), "not a GGUF file"),
        (dict(version=1), "version 1"),
        (dict(entries=[*ENTRIES, entry("x", 13, b"")]), "unknown kind 13"),
        (dict(entries=[*ENTRIES, entry("x", 9, struct.pack("<IQ", 9, 1))]), "list of values of kind 9"),
        (dict(entries=[*ENTRIES, entry("x", 9, struct.pack("<IQ", 8, HUGE))]), "does not end"),
        (dict(entries=[*ENTRIES, entry("x", 9, struct.pack("<IQ", 0, HUGE))]), "does not end"),
        (dict(entries=[*ENTRIES, entry("x", 9, struct.pack("<IQQ", 8, 2, HUGE))]), "does not end"),
        (dict(entries=[*ENTRIES, entry("x", 8, struct.pack("<Q", HUGE))]), "a text of"),
        (dict(entries=[*ENTRIES, entry("x", 8, struct.pack("<Q", 2**19))]), "does not end"),
        (dict(entries=[*ENTRIES, entry("x", 8, text(b"\xff"))]), "utf-8"),
        (dict(tensors=[tensor("x", *[1] * 5)]), "5 dimensions"),
        (dict(tensors=[tensor("x", HUGE, HUGE, HUGE)]), "no room"),
        (dict(tensors=[tensor("x", 10_000)]), "no room"),
    ],
)
def test_what_is_damaged_or_asks_for_more_than_the_file_has_is_refused(tmp_path, changes, reason):
    file, _ = written(tmp_path, **changes)
    with pytest.raises(ValueError, match=reason):
        read_gguf_header(file)


def test_a_header_that_is_cut_anywhere_is_refused(tmp_path):
    file, size = written(tmp_path)
    whole = file.read_bytes()
    for end in range(size):
        file.write_bytes(whole[:end])
        with pytest.raises(ValueError, match="does not end|no room"):
            read_gguf_header(file)


def test_a_header_has_a_limit_and_so_has_the_number_of_its_parts(tmp_path, monkeypatch):
    file, size = written(tmp_path)
    for name in ("MOST_ENTRIES", "MOST_TENSORS"):
        with monkeypatch.context() as patch, pytest.raises(ValueError, match="6 entries and 2 tensors"):
            patch.setattr(gguf_header, name, 1)
            read_gguf_header(file)
    monkeypatch.setattr(gguf_header, "MOST_BYTES", size - 1)
    with pytest.raises(ValueError, match="does not end"):
        read_gguf_header(file)
