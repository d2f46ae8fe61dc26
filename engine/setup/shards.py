"""The safetensors files of a checkpoint, as its index names them; what is wrong with some does not hide the others."""

from collections.abc import Iterable
from fnmatch import fnmatch

from engine.container.format import is_plain
from engine.container.strict import Malformed, parse_object
from engine.setup.folder import Folder, ShardFile
from engine.setup.problems import alike
from engine.setup.source import TensorInfo
from engine.words import joined, say

JSON_LIMIT = 64 * 2**20
INDEX = "model.safetensors.index.json"
OTHER_FORMS = ("*.bin", "*.pt", "*.gguf")


class Shards:
    """All files of weights in a folder, open until `close`. Raises OSError.

    files: the readable ones by name. owner: the file of each tensor that can be read. listed: what the headers say about every tensor,
    damaged ones included. unread: tensors that the index puts into files without a readable header. lacking: tensors that their file
    lacks though the index puts them there, with its name. blind: there may be tensors that no header and no index tell about.
    problems: phrases, without what `lacking` says.
    """

    def __init__(self, folder: Folder) -> None:
        self._folder, self._names = folder, folder.names()
        self.problems: list[str] = []
        self.files: dict[str, ShardFile] = {}
        self.owner: dict[str, ShardFile] = {}
        self.listed: dict[str, TensorInfo] = {}
        self.unread: set[str] = set()
        self.blind = False
        try:
            index = self._index()
            self._open(sorted(set(index.values())) if index else self._alone(), index)
        except BaseException:
            self.close()
            raise
        self.lacking = {t: f for t, f in index.items() if f in self.files and t not in self.files[f].listed}

    def close(self) -> None:
        """Close all files; idempotent."""
        for shard in self.files.values():
            shard.close()

    def _open(self, names: Iterable[str], index: dict[str, str]) -> None:
        home: dict[str, str] = {}
        for name in names:
            try:
                shard = self.files[name] = self._folder.shard(name)
            except Malformed as e:
                self.problems.append(joined(" ", [name, e]))
                self.unread |= {t for t, file in index.items() if file == name}
                self.blind = self.blind or not index
                continue
            self.problems += [joined(" ", [name, p]) for p in shard.problems]
            twice: dict[str, list[str]] = {}
            for t in shard.listed:
                if t in home:
                    twice.setdefault(home[t], []).append(t)
            if index:
                self.problems += [
                    say("{name} and {first} both hold {held}", name=name, first=first, held=alike(held)) for first, held in twice.items()
                ]
            self.owner.update(dict.fromkeys(shard.tensors, shard))
            self.listed.update(shard.listed)
            home.update(dict.fromkeys(shard.listed, name))

    def _index(self) -> dict[str, str]:
        """Tensor name to file; empty where there is no index that can be used."""
        if INDEX not in self._names:
            return {}
        try:
            weight_map = parse_object(self._folder.small(INDEX, JSON_LIMIT)).get("weight_map")
            if not isinstance(weight_map, dict) or not weight_map:
                raise Malformed(say("has no weight_map"))
        except Malformed as e:
            self.problems.append(joined(" ", [INDEX, e]))
            self.blind = True
            return {}
        files = {str(t): str(f) for t, f in weight_map.items()}
        odd = {f for f in files.values() if not f.endswith(".safetensors") or not is_plain(f)}
        self.problems += [
            say("{index} names {file}, which is no safetensors file in this folder", index=INDEX, file=repr(f[:80])) for f in odd
        ]
        self.unread |= {t for t, f in files.items() if f in odd}
        self.blind = self.blind or len(odd) == len(set(files.values()))
        return {t: f for t, f in files.items() if f not in odd}

    def _alone(self) -> list[str]:
        """The files to read where no index names them."""
        found = [n for n in self._names if n.endswith(".safetensors")]
        if self.blind:  # the index is told already
            return found
        if "model.safetensors" in found or len(found) == 1:
            return ["model.safetensors"] if "model.safetensors" in found else found
        self.blind = True
        if found:
            self.problems.append(say("it has {count} safetensors files but no {index}", count=len(found), index=INDEX))
        elif any(fnmatch(name, form) for name in self._names for form in OTHER_FORMS):
            self.problems.append(say("it holds its weights in another form, not as safetensors files"))
        else:
            self.problems.append(say("it holds no weights: no safetensors file"))
        return found
