"""What `ablate dev inputs` wrote to a folder: arrays of bytes, found by operation, axes and hash."""
import json
import pathlib

import bench_torch
import rival_record


def bytes_of_npy(path):
    """The bytes of an array that `ablate dev inputs` wrote."""
    content = pathlib.Path(path).read_bytes()
    if content[:8] != b"\x93NUMPY\x01\x00":
        raise rival_record.BadRecord(f"{path}: expected an array in NumPy's format, version 1.0")
    return bytearray(content[10 + int.from_bytes(content[8:10], "little"):])


class WrittenInputs:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        try:
            self.all = json.loads((self.folder / "inputs.json").read_text())["inputs"]
        except (OSError, ValueError, KeyError) as error:
            raise rival_record.BadRecord(f"{self.folder / 'inputs.json'}: expected what `ablate dev inputs` writes: {error}") \
                from None

    def find(self, operation, axes, known_hash, defaults=None):
        """Paths of the buffers by name, and those of outputs, where they were written, too. `defaults`: of axes that not every
        operation has."""
        for entry in self.all:
            if entry["operation"] == operation and entry["input"].get("hash") == known_hash and \
                    all({**(defaults or {}), **entry["axes"]}.get(name) == value for name, value in axes.items()):
                return tuple({name: self.folder / path for name, path in entry.get(files, {}).items()}
                             for files in ("buffers", "outputs"))
        raise bench_torch.Wrong("no such input was written: run `ablate dev inputs` on the record's suite")
