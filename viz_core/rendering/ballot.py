"""The pages on which phones vote: HTML without scripts, in the light or dark colours of the phone."""

from viz_core.language import Translator
from viz_core.records import Question
from viz_core.records.votes import LONGEST_NUMBER
from viz_core.rendering.markup import safe
from viz_core.rendering.theme import Theme, ink_on, theme

_LANGUAGES = {"en": "en", "zh": "zh-CN"}
_STYLE = """
* { box-sizing: border-box; }
body { margin: 0; background: var(--background); color: var(--ink); font: 1.125rem/1.5 var(--font); }
main { max-width: 34rem; margin: 0 auto; padding: 1.25rem 1rem 2rem; overflow-wrap: anywhere; }
h1 { margin: 0 0 1.25rem; font-size: 1.375rem; line-height: 1.35; white-space: pre-line; }
p { margin: 0 0 1.25rem; }
form { display: grid; gap: 0.75rem; margin: 0 0 1.25rem; }
label { font-weight: 600; }
button, input { width: 100%; min-height: 3.5rem; padding: 0.75rem 1rem; font: inherit; text-align: start;
  color: inherit; background: var(--background); border: 1px solid var(--muted); border-radius: 0.6rem; }
button { cursor: pointer; }
button.main, button[aria-pressed=true] { color: var(--on-accent); background: var(--accent);
  border-color: var(--accent); font-weight: 600; }
button[aria-pressed=true]::before { content: "✓ "; }
button.main { text-align: center; }
input.code { font-size: 1.75rem; letter-spacing: 0.2em; text-transform: uppercase; }
[role] { padding: 0.75rem 1rem; background: var(--surface); border-inline-start: 0.3rem solid var(--accent); }
[role=alert] { border-color: var(--alert); }
small, a { color: var(--muted); font-size: 1rem; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
"""


def ballot(question: Question, vote: float | None, say: Translator, is_open: bool = True, refusal: str = "") -> str:
    """The question with its options, or a box for a number.

    Args:
        vote: What this visitor has voted for.
        is_open: Whether votes are counted.
        refusal: Why the last one was not.
    """
    said = [say("votes.given", vote=question.show(vote))] if vote is not None else []
    if not is_open:
        return _page(say, question.text, refusal, [say("votes.closed"), *said], _again(say))
    if said:
        said.append(say("votes.can_change"))
    form = _options(question, vote) if question.options else _number(question, vote, say)
    return _page(say, question.text, refusal, said, f"{form}<p><small>{safe(say('votes.anonymous'))}</small></p>")


def code_page(say: Translator, path: str, typed: str = "", refusal: str = "") -> str:
    """A box for the code of a poll.

    Args:
        path: Where the form is sent to.
        typed: What is in the box.
        refusal: Why that is no code.
    """
    form = (
        f'<form action="{safe(path)}"><label for="code">{safe(say("votes.code"))}</label>'
        f'<input class="code" id="code" name="code" value="{safe(typed)}" required autocomplete="off" '
        'autocapitalize="characters" spellcheck="false" maxlength="20">'
        f'<button class="main">{safe(say("votes.next"))}</button></form>'
    )
    return _page(say, say("votes.title"), refusal, [], form)


def notice(say: Translator, refusal: str) -> str:
    """A sentence alone."""
    return _page(say, say("votes.title"), refusal, [], _again(say))


def _options(question: Question, vote: float | None) -> str:
    buttons = (
        f'<button name="vote" value="{number}" aria-pressed="{str(number == vote).lower()}">{safe(option)}</button>'
        for number, option in enumerate(question.options)
    )
    return f'<form method="post">{"".join(buttons)}</form>'


def _number(question: Question, vote: float | None, say: Translator) -> str:
    value = "" if vote is None else question.show(vote)
    return (
        f'<form method="post"><label for="vote">{safe(say("votes.number"))}</label>'
        f'<input id="vote" name="vote" value="{safe(value)}" inputmode="decimal" required autocomplete="off" '
        f'maxlength="{LONGEST_NUMBER}"><button class="main">{safe(say("votes.vote"))}</button></form>'
    )


def _again(say: Translator) -> str:
    return f'<p><a href="">{safe(say("votes.reload"))}</a></p>'


def _page(say: Translator, heading: str, refusal: str, said: list[str], body: str) -> str:
    """A document.

    Args:
        said: Sentences above the form.
        body: HTML.
    """
    sentences = f'<p role="alert">{safe(refusal)}</p>' if refusal else ""
    if said:
        sentences += f'<p role="status">{"<br>".join(map(safe, said))}</p>'
    style = f":root {{ {_variables(theme('light'))} --font: system-ui, sans-serif; color-scheme: light dark; }}{_STYLE}"
    style += f"@media (prefers-color-scheme: dark) {{ :root {{ {_variables(theme('dark'))} }} }}"
    return (
        f'<!doctype html><html lang="{_LANGUAGES[say.language]}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">'
        f"<title>{safe(say('votes.title'))}</title><style>{style}</style></head>"
        f"<body><main><h1>{safe(heading)}</h1>{sentences}{body}</main></body></html>"
    )


def _variables(colours: Theme) -> str:
    values = {
        "background": colours.background,
        "surface": colours.surface,
        "ink": colours.ink,
        "muted": colours.muted,
        "accent": colours.accent,
        "on-accent": ink_on(colours.accent),
        "alert": colours.key,
    }
    return " ".join(f"--{name}: {value};" for name, value in values.items())
