"""Parts whose files match their sums and make no sense, as a program with a defect writes them."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

from webstrata._core.collection import digest_files
from webstrata.collection import Snapshot
from webstrata.collection.build import SUMS, list_files, write_record
from webstrata.collection.verify import make_block_sums

if TYPE_CHECKING:
    from webstrata.collection import Collection


def seal(holder: Collection | Snapshot, name: str) -> None:
    """Make sums, record and manifest fit to the files that a part has now; nothing becomes stale."""
    parts = holder.parts
    record = parts.record(name)
    folder = parts.path(record)
    paths = list_files(folder)
    names = (path.relative_to(folder).as_posix() for path in paths)
    lines = (f"{digest}  {path}\n" for digest, path in zip(digest_files(paths), names, strict=True))
    sums = "".join(lines).encode()
    (folder / SUMS).write_bytes(sums)
    checksum = f"sha256:{hashlib.sha256(sums).hexdigest()}"
    make_block_sums(folder, checksum, paths)
    write_record(folder, replace(record, checksum=checksum))
    collection = holder.collection if isinstance(holder, Snapshot) else holder
    others: list[Collection | Snapshot] = [collection, *collection]
    for other in others:
        manifest = other.parts.manifest
        for each in list(other.parts):
            is_sealed = other.path == holder.path and each.name == name
            inputs = {key: checksum if old == record.checksum else old for key, old in each.inputs.items()}
            sealed = replace(each, checksum=checksum if is_sealed else each.checksum, inputs=inputs)
            manifest = manifest.with_part(sealed)
        if manifest != other.parts.manifest:
            with other.parts.writing():
                other.parts.replace_manifest(manifest)
