"""A key that the servers of a folder share: a file that only their user may read."""

import logging
import os
import secrets
from pathlib import Path

KEY_BYTES = 32
_log = logging.getLogger(__name__)


def read_or_make(file: Path) -> bytes:
    """Return the key in a file, made if there is none.

    Where it cannot be written, the key is another after a restart.
    """
    key = secrets.token_bytes(KEY_BYTES)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.exists() and file.stat().st_size != KEY_BYTES:
            file.unlink()  # damaged
        partial = file.with_name(f"{file.name}.{secrets.token_hex(4)}.tmp")
        try:
            with open(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as written:
                written.write(key)
                written.flush()
                os.fsync(written.fileno())
            os.link(partial, file)  # fails if another server has made one
        except FileExistsError:
            pass
        finally:
            partial.unlink(missing_ok=True)
        return file.read_bytes()
    except OSError as error:
        _log.warning("Visitors will be others after a restart: %s is not writable", file, exc_info=error)
        return key
