"""The lines of the code that do what a card says."""

import ast
from functools import cache
from textwrap import dedent

from viz_core.folders import CODE
from viz_core.records import Failure


@cache
def excerpt(reference: str) -> str:
    """The source of a function or class: `FILE:NAME` or `FILE:CLASS.METHOD`, the file in viz_core/.

    Raises Failure if there is none.
    """
    file, _, name = reference.partition(":")
    path = CODE / "viz_core" / file
    if not path.is_file():
        raise Failure("lessons.no_code", reference=reference)
    text = path.read_text("utf-8")
    node: ast.Module | ast.FunctionDef | ast.ClassDef = ast.parse(text)
    for part in name.split("."):
        definitions = (child for child in node.body if isinstance(child, ast.FunctionDef | ast.ClassDef))
        if (found := next((child for child in definitions if child.name == part), None)) is None:
            raise Failure("lessons.no_code", reference=reference)
        node = found
    return dedent(ast.get_source_segment(text, node, padded=True) or "")
