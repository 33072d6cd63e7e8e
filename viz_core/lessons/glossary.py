"""Terms of the glossary in the text of a lesson: what each means appears under the pointer."""

import re
from collections.abc import Mapping
from functools import cache

from viz_core.folders import DOCUMENTS, SHIPPED

_TERM = re.compile(r"\[(?P<shown>[^\]]+)\]\(glossary:(?P<term>[^)]+)\)")
_REMARK = re.compile(r"\([^)]*\)")
_MARKUP = re.compile('[`*"]')


def link_terms(text: str, language: str) -> str:
    """The Markdown with its links `[shown](glossary:term)` as links into the documents, with the meaning as title."""
    folder = "documents" if language == "en" else f"documents/{language}"
    page = f"{folder}/glossary.html" if DOCUMENTS.is_dir() else "#"

    def link(match: re.Match) -> str:
        meaning = meanings(language).get(match["term"])
        return f'[{match["shown"]}]({page} "{meaning}")' if meaning else match["shown"]

    return _TERM.sub(link, text)


def plain_terms(text: str) -> str:
    """The Markdown with its links `[shown](glossary:term)` as words, for what stands outside the app."""
    return _TERM.sub(lambda match: match["shown"], text)


@cache
def meanings(language: str) -> Mapping[str, str]:
    """Return the meanings by English term, from the tables of the glossary.

    A row is the term, the same in the other language, and its meaning. What stands in parentheses is
    no part of the term: `entropy` is that of “entropy (normalised)”.
    """
    name = "glossary.md" if language == "en" else f"glossary.{language}.md"
    rows = [line.strip("|\n ").split("|") for line in (SHIPPED / "docs" / name).read_text("utf-8").splitlines()]
    return {
        _REMARK.sub("", term).strip(): _MARKUP.sub("", meaning).strip()
        for *terms, meaning in (row for row in rows if len(row) == 3)
        for term in re.split("[,;]", terms[0 if language == "en" else 1])
    }
