"""Writing a section into a document."""

import pytest

from benchmarks import tables


def test_only_the_named_section_is_replaced(tmp_path):
    file = tmp_path / "performance.md"
    file.write_text(
        "# Title\n<!-- a: begin -->\nold\n<!-- a: end -->\n<!-- b: begin -->\nold\n<!-- b: end -->\nend\n", "utf-8"
    )
    tables.write(file, "b", "new")
    assert file.read_text("utf-8") == (
        "# Title\n<!-- a: begin -->\nold\n<!-- a: end -->\n<!-- b: begin -->\n\nnew\n\n<!-- b: end -->\nend\n"
    )
    with pytest.raises(ValueError, match="<!-- c: begin -->"):
        tables.write(file, "c", "new")


def test_a_section_without_an_end_is_refused(tmp_path):
    file = tmp_path / "performance.md"
    file.write_text("<!-- a: begin -->\nold\n", "utf-8")
    with pytest.raises(ValueError, match="<!-- a: end -->"):
        tables.write(file, "a", "new")
    assert file.read_text("utf-8") == "<!-- a: begin -->\nold\n"
