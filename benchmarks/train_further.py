"""Train a layer for further tokens on the starter's frozen rows, in GLM-4.5's shapes. Needs torch, and nothing of this project:

    python -m benchmarks.further_texts FOLDER                       # what it is trained on
    nice -n 19 python benchmarks/train_further.py FOLDER --minutes 25    # any Python with torch and numpy; FOLDER/further.npz
    python -m benchmarks.starter_glm --further FOLDER/further.npz        # the starter with the layer, as a container

The starter answers the prompts in batches (half of them its likeliest tokens, half drawn at 0.7); its rows h after the final norm are
kept. Row i of the layer reads h_i and the embedding of token i + 1 and is trained towards what the starter holds likeliest two tokens
on (DeepSeek-V3, arXiv 2412.19437, section 2.2), once from h and once from its own rows, as a second drafted token does. The projection
starts from the least squares that predict h_{i+1}, the layer from the starter's last one.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as fn

BATCH, ANSWER, LONGEST = 64, 128, 480
ROWS, FREQUENT, OTHERS = 800, 3000, 1000  # of a step; candidates of the loss: frequent tokens, and others at random
RATE, WARMUP = 2e-4, 30


def rms(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    x = x.float()
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + eps) * weight


def turned(x: Tensor, positions: Tensor, theta: float) -> Tensor:
    """x [b, heads, n, d], positions [b, n]: rotary positions on halves."""
    d = x.shape[-1]
    angles = positions[:, None, :, None].float() * theta ** (-torch.arange(0, d, 2) / d)
    cos, sin = torch.cat([angles.cos()] * 2, -1), torch.cat([angles.sin()] * 2, -1)
    halves = torch.cat([-x[..., d // 2 :], x[..., : d // 2]], -1)
    return (x.float() * cos + halves.float() * sin).to(x.dtype)


def experts_of(get: Any, prefix: str, n: int) -> tuple[Tensor, Tensor, Tensor]:
    """All experts side by side: gate and up [n * width, d], down [d, n * width]."""
    gate, up, down = ([get(f"{prefix}experts.{e}.{part}_proj.weight") for e in range(n)] for part in ("gate", "up", "down"))
    return torch.cat(gate), torch.cat(up), torch.cat(down, 1)


class Starter:
    """The whole model in bf16, for batches of texts."""

    def __init__(self, base: Any) -> None:
        self.c: dict[str, Any] = json.loads(str(base["config"]))
        c = self.c
        self.eps, self.heads, self.kv, self.d = c["rms_norm_eps"], c["num_attention_heads"], c["num_key_value_heads"], c["head_dim"]
        get = self.get = lambda name: torch.from_numpy(base[name]).bfloat16()
        self.embed, self.norm = get("model.embed_tokens.weight"), get("model.norm.weight").float()
        self.layers = []
        for i in range(c["num_hidden_layers"]):
            p = f"model.layers.{i}."
            layer: dict[str, Any] = {k: get(f"{p}self_attn.{k}_proj.weight") for k in "qkvo"}
            layer |= {k: get(f"{p}{k}_layernorm.weight").float() for k in ("input", "post_attention")}
            if i in c["mlp_only_layers"]:
                layer["dense"] = [get(f"{p}mlp.{part}_proj.weight") for part in ("gate", "up", "down")]
            else:
                layer["dense"] = [get(f"{p}mlp.shared_expert.{part}_proj.weight") for part in ("gate", "up", "down")]
                layer["dense"][2] = layer["dense"][2] * 0.5
                layer["router"], layer["experts"] = get(p + "mlp.gate.weight"), experts_of(get, p + "mlp.", c["num_experts"])
            self.layers.append(layer)

    def rows(self, ids: Tensor, positions: Tensor, cache: Tensor | None, at: int, mask: Tensor) -> Tensor:
        """ids [b, n] at places at.. of the cache [layers, 2, b, kv, places, d]; mask [b, 1, n, places]. h [b, n, d] as f32."""
        x = self.embed[ids].float()
        b, n = ids.shape
        for i, w in enumerate(self.layers):
            h = rms(x, w["input"], self.eps).bfloat16()
            q, k, v = (fn.linear(h, w[m]).view(b, n, -1, self.d).transpose(1, 2) for m in "qkv")
            q, k = turned(q, positions, self.c["rope_theta"]), turned(k, positions, self.c["rope_theta"])
            if cache is not None:
                cache[i, 0, :, :, at : at + n], cache[i, 1, :, :, at : at + n] = k, v
                k, v = cache[i, 0, :, :, : at + n], cache[i, 1, :, :, : at + n]
            out = fn.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True)
            x = x + fn.linear(out.transpose(1, 2).reshape(b, n, -1), w["o"]).float()
            h = rms(x, w["post_attention"], self.eps).bfloat16()
            gate, up, down = w["dense"]
            y = fn.linear(fn.silu(fn.linear(h, gate)) * fn.linear(h, up), down)
            if "router" in w:
                top = fn.linear(h, w["router"]).float().softmax(-1).topk(self.c["num_experts_per_tok"], -1)
                scale = torch.zeros(b, n, self.c["num_experts"]).scatter(-1, top.indices, top.values / top.values.sum(-1, keepdim=True))
                gate, up, down = w["experts"]
                wide = scale.repeat_interleave(self.c["moe_intermediate_size"], -1).bfloat16()
                y = y + fn.linear(fn.silu(fn.linear(h, gate)) * fn.linear(h, up) * wide, down)
            x = x + y.float()
        return rms(x, self.norm, self.eps)

    @torch.no_grad()
    def answer(self, prompts: list[list[int]], heat: list[float], tokens: int, ends: set[int]) -> tuple[list[list[int]], list[Tensor]]:
        """Ids of prompts and answers, and their rows."""
        b, width = len(prompts), max(map(len, prompts))
        pad = torch.tensor([width - len(p) for p in prompts])
        ids = torch.tensor([[0] * (width - len(p)) + p for p in prompts])
        places = torch.arange(width + tokens)
        cache = torch.zeros(len(self.layers), 2, b, self.kv, width + tokens, self.d, dtype=torch.bfloat16)
        seen = places[None, :] >= pad[:, None]
        causal = (places[None, None, :width] <= places[None, :width, None]) & seen[:, None, :width]
        causal = causal | (places[None, :width, None] == places[None, None, :width])  # a padded row sees itself
        h = self.rows(ids, (places[None, :width] - pad[:, None]).clamp(min=0), cache, 0, causal[:, None])
        rows, warm, out = [h], torch.tensor(heat), [list(p) for p in prompts]
        alive = [True] * b
        for at in range(width, width + tokens):
            logits = fn.linear(h[:, -1].bfloat16(), self.embed).float()
            drawn = (logits / warm.clamp(min=0.05)[:, None]).softmax(-1).multinomial(1)[:, 0]
            new = torch.where(warm > 0, drawn, logits.argmax(-1))
            for j, token in enumerate(new.tolist()):
                if alive[j]:
                    out[j].append(token)
                    alive[j] = token not in ends
            if not any(alive):
                break
            h = self.rows(new[:, None], (at - pad)[:, None], cache, at, seen[:, None, None, : at + 1])
            rows.append(h)
        held = torch.cat(rows, 1)
        return out, [held[j, pad[j] : pad[j] + len(out[j])].half() for j in range(b)]


class Further(nn.Module):
    """The layer, as engine/model/mtp.py runs it."""

    def __init__(self, s: Starter, embed: Tensor) -> None:
        super().__init__()
        c, d, last = s.c, s.c["hidden_size"], s.layers[-1]
        self.c, self.s, self.embed = c, s, embed
        own = nn.ParameterDict({k: nn.Parameter(last[k].float().clone()) for k in ("q", "k", "v", "o", "input", "post_attention")})
        for k, w in zip(("gate", "up", "down"), last["dense"], strict=True):
            full = torch.zeros(d, c["intermediate_size"]) if k == "down" else 0.02 * torch.randn(c["intermediate_size"], d)
            full[: w.shape[0], : w.shape[1]] = w.float()
            own[k] = nn.Parameter(full)
        own["router"] = nn.Parameter(last["router"].float().clone())
        for k, w in zip(("e_gate", "e_up", "e_down"), last["experts"], strict=True):
            own[k] = nn.Parameter(w.float().clone())
        for k in ("o", "down", "e_down"):  # nothing at first, so that the fitted projection speaks
            own[k].data.zero_()
        own["norm"], own["embed_norm"], own["hidden_norm"] = (nn.Parameter(torch.ones(d)) for _ in range(3))
        own["project"] = nn.Parameter(torch.zeros(d, 2 * d))
        self.w = own

    def joined(self, h: Tensor, after: Tensor) -> Tensor:
        e = rms(self.embed[after], self.w["embed_norm"], self.s.eps)
        return torch.cat([e, rms(h, self.w["hidden_norm"], self.s.eps)], -1)

    def forward(self, h: Tensor, after: Tensor, mask: Tensor) -> Tensor:
        """h [b, n, d], after [b, n], mask [b, 1, n, n]: what the head reads, [b, n, d]."""
        w, s, (b, n) = self.w, self.s, after.shape
        half = {k: p.bfloat16() for k, p in w.items() if p.dim() == 2}
        x = fn.linear(self.joined(h, after).bfloat16(), half["project"]).float()
        y = rms(x, w["input"], s.eps).bfloat16()
        q, k, v = (fn.linear(y, half[m]).view(b, n, -1, s.d).transpose(1, 2) for m in "qkv")
        positions = torch.arange(n)[None].expand(b, n)
        q, k = turned(q, positions, self.c["rope_theta"]), turned(k, positions, self.c["rope_theta"])
        out = fn.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True)
        x = x + fn.linear(out.transpose(1, 2).reshape(b, n, -1), half["o"]).float()
        y = rms(x, w["post_attention"], s.eps).bfloat16()
        z = fn.linear(fn.silu(fn.linear(y, half["gate"])) * fn.linear(y, half["up"]), half["down"])
        score = fn.linear(y.float(), w["router"]).sigmoid()
        top = score.topk(self.c["num_experts_per_tok"], -1)
        scale = torch.zeros_like(score).scatter(-1, top.indices, top.values / top.values.sum(-1, keepdim=True))
        wide = scale.repeat_interleave(self.c["moe_intermediate_size"], -1).bfloat16()
        z = z + fn.linear(fn.silu(fn.linear(y, half["e_gate"])) * fn.linear(y, half["e_up"]) * wide, half["e_down"])
        return rms(x + z.float(), w["norm"], s.eps)

    def published(self) -> dict[str, np.ndarray]:
        """By GLM-4.5's names."""
        n, w = self.c["num_hidden_layers"], {k: p.detach().float().numpy() for k, p in self.w.items()}
        p, width = f"model.layers.{n}.", self.c["moe_intermediate_size"]
        around = {"enorm": "embed_norm", "hnorm": "hidden_norm", "eh_proj": "project", "shared_head.norm": "norm"}
        inside = {"input_layernorm": "input", "post_attention_layernorm": "post_attention", "mlp.gate": "router"}
        out = {f"{p}{k}.weight": w[v] for k, v in (around | inside).items()}
        out |= {f"{p}self_attn.{k}_proj.weight": w[k] for k in "qkvo"}
        out |= {f"{p}mlp.shared_experts.{k}_proj.weight": w[k] for k in ("gate", "up", "down")}
        out[p + "mlp.gate.e_score_correction_bias"] = np.zeros(self.c["num_experts"], np.float32)
        for e in range(self.c["num_experts"]):
            part = slice(e * width, (e + 1) * width)
            out |= {f"{p}mlp.experts.{e}.gate_proj.weight": w["e_gate"][part], f"{p}mlp.experts.{e}.up_proj.weight": w["e_up"][part]}
            out[f"{p}mlp.experts.{e}.down_proj.weight"] = np.ascontiguousarray(w["e_down"][:, part])
        return out


