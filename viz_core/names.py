"""Names that people give: of a run, shown as it is; of a model, which becomes a folder."""

import re

from viz_core.records import Failure

MAX_CHARACTERS = 64
_MAX_BYTES = 200  # in UTF-8: systems allow 255, and a folder being written has some more
_MAX_SUGGESTED = 60  # bytes, so that a number can follow
_MAX_SHOWN = 100  # characters; a run of evidence is named after a model and more
_NOT_IN_FOLDERS = re.compile(r'^[. ]|[<>:"/\\|?*]|[. ]$|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)', re.IGNORECASE)  # Windows


def check_name(name: str) -> None:
    """Check that a run may have this name: short, and without control characters such as line breaks or bidi marks.

    Raises:
        Failure: If not.
    """
    if not name.isprintable() or not 0 < len(name) <= MAX_CHARACTERS:
        raise Failure("training.bad_name", name=shown_name(name), most=MAX_CHARACTERS)


def check_folder_name(name: str) -> None:
    """Check that a model may have this name, on any system that its folder may be copied to.

    Raises:
        Failure: If not.
    """
    check_name(name)
    if _NOT_IN_FOLDERS.search(name) or len(name.encode()) > _MAX_BYTES:
        raise Failure("training.bad_name", name=shown_name(name), most=MAX_CHARACTERS)


def folder_name(name: str) -> str:
    """A name for a folder that is much like the name of a run."""
    plain = "".join(character if character.isalnum() or character in "._-" else "-" for character in name)
    while len(plain.encode("utf-8", "replace")) > _MAX_SUGGESTED:
        plain = plain[:-1]
    plain = plain.strip(".")
    return plain if plain and not _NOT_IN_FOLDERS.search(plain) else f"model-{plain}"


def shown_name(name: str) -> str:
    """The name as it can be shown, whoever wrote it: on one line, short, without control characters."""
    cut = name if len(name) <= _MAX_SHOWN else f"{name[: _MAX_SHOWN - 1]}…"
    return "".join(character if character.isprintable() else "�" for character in cut)
