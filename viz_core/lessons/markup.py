"""The Markdown of lessons as HTML, for documents outside the app: a report, a sheet."""

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

from viz_core.lessons.formulas import FORMULA, mathml
from viz_core.lessons.glossary import plain_terms


def html(text: str) -> str:
    """HTML of paragraphs, lists, bold, italic, code and formulas (MathML); everything else is text."""
    return _PARSER.render(plain_terms(text))


def inline(text: str) -> str:
    """HTML of a line, without a paragraph around it."""
    return _PARSER.renderInline(plain_terms(text))


def _formula(state: StateInline, silent: bool) -> bool:
    """A rule of the parser: `$…$`."""
    match = FORMULA.match(state.src, state.pos)
    if match and not silent:
        state.push("formula", "math", 0).content = match["latex"]
    if match:
        state.pos = match.end()
    return match is not None


def _parser() -> MarkdownIt:
    """For text that may hold anything: HTML in it is text."""
    parser = MarkdownIt("commonmark", {"html": False}).disable("image")
    parser.inline.ruler.before("escape", "formula", _formula)
    parser.add_render_rule("formula", lambda _, tokens, index, *rest: mathml(tokens[index].content))
    return parser


_PARSER = _parser()