def unpacked(texts: Any, name: str) -> list[list[int]]:
    return [part.tolist() for part in np.split(texts[name], np.cumsum(texts[f"{name}_lengths"])[:-1])]


def gather(s: Starter, folder: Path, minutes: float) -> None:
    """Answers with their rows, into FOLDER/rows-NNN.pt."""
    texts, ends = np.load(folder / "texts.npz"), {s.c["eos_token_id"]}
    prompts, begun, number = unpacked(texts, "prompts"), time.monotonic(), len(list(folder.glob("rows-*.pt")))
    order = np.random.default_rng(0).permutation(len(prompts))
    while time.monotonic() - begun < 60 * minutes:
        some = sorted((prompts[j] for j in order[number * BATCH : (number + 1) * BATCH]), key=len)
        if not some:
            break
        ids, rows = s.answer(some, [0.0, 0.7] * (len(some) // 2) + [0.0] * (len(some) % 2), ANSWER, ends)
        torch.save((ids, rows, [len(p) for p in some]), folder / f"rows-{number:03}.pt")
        print(f"{number}: {sum(map(len, ids)) - sum(map(len, some))} tokens of answers, {time.monotonic() - begun:.0f} s", flush=True)
        number += 1


def fitted(model: Further, data: list[tuple[list[int], Tensor, int]]) -> None:
    """The projection by least squares towards the next row."""
    d = model.c["hidden_size"]
    gram, cross = torch.zeros(2 * d, 2 * d), torch.zeros(2 * d, d)
    with torch.no_grad():
        for ids, rows, _ in data:
            h = rows.float()
            x = model.joined(h[:-1], torch.tensor(ids[1:]))
            gram += x.T @ x
            cross += x.T @ h[1:]
        gram += 1e-3 * gram.diagonal().mean() * torch.eye(2 * d)
        model.w["project"].data = torch.linalg.solve(gram, cross).T.contiguous()
        model.w["norm"].data.fill_(float(data[0][1].float().square().mean().sqrt()))  # as large as a row


def padded(some: list[tuple[list[int], Tensor, int]]) -> tuple[Tensor, Tensor, Tensor]:
    """ids [b, n], rows [b, n, d], lengths."""
    n = max(len(ids) for ids, _, _ in some)
    ids = torch.tensor([i + [0] * (n - len(i)) for i, _, _ in some])
    rows = torch.stack([fn.pad(r.float(), (0, 0, 0, n - len(r))) for _, r, _ in some])
    return ids, rows, torch.tensor([len(i) for i, _, _ in some])


def losses(
    model: Further, some: list[tuple[list[int], Tensor, int]], frequent: Tensor, whole: bool = False
) -> tuple[Tensor, list[tuple[int, int]]]:
    """Mean loss of both depths, and (right, judged) of each."""
    ids, rows, lengths = padded(some)
    n = ids.shape[1]
    from_answer = torch.tensor([max(p - 2, 0) for _, _, p in some])
    h, after = rows[:, : n - 1], ids[:, 1:]
    places = torch.arange(n - 1)[None]
    judged = (places + 1 < lengths[:, None]) & (places >= (from_answer[:, None] if whole else 0))
    mask = torch.ones(n - 1, n - 1).tril().bool()[None, None]
    candidates = torch.arange(len(model.embed)) if whole else torch.cat([frequent, torch.randint(len(model.embed), (OTHERS,))]).unique()
    head = model.embed[candidates].bfloat16()
    total, scores, stream = torch.zeros(()), [], h
    for depth in range(2):
        out = model(stream, after, mask)
        # Row i is judged by the starter's row i + 1, which reads token i + 1; a second token starts a place later.
        good = judged & (places >= depth)
        with torch.no_grad():
            teacher = fn.linear(rows[:, 1:][good].bfloat16(), head).float()
        logits = fn.linear(out[good].bfloat16(), head).float()
        soft = -(teacher.softmax(-1) * logits.log_softmax(-1)).sum(-1).mean()
        hard = fn.cross_entropy(logits, teacher.argmax(-1))
        total = total + (1.0, 0.5)[depth] * (soft + hard) / 2
        right = (logits.argmax(-1) == teacher.argmax(-1)).sum()
        scores.append((int(right), int(good.sum())))
        stream = torch.cat([h[:, :1], out.detach()[:, :-1]], 1)
    return total, scores


def train(folder: Path, s: Starter, minutes: float) -> None:
    """Writes FOLDER/further.npz once a minute or so, and at the end."""
    data, held = [], []
    for file in sorted(folder.glob("rows-*.pt")):
        parts = [x for x in zip(*torch.load(file), strict=True) if len(x[0]) > 20]
        parts = [(ids[:LONGEST], rows[:LONGEST], p) for ids, rows, p in parts]
        data += [x for i, x in enumerate(parts) if i % 12]
        held += parts[::12]
    held = held[:: max(len(held) // 48, 1)]
    print(f"{sum(len(i) for i, _, _ in data)} tokens in {len(data)} texts, {len(held)} held back", flush=True)
    counts = np.bincount(np.concatenate([np.asarray(i) for i, _, _ in data]), minlength=s.c["vocab_size"])
    frequent = torch.from_numpy(np.argsort(-counts)[:FREQUENT].copy())
    torch.manual_seed(0)
    model = Further(s, s.embed.float())
    fitted(model, data)
    vectors = [p for p in model.parameters() if p.dim() == 1]
    rest = [p for p in model.parameters() if p.dim() == 2]
    optimizer = torch.optim.AdamW([{"params": vectors, "weight_decay": 0.0}, {"params": rest, "weight_decay": 0.01}], RATE, (0.9, 0.98))
    begun, step, rng = time.monotonic(), 0, np.random.default_rng(1)
    last_told = -1e9
    recent: list[list[tuple[int, int]]] = []

    def tell(share: float) -> None:
        with torch.no_grad():
            found = [losses(model, held[at : at + 4], frequent, whole=True)[1] for at in range(0, len(held), 4)]
        told = [sum(f[k][0] for f in found) / sum(f[k][1] for f in found) for k in range(2)]
        lately = [sum(f[k][0] for f in recent) / max(sum(f[k][1] for f in recent), 1) for k in range(2)]
        recent.clear()
        print(f"{share:4.0%} step {step}: of answers held back {told[0]:.1%}, second token {told[1]:.1%}; in training {lately[0]:.1%}, "
              f"{lately[1]:.1%}", flush=True)  # fmt: skip
        np.savez(folder / "further.npz", **model.published())  # type: ignore[arg-type]

    queue: list[int] = []
    while (share := (time.monotonic() - begun) / (60 * minutes)) < 1:
        if time.monotonic() - last_told > 120:
            tell(share)
            last_told = time.monotonic()
        some: list[tuple[list[int], Tensor, int]] = []
        while sum(len(x[0]) for x in some) < ROWS:
            if not queue:
                queue = rng.permutation(len(data)).tolist()
            some.append(data[queue.pop()])
        loss, scores = losses(model, some, frequent)
        recent.append(scores)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for group in optimizer.param_groups:
            group["lr"] = RATE * min((step + 1) / WARMUP, 1) * (0.05 + 0.95 * 0.5 * (1 + np.cos(np.pi * share)))
        optimizer.step()
        step += 1
    tell(1.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--minutes", type=float, default=25, help="of training, after at most --gather minutes of answering")
    parser.add_argument("--gather", type=float, default=10, help="minutes")
    parser.add_argument("--threads", type=int, default=1)
    a = parser.parse_args()
    torch.set_num_threads(a.threads)
    s = Starter(np.load(a.folder / "base.npz"))
    gather(s, a.folder, a.gather)
    train(a.folder, s, a.minutes)


if __name__ == "__main__":
    main()
