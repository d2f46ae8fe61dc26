"""What tests of all floors share: a home of their own, tiny models of each family, the real starter model."""

import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.cancel import CancelToken
from tests.oracle.checkpoint import write_checkpoint

Tiny = Callable[..., Path]
TinyFurther = Callable[[str], tuple[Path, Path]]
TinyFurther = Callable[[str], tuple[Path, Path]]


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of all homes."""
    return tmp_path_factory.mktemp("homes")


@pytest.fixture(autouse=True)
def ouzel_home(homes: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh OUZEL_HOME for each test: no test sees this machine's user data, keyring or access token, or another test's."""
    home = Path(tempfile.mkdtemp(prefix="", dir=homes))  # the factory would look through all folders there are, each time
    monkeypatch.setenv("OUZEL_HOME", str(home))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    for name in ("HF_TOKEN", "HF_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    return home


@pytest.fixture(autouse=True)
def no_leaked_threads() -> Iterator[None]:
    """A thread that outlives its test fails it."""
    before = set(threading.enumerate())
    yield
    deadline = time.monotonic() + 2
    while leaked := [t for t in threading.enumerate() if t not in before and not t.daemon]:
        if time.monotonic() > deadline:
            pytest.fail(f"threads still run: {[t.name for t in leaked]}")
        time.sleep(0.01)


@pytest.fixture(scope="session")
def tiny_checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    """tiny_checkpoint(family, seed=0, dtype="bf16"): a random checkpoint folder of that family, in the published layout."""
    made: dict[tuple[str, int, str], Path] = {}

    def make(family: str, seed: int = 0, dtype: str = "bf16") -> Path:
        if (family, seed, dtype) not in made:
            made[family, seed, dtype] = write_checkpoint(family, seed, dtype, tmp_path_factory.mktemp(f"{family}-{seed}-{dtype}"))
        return made[family, seed, dtype]

    return make


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory, tiny_checkpoint: Tiny) -> Tiny:
    """tiny(family, formats="f32", seed=0, dtype="bf16"): that checkpoint converted. Do not change it.

    formats: of experts and trunk, or "EXPERTS+TRUNK".
    """
    from engine.setup.convert import convert  # here, so that a lower floor's tests do not need this one

    made: dict[tuple[str, str, int, str], Path] = {}

    def make(family: str, formats: str = "f32", seed: int = 0, dtype: str = "bf16") -> Path:
        key = family, formats, seed, dtype
        if key not in made:
            target = tmp_path_factory.mktemp("tiny") / f"{family}-{formats}.ouzel"
            experts, _, trunk = formats.partition("+")
            convert(tiny_checkpoint(family, seed, dtype), target, experts, trunk or experts, lambda phase, done, total: None, CancelToken())
            made[key] = target
        return made[key]

    return make


@pytest.fixture(scope="session")
def tiny_further(tmp_path_factory: pytest.TempPathFactory, tiny_checkpoint: Tiny) -> TinyFurther:
    """tiny_further(family): (checkpoint, its container in f32) with a layer for multi-token prediction. Do not change them."""
    from engine.setup.convert import convert
    from tests.oracle.further import with_further

    made: dict[str, tuple[Path, Path]] = {}

    def make(family: str) -> tuple[Path, Path]:
        if family not in made:
            folder = tmp_path_factory.mktemp(f"{family}-mtp")
            source = with_further(tiny_checkpoint(family), family, 0, "bf16", folder / "hf")
            convert(source, folder / f"{family}.ouzel", "f32", "f32", lambda phase, done, total: None, CancelToken())
            made[family] = source, folder / f"{family}.ouzel"
        return made[family]

    return make


@pytest.fixture(scope="session")
def starter() -> Path:
    """The starter model's container. Do not change it."""
    from tests.starter_cache import built_starter

    return built_starter()


@pytest.fixture(scope="session")
def starter_wheel() -> Path:
    """The file that the starter model is built from; OUZEL_STARTER_WHEEL may name it."""
    from tests.starter_cache import starter_wheel

    return starter_wheel()
