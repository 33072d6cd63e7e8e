"""Takes in a model from another installation: a zip that anyone may have written (checkpoints/archive.py)."""

import secrets
import shutil
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from viz_core import checkpoints
from viz_core.checkpoints import CheckpointInfo
from viz_core.checkpoints.archive import MOST_BYTES, Packed, open_archive
from viz_core.jobs.limits import check_free_space, read_limits
from viz_core.records import Failure, failing
from viz_core.tasks import get_task, own
from viz_core.tasks.own import Definition, limits

COMMAND_LINE = "command line"  # owner of what whoever runs the server has made or taken in there
# Of a visitor. The largest model that the pages make of a table, a fine-tuned MiniLM, is a zip of 45 MB.
MOST_MEGABYTES = 64
_MOST_UNPACKED = 2 * MOST_MEGABYTES * 10**6  # weights hardly shrink
_MOST_WEIGHTS = 2**26  # attention weights of a text, L·H·T²: 256 MB, more than 12 layers of 12 heads at 512 tokens


def import_model(file: BinaryIO, name: str, owner: str) -> CheckpointInfo:
    """Unpack a model to where models are loaded from, and its task, if it is not here yet, as one of this owner.

    A visitor is bound by quotas, and adds no model to somebody else's task; the command line may.

    Args:
        file: The zip.
        name: What it is called.
        owner: A visitor, or COMMAND_LINE.

    Raises:
        Failure: If it is no such zip, cannot be used or may not be taken in; nothing of it is left then.
    """
    is_visitor = owner != COMMAND_LINE
    with open_archive(file, name, _MOST_UNPACKED if is_visitor else MOST_BYTES) as packed:
        known = own.find_definition(packed.task)
        if is_visitor and known and known.owner != owner:
            raise Failure("own.of_another", task=known.title)
        path = checkpoints.folder() / packed.task / packed.model
        if path.exists():
            raise Failure("own.model_here", task=known.title if known else packed.task, name=packed.model)
        if known and known.owner:
            return _add_model(packed, path, known, is_visitor)
        return _add_task(packed, path, owner, is_visitor)


def _add_task(packed: Packed, path: Path, owner: str, is_visitor: bool) -> CheckpointInfo:
    """Add a task that is not kept here yet, and its model."""
    now = time.time()
    if is_visitor:
        limits.check_number(owner)
    definition = replace(
        packed.definition(),
        owner=owner,
        created=now,
        expires=limits.expiry(now) if is_visitor else None,
        keeps_rows=False,
        shared=False,
    )
    own.create(definition)
    try:
        return _add_model(packed, path, definition, is_visitor)
    except BaseException:
        with suppress(Failure):
            own.delete(definition.name)
        raise


def _add_model(packed: Packed, path: Path, definition: Definition, is_visitor: bool) -> CheckpointInfo:
    """Unpack a model beside its place, build it there, and give it its name."""
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")
    try:
        with failing(OSError, "own.not_written", folder=str(checkpoints.folder())):
            partial.mkdir(parents=True)
            if is_visitor:
                check_free_space(partial, read_limits())
            packed.unpack(partial)
            own.write_definition(partial, definition)  # in place of the one that was brought
            _check(partial, packed, is_visitor)
            partial.rename(path)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
        with suppress(OSError):
            path.parent.rmdir()  # if it is empty
    return checkpoints.read_info(path)


def _check(partial: Path, packed: Packed, is_visitor: bool) -> None:
    """Build the model, whose sizes are compared with its weights before.

    Raises:
        Failure: If it cannot be used, naming it as it is called in the zip.
    """
    name = f"{packed.task}/{packed.model}"
    try:
        info = checkpoints.read_info(partial)
        with failing(ValueError, "checkpoints.bad_config", name=name):
            _check_fit(info, packed.task, is_visitor)
        checkpoints.load_folder(partial, packed.task)
    except Failure as failure:
        key, values = failure.message.key, failure.message.values
        raise Failure(key, **{**values, **({"name": name} if "name" in values else {})}) from failure


def _check_fit(info: CheckpointInfo, task: str, is_visitor: bool) -> None:
    """Raise ValueError for a model that no training of the task makes."""
    record, config = get_task(task), info.settings.config
    kinds = {preset.kind for preset in record.presets.values()}
    if info.settings.kind not in kinds:
        raise ValueError(f"kind is {info.settings.kind!r}: for this task it must be one of {', '.join(sorted(kinds))}")
    if config.classes != len(record.labels):
        raise ValueError(f"classes is {config.classes:,}: the task has {len(record.labels)} labels")
    weights = config.layers * config.heads * config.max_tokens**2
    if is_visitor and weights > _MOST_WEIGHTS:
        raise ValueError(f"a text would have {weights:,} attention weights: at most {_MOST_WEIGHTS:,} are possible")
