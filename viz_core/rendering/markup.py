"""Building blocks of HTML views: escaped text, and a root element with CSS variables and scoped rules."""

from html import escape

from viz_core.rendering.theme import Theme


def safe(text: str) -> str:
    """Escape text for HTML elements and attributes."""
    return escape(text, quote=True)


def root(name: str, css: str, body: str, theme: Theme, scrolls: str = "") -> str:
    """Wrap the body in a `<div class=name>` with the theme and scoped rules.

    In `css`, every selector starts with `&`, the root element. The `<style>` is placed inside the
    element since sanitisers (Streamlit's among them) drop a leading one.

    Args:
        scrolls: Accessible name of a root that scrolls, which the keyboard can then reach.
    """
    variables = {
        "background": theme.background,
        "surface": theme.surface,
        "ink": theme.ink,
        "muted": theme.muted,
        "line": theme.line,
        "text": f"{theme.text}px",
        "small": f"{theme.small}px",
        "title": f"{theme.title}px",
        "a": theme.groups[1],
        "b": theme.groups[2],
        "font": theme.font,
    }
    style = ";".join(f"--am-{key}:{value}" for key, value in variables.items())
    base = "&{background:var(--am-background);color:var(--am-ink);font:var(--am-text)/1.5 var(--am-font)}"
    rules = (base + css).replace("&", f".{name}")
    reached = f' tabindex="0" role="region" aria-label="{safe(scrolls)}"' if scrolls else ""
    return f'<div class="{name}" style="{style}"{reached}><style>{rules}</style>{body}</div>'
