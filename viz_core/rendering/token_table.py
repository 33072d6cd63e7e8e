"""The output of the tokenizer as a table, token by token."""

from viz_core.language import Translator
from viz_core.records import Encoding, show_whitespace
from viz_core.rendering.checks import check_encoding
from viz_core.rendering.labels import printable
from viz_core.rendering.markup import root, safe
from viz_core.rendering.theme import Theme

_CSS = """
&{max-height:420px;overflow:auto;border:1px solid var(--am-line);border-radius:6px}
& table{border-collapse:collapse;width:100%;font-size:var(--am-text);margin:0}
& th{position:sticky;top:0;background:var(--am-surface);color:var(--am-muted);font-weight:600;font-size:var(--am-small)}
& th,& td{padding:.3em .8em;text-align:left;border:0;border-bottom:1px solid var(--am-line);vertical-align:top}
& .number{text-align:right;font-variant-numeric:tabular-nums;color:var(--am-muted)}
& .token{unicode-bidi:isolate;overflow-wrap:anywhere;min-width:7em;max-width:26em}
& .special{color:var(--am-muted)} & .mark{font-weight:600;border-bottom:2px dotted currentColor}
& .a{color:var(--am-a);font-weight:700} & .b{color:var(--am-b);font-weight:700}
"""


def token_table(encoding: Encoding, say: Translator, theme: Theme) -> str:
    """Scrolling HTML table with a row per token.

    Positions and words count from 1; the segment is shown for pairs only.

    Raises:
        ValueError: If an array does not match the tokens.
    """
    check_encoding(encoding)
    pair = len(encoding.texts) > 1
    columns = [
        ("number", "position"),
        ("", "token_typed"),
        ("", "token_vocabulary"),
        ("number", "id"),
        *([("", "segment")] if pair else []),
        ("number", "word"),
        ("", "unknown"),
    ]
    head = "".join(f'<th class="{kind}">{safe(say(f"rendering.{name}"))}</th>' for kind, name in columns)
    rows = "".join(_row(encoding, index, pair, say) for index in range(len(encoding.tokens)))
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return root("am-tokens", _CSS, table, theme, scrolls=say("rendering.token_table"))


def _row(encoding: Encoding, index: int, pair: bool, say: Translator) -> str:
    segment = int(encoding.segments[index])
    kind = "token special" if encoding.special[index] else "token"
    cells = [
        ("number", str(index + 1)),
        (kind, printable(encoding.label(index))),
        (kind, printable(show_whitespace(encoding.tokens[index]))),
        ("number", str(int(encoding.ids[index]))),
    ]
    if pair:
        cells.append(("ab"[segment], "AB"[segment]))
    cells.append(("number", str(int(encoding.words[index]) + 1)))
    row = "".join(f'<td class="{kind}">{safe(text)}</td>' for kind, text in cells)
    mark = f'<span class="mark">{safe(say("rendering.unknown_mark"))}</span>' if encoding.unknown[index] else ""
    return f"<tr>{row}<td>{mark}</td></tr>"
