"""Released models by their configs: what they weigh, and what a token of context costs in memory."""

import math

import pytest

from engine.arch import read_arch
from engine.arch.spec import ArchSpec, Delta, Gqa, Mla
from engine.model.state import kv_bytes, mixer_bytes
from tests.arch.real import GEMMA_4, GPT_OSS_20B, KIMI_K3, KIMI_LINEAR, LLAMA_3_2_1B, MISTRAL_7B, QWEN3_0_6B


def per_token(spec: ArchSpec) -> int:
    """Bytes that one more token of context takes in f16, far beyond all windows."""
    return (kv_bytes(spec, 65536, 64, "f16") - kv_bytes(spec, 32768, 64, "f16")) // 32768


def experts(spec: ArchSpec) -> int:
    return sum(e.n_experts * math.prod(e.shape(part)) for e in spec.experts for part in ("gate", "up", "down"))


def trunk(spec: ArchSpec) -> int:
    return sum(math.prod(t.shape) for t in spec.tensors)


def test_that_kimi_k3_keeps_576_numbers_a_token_and_latent_layer() -> None:
    spec = read_arch(KIMI_K3)
    assert sum(isinstance(layer.mixer, Mla) for layer in spec.layers) == 24
    assert per_token(spec) == 24 * 576 * 2
    assert experts(spec) == 92 * 896 * 33_030_144
    assert [i for i, layer in enumerate(spec.layers) if layer.keep] == list(range(0, 93, 12))
    shapes = {t.name: t.shape for t in spec.tensors}
    assert shapes["layers.3.attn.q"] == (18432, 1536)
    assert shapes["layers.3.attn.k_up"] == (96 * 512, 128) and shapes["layers.3.attn.v_up"] == (12288, 512)
    assert shapes["layers.0.attn.decay"] == (12288, 128) and shapes["layers.0.attn.decay_log"] == (96,)
    assert shapes["layers.1.latent.down"] == (3584, 7168) and shapes["layers.1.shared.gate"] == (6144, 7168)
    # 453 MB of matrices in 69 layers, and the inputs of the rows that can be taken back.
    delta = next(layer.mixer for layer in spec.layers if isinstance(layer.mixer, Delta))
    state = 69 * mixer_bytes(delta, 4096, 64, "f16")
    assert 69 * 96 * 128 * 128 * 4 < state < 69 * 96 * 128 * 128 * 4 + 180_000_000


def test_that_kimi_linear_grows_by_its_seven_latent_layers() -> None:
    spec = read_arch(KIMI_LINEAR)
    assert per_token(spec) == 7 * 576 * 2
    assert experts(spec) + trunk(spec) == pytest.approx(49.1e9, rel=0.01)


def test_that_gemma_4_keeps_a_ring_in_its_sliding_layers() -> None:
    spec = read_arch(GEMMA_4)
    assert per_token(spec) == 5 * 2 * 2 * 512 * 2  # five full layers, two heads of 512, keys and values
    sliding = spec.layers[0].mixer
    assert isinstance(sliding, Gqa) and sliding.window == 1024
    ring = mixer_bytes(sliding, 262144, 64, "f16")
    assert ring == mixer_bytes(sliding, 8192, 64, "f16") == (1024 + 64) * 2 * 8 * 256 * 2
    assert 2 * (experts(spec) + trunk(spec)) == pytest.approx(51.6e9, rel=0.03)  # the published size has vision in it
    assert experts(spec) == 30 * 128 * 5_947_392


def test_that_gpt_oss_20b_weighs_what_was_published() -> None:
    spec = read_arch(GPT_OSS_20B)
    assert experts(spec) == 24 * 32 * 3 * 2880 * 2880
    assert experts(spec) + trunk(spec) == pytest.approx(20.9e9, rel=0.01)
    assert per_token(spec) == 12 * 2 * 8 * 64 * 2


@pytest.mark.parametrize(
    ("config", "billions", "token"),
    [(QWEN3_0_6B, 0.596, 28 * 2 * 8 * 128 * 2), (LLAMA_3_2_1B, 1.236, 16 * 2 * 8 * 64 * 2), (MISTRAL_7B, 7.242, 0)],
    ids=["qwen3", "llama", "mistral"],
)
def test_that_dense_models_weigh_what_was_published(config: dict[str, object], billions: float, token: int) -> None:
    spec = read_arch(config)
    assert not spec.experts and trunk(spec) == pytest.approx(billions * 1e9, rel=0.002)
    assert per_token(spec) == token  # the first Mistral's windows end all growth
