"""The Markdown of lessons as HTML, for documents that no browser renders Markdown in."""

import re

from viz_core.lessons.glossary import plain_terms
from viz_core.rendering.markup import safe

_LIST = re.compile(r"(?:- |\d+\. )")
# Code and formulas first, in which nothing else is markup.
_INLINE = re.compile(r"`(?P<code>[^`]+)`|\$(?P<formula>[^$\n]+)\$|\*\*(?P<strong>.+?)\*\*|\*(?P<em>[^*]+)\*")
_TAGS = {"code": "code", "formula": "code", "strong": "b", "em": "em"}


def html(text: str) -> str:
    """HTML of paragraphs, lists, bold, italic, code and formulas (as they are typed); everything else is text."""
    return "".join(_block(block) for block in re.split(r"\n\s*\n", plain_terms(text).strip()) if block)


def _block(block: str) -> str:
    lines = block.splitlines()
    if not all(_LIST.match(line) for line in lines):
        return f"<p>{inline(' '.join(lines))}</p>"
    kind = "ul" if block.startswith("-") else "ol"
    items = "".join(f"<li>{inline(_LIST.sub('', line, count=1))}</li>" for line in lines)
    return f"<{kind}>{items}</{kind}>"


def inline(text: str) -> str:
    """HTML of a line, without a paragraph around it."""
    parts, end = [], 0
    for match in _INLINE.finditer(text):
        tag = _TAGS[match.lastgroup or ""]
        inner = match[match.lastgroup or 0]
        parts += [safe(text[end : match.start()]), f"<{tag}>{safe(inner) if tag == 'code' else inline(inner)}</{tag}>"]
        end = match.end()
    return "".join([*parts, safe(text[end:])])
