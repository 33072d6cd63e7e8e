"""Writes tiny corpora in the publishers' layouts."""

import io
import json
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

# Ids 500 to 624, block 4 of ten, are validation.
REVIEWS = {
    "aclImdb/train/pos/0_9.txt": "good<br />film",
    "aclImdb/train/neg/0_2.txt": "bad film",
    "aclImdb/train/pos/499_8.txt": "fine",
    "aclImdb/train/pos/500_8.txt": "lovely",
    "aclImdb/train/neg/624_1.txt": "awful",
    "aclImdb/train/neg/625_3.txt": "poor",
    "aclImdb/test/pos/7_10.txt": "superb",
    "aclImdb/test/neg/8_1.txt": "caf\u00e9 noir",
    "aclImdb/train/unsup/2_0.txt": "Lovely!",
    "aclImdb/train/unsup/3_0.txt": "some film",
    "aclImdb/README": "not a review",
    "aclImdb/imdb.vocab": "good",
}

PAIRS = {
    "train.json": [("花呗怎么还", "花呗如何还", "1"), ("花呗如何还", "借呗如何还", "0"), ("怎么开通", "如何关闭", "0")],
    "dev.json": [("额度多少", "额度有多少", "1"), ("额度多少", "如何还", "0")],
    "test.json": [("借呗怎么还", "花呗怎么还？", None), ("没有答案", "没答案", None)],
}


def tar_archive(path: Path, files: Mapping[str, str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text.encode("utf-8"))
            archive.addfile(entry, io.BytesIO(text.encode("utf-8")))
    return path


def folder(path: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text, encoding="utf-8")
    return path


def json_lines(pairs) -> str:
    keys = ("sentence1", "sentence2", "label")
    rows = [{key: value for key, value in zip(keys, pair, strict=True) if value is not None} for pair in pairs]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def zip_archive(path: Path, files: Mapping[str, str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def pair_files(prefix: str = "") -> dict[str, str]:
    return {prefix + name: json_lines(pairs) for name, pairs in PAIRS.items()}
