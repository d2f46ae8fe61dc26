"""Activation buffers shared by all layers, taken from one arena of the planned size."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engine.arch.spec import ArchSpec, Dense, Gqa, LayerSpec, Mixer, Mla, Moe
from engine.container.format import ALIGN, PAGE, rounded
from engine.experts.lookahead import ROWS
from kernels_pyx.aio import Arena
from kernels_pyx.compute import Compute, Rows
from kernels_pyx.routes import Groups, Routes


def _mixer_rows(m: Mixer) -> Mapping[str, int]:
    """Numbers a row of each buffer that a mixer uses."""
    if isinstance(m, Gqa):
        q, kv = m.n_heads * m.d_head, m.n_kv_heads * m.d_head
        return {"q": q, "k": kv, "v": kv, "mixed": q} | ({"gate": q} if m.gate else {})
    if isinstance(m, Mla):
        q, out = m.n_heads * (m.d_nope + m.d_rope), m.n_heads * m.d_value
        rows = {"q": q, "kv": m.d_cache, "queries": m.n_heads * m.d_latent, "mixed": out}
        return rows | ({"low": m.d_q_latent} if m.d_q_latent else {}) | ({"gate": out} if m.gate else {})
    keys, values = m.n_key_heads * m.d_key, m.n_value_heads * m.d_value
    rows = {"q": keys, "k": keys, "v": values, "mixed": values, "decay": m.d_decay, "beta": m.n_value_heads}
    return rows | ({"low": m.decay_rank} if m.decay_rank else {}) | ({"gate_low": m.gate_rank} if m.gate_rank else {})


def _layer_rows(layer: LayerSpec, d_model: int) -> Iterator[Mapping[str, int]]:
    yield _mixer_rows(layer.mixer)
    if isinstance(layer.ffn, Dense):
        yield {"hidden": layer.ffn.d_hidden}
    else:
        moe = layer.ffn
        yield {"router_logits": moe.n_experts}
        if moe.shared is not None:
            yield {"hidden": moe.shared.d_hidden}
        if moe.d_latent is not None:
            yield {"latent": moe.d_latent, "latent_sum": moe.d_latent}
        if moe.sandwich:
            yield {"side": d_model}
        if moe.router.input_scale:
            yield {"router_in": d_model}
    if layer.residual != "plain":
        yield {"block": d_model}
    if layer.residual == "attention":
        yield {"kept": d_model}


def _quantized(m: Mixer) -> int:
    """Columns of the widest input of a mixer's products; heads count by whole blocks of 32."""
    if isinstance(m, Gqa):
        return m.n_heads * m.d_head
    if isinstance(m, Mla):
        return m.n_heads * max(-(-m.d_nope // 32) * 32, -(-m.d_latent // 32) * 32, m.d_value)
    return m.n_value_heads * m.d_value


@dataclass(frozen=True, slots=True)
class Widths:
    """The widest activation of each kind over all layers of a model. rows: numbers a row of each named buffer."""

    d_model: int
    rows: Mapping[str, int]
    n_kept: int  # streams that attention residuals keep
    top_k: int
    n_experts: int
    d_expert: int
    d_expert_out: int
    vocab: int
    widest: int  # input of any product

    @staticmethod
    def of(spec: ArchSpec) -> "Widths":
        """The widths of this architecture."""
        rows = {"h": spec.d_model} | ({"mtp_wide": 2 * spec.d_model} if spec.mtp is not None else {})
        for layer in spec.all_layers:
            for needs in _layer_rows(layer, spec.d_model):
                rows |= {name: max(n, rows.get(name, 0)) for name, n in needs.items()}
        moes = [layer.ffn for layer in spec.all_layers if isinstance(layer.ffn, Moe)]
        inputs = [_quantized(layer.mixer) for layer in spec.all_layers] + [max(e.d_in, e.d_hidden) for e in spec.experts]
        return Widths(
            d_model=spec.d_model,
            rows=rows,
            n_kept=sum(layer.keep for layer in spec.layers),
            top_k=max((m.top_k for m in moes), default=0),
            n_experts=max((m.n_experts for m in moes), default=0),
            d_expert=max((e.d_hidden for e in spec.experts), default=0),
            d_expert_out=max((e.d_out for e in spec.experts), default=0),
            vocab=spec.vocab_size,
            widest=max(spec.d_model, *(rows.get(n, 0) for n in ("hidden", "low", "gate_low", "latent_sum", "mtp_wide")), *inputs),
        )


def _buffers(w: Widths, chunk: int, logit_rows: int, parallel: int) -> dict[str, tuple[int, int]]:
    """Rows and width of each f32 buffer."""
    out = {"x": (chunk, w.d_model)} | {name: (chunk, width) for name, width in w.rows.items() if name != "kept"}
    out |= {f"kept {i}": (chunk, w.d_model) for i in range(w.n_kept)} | {"logits": (logit_rows, w.vocab)}
    if "mtp_wide" in w.rows:
        out |= {"mtp_hidden": (chunk + parallel, w.d_model), "mtp_last": (1, w.d_model)}
    if w.top_k:
        out |= {"expert_hidden": (chunk * w.top_k, w.d_expert), "expert_out": (chunk * w.top_k, w.d_expert_out)}
        out |= {"ahead_in": (ROWS, w.d_model), "ahead_logits": (ROWS, w.n_experts)}
    return out


def arena_bytes(w: Widths, chunk: int, logit_rows: int, parallel: int, threads: int, exact: bool) -> int:
    """Bytes of the arena that Scratch and the kernels' own scratch take their buffers from."""
    sizes = [4 * n * width for n, width in _buffers(w, chunk, logit_rows, parallel).values()]
    sizes.append(Compute.scratch_bytes_for(threads, exact, max(chunk, logit_rows), w.widest))
    return rounded(sum(rounded(n, ALIGN) for n in sizes), PAGE)


def scratch_bytes(w: Widths, chunk: int, logit_rows: int, parallel: int, threads: int, exact: bool) -> int:
    """Bytes that Scratch and the kernels' own scratch take for chunks of this many rows, of so many sequences at most."""
    routes = 4 * (4 * chunk * w.top_k + 2 * ROWS * w.top_k + 3 * w.n_experts + 1) if w.top_k else 0
    return arena_bytes(w, chunk, logit_rows, parallel, threads, exact) + routes


class Scratch:
    """x is the residual stream, kept are streams of earlier layers; every other buffer but those of the layer for further tokens
    holds nothing between two blocks.
    """

    def __init__(self, w: Widths, chunk: int, logit_rows: int, parallel: int, arena: Arena) -> None:
        self._chunk = chunk
        shapes = _buffers(w, chunk, logit_rows, parallel)
        self._memory = {name: Rows(n, width, memory=arena.take(4 * n * width)) for name, (n, width) in shapes.items()}
        self._views: dict[tuple[str, int], Rows] = {}
        self.x, self.h, self.logits = self._memory["x"], self.rows("h", w.d_model), self._memory["logits"]
        self.kept = tuple(self._memory[f"kept {i}"] for i in range(w.n_kept))
        self.mtp_hidden, self.mtp_last = self._memory.get("mtp_hidden"), self._memory.get("mtp_last")
        if w.top_k:
            self.routes = Routes(chunk, w.top_k)
            self.groups = Groups(chunk, w.top_k, w.n_experts)
            self.expert_hidden, self.expert_out = self._memory["expert_hidden"], self._memory["expert_out"]
            # What the next layer's router says stands beside this layer's own choice.
            self.ahead_in, self.ahead_routes = self._memory["ahead_in"], Routes(ROWS, w.top_k)

    @property
    def own_bytes(self) -> int:
        """Bytes beside the arena: the chosen experts of each row, and the next layer's likely ones."""
        return self.routes.nbytes + self.groups.nbytes + self.ahead_routes.nbytes if "expert_out" in self._memory else 0

    def ahead_logits(self, width: int) -> Rows:
        """Router logits of a layer with `width` experts for lookahead; all widths share their memory."""
        return Rows(ROWS, width, self._memory["ahead_logits"])

    def rows(self, name: str, width: int) -> Rows:
        """The buffer of this name as rows of `width`; all widths of a name share its memory."""
        view = self._views.get((name, width))
        if view is None:
            view = self._views[name, width] = Rows(self._chunk, width, self._memory[name])
        return view
