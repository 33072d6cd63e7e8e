"""Formulas of lessons, a small part of LaTeX, as MathML: every browser draws and prints it without a script."""

import re
from collections import deque
from html import escape

FORMULA = re.compile(r"\$(?P<latex>[^$\n]+)\$")  # in Markdown
_TOKEN = re.compile(r"\\(?:text|mathrm|operatorname)\{[^{}]*\}|\\(?:[a-zA-Z]+|.)|[0-9]+(?:\.[0-9]+)?|\S")
_SCRIPTS = {"_": "msub", "^": "msup", "_^": "msubsup"}
_SIGNS = {
    **{"cdot": "·", "times": "×", "approx": "≈", "le": "≤", "ge": "≥", "ne": "≠", "pm": "±", "to": "→", "sum": "∑"},
    **{"top": "⊤", "dots": "…", "ldots": "…", "cdots": "⋯", "in": "∈", "infty": "∞", "odot": "⊙", "{": "{", "}": "}"},
}
_LETTERS = {"alpha": "α", "beta": "β", "theta": "θ", "lambda": "λ", "mu": "μ", "sigma": "σ", "tau": "τ", "pi": "π"}
_FUNCTIONS = {"exp", "log", "ln", "max", "min", "sin", "cos"}
_SPACES = re.compile(r"\\(?:(?:left|right|big|Big|quad)(?![a-zA-Z])|[,;:! ])")


def mathml(latex: str) -> str:
    r"""The formula: letters, numbers, signs, `^`, `_`, `\frac`, `\sqrt`, `\text`, functions; else a name as it is."""
    return f"<math>{_row(deque(_TOKEN.findall(_SPACES.sub(' ', latex))))}</math>"


def _row(tokens: deque[str]) -> str:
    """The elements up to the end, or to the brace that closes the group."""
    row = []
    while tokens and tokens[0] != "}":
        row.append(_scripted(tokens))
    if tokens:
        tokens.popleft()
    return "".join(row)


def _scripted(tokens: deque[str]) -> str:
    """The next element, with its subscript and superscript."""
    base, scripts = _element(tokens), {}
    while tokens and tokens[0] in ("_", "^"):
        script = tokens.popleft()
        scripts[script] = _element(tokens)
    if not scripts:
        return base
    order = sorted(scripts, reverse=True)  # the subscript first
    tag = _SCRIPTS["".join(order)]
    return f"<{tag}>{base}{''.join(scripts[script] for script in order)}</{tag}>"


def _element(tokens: deque[str]) -> str:
    token = tokens.popleft() if tokens else "{"
    name = token.removeprefix("\\")
    match token:
        case "{":
            return f"<mrow>{_row(tokens)}</mrow>"
        case r"\frac":
            return f"<mfrac>{_element(tokens)}{_element(tokens)}</mfrac>"
        case r"\sqrt":
            return f"<msqrt>{_element(tokens)}</msqrt>"
    if token.startswith("\\"):
        return _command(name)
    if token[0].isdigit():
        return f"<mn>{token}</mn>"
    return f"<mi>{token}</mi>" if token.isalpha() else f"<mo>{escape(token.replace('-', '−'))}</mo>"


def _command(name: str) -> str:
    if name in _SIGNS:
        return f"<mo>{_SIGNS[name]}</mo>"
    if name in _LETTERS:
        return f"<mi>{_LETTERS[name]}</mi>"
    if name in _FUNCTIONS:
        return f"<mi>{name}</mi>"
    _, brace, text = name.partition("{")
    return f"<mtext>{escape(text[:-1] if brace else name)}</mtext>"
