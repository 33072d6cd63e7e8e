"""The lines of the code that do what a card says."""

import ast
from functools import cache
from textwrap import dedent

from viz_core.folders import CODE
from viz_core.records import Failure

_LINES = 10  # of an excerpt that begins inside a function


@cache
def excerpt(reference: str) -> str:
    """The source of a function or class: `FILE:NAME` or `FILE:CLASS.METHOD`, the file in viz_core/.

    `FILE:NAME:WORDS` are the lines from the one with these words on, at most ten. Raises Failure if there are none.
    """
    file, name, words = (*reference.split(":", 2), "", "")[:3]
    path = CODE / "viz_core" / file
    if not path.is_file():
        raise Failure("lessons.no_code", reference=reference)
    text = path.read_text("utf-8")
    try:
        node: ast.Module | ast.FunctionDef | ast.ClassDef = ast.parse(text)
    except SyntaxError:  # a file of another language
        raise Failure("lessons.no_code", reference=reference) from None
    for part in name.split("."):
        definitions = (child for child in node.body if isinstance(child, ast.FunctionDef | ast.ClassDef))
        if (found := next((child for child in definitions if child.name == part), None)) is None:
            raise Failure("lessons.no_code", reference=reference)
        node = found
    source = dedent(ast.get_source_segment(text, node, padded=True) or "")
    if not words:
        return source
    lines = source.splitlines()
    start = next((number for number, line in enumerate(lines) if words in line), None)
    if start is None:
        raise Failure("lessons.no_code", reference=reference)
    return dedent("\n".join(lines[start : start + _LINES]))
