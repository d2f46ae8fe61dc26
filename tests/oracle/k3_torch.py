"""Kimi K3 in plain PyTorch: the oracle of a model that transformers does not have, written from the published maths.

One method a sub-block, no kernels, no cache: each forward computes the whole sequence. weights: published names without
`language_model.`. Kimi-Linear is the same without attention residuals, latent experts and SiTU; there it agrees with transformers.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

MLA_NORM_EPS = 1e-6  # q_a_layernorm / kv_a_layernorm are built without eps, so they keep the class default
L2_EPS = 1e-6  # added under the square root, not a clamp


def rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps) * weight


def l2_norm(x: Tensor) -> Tensor:
    return x / torch.sqrt(x.square().sum(-1, keepdim=True) + L2_EPS)


class KimiText:
    def __init__(self, config: Mapping[str, Any], weights: Mapping[str, Tensor], dtype: torch.dtype = torch.float32) -> None:
        self.c = config
        self.w = {k: v.to(dtype) for k, v in weights.items()}
        self.dtype = dtype
        self.eps = config["rms_norm_eps"]
        self.trace: list[tuple[Tensor, Tensor, Tensor]] | None = None

    # -- helpers
    def lin(self, x: Tensor, name: str) -> Tensor:
        return x @ self.w[name + ".weight"].T

    def act(self, gate: Tensor, up: Tensor) -> Tensor:
        if self.c["hidden_act"] != "situ":
            return functional.silu(gate) * up
        beta, lin_beta = self.c["activation_situ_beta"], self.c["activation_situ_linear_beta"]
        return beta * torch.tanh(gate / beta) * torch.sigmoid(gate) * (lin_beta * torch.tanh(up / lin_beta))

    def mlp(self, x: Tensor, p: str) -> Tensor:
        return self.lin(self.act(self.lin(x, p + "gate_proj"), self.lin(x, p + "up_proj")), p + "down_proj")

    # -- attention
    def short_conv(self, x: Tensor, name: str) -> Tensor:
        w = self.w[name + ".weight"].squeeze(1)  # [C, K], depthwise causal, tap K-1 is "now"
        k = w.shape[1]
        padded = torch.cat([x.new_zeros(k - 1, x.shape[1]), x])
        return functional.silu(sum(padded[i : i + x.shape[0]] * w[:, i] for i in range(k)))

    def kda(self, x: Tensor, p: str) -> Tensor:
        la = self.c["linear_attn_config"]
        h, d, t = la["num_heads"], la["head_dim"], x.shape[0]
        q, k, v = (self.short_conv(self.lin(x, p + n + "_proj"), p + n + "_conv1d").view(t, h, d) for n in "qkv")
        q, k = l2_norm(q) * d**-0.5, l2_norm(k)
        z = self.lin(self.lin(x, p + "f_a_proj"), p + "f_b_proj") + self.w[p + "dt_bias"].flatten()
        z = z.view(t, h, d)
        a = self.w[p + "A_log"].flatten()[:h].exp().view(h, 1)  # K3 pads A_log from 96 heads to 128 entries
        low = la.get("gate_lower_bound")
        g = low * torch.sigmoid(a * z) if low is not None else -a * functional.softplus(z)
        decay = g.exp()  # [T, H, Dk] in (0, 1)
        beta = torch.sigmoid(self.lin(x, p + "b_proj"))  # [T, H]
        state = x.new_zeros(h, d, d)  # [H, Dk, Dv]
        out = []
        for i in range(t):
            state = state * decay[i].unsqueeze(-1)
            read = torch.einsum("hk,hkv->hv", k[i], state)
            state = state + torch.einsum("hk,hv->hkv", k[i], (v[i] - read) * beta[i].unsqueeze(-1))
            out.append(torch.einsum("hk,hkv->hv", q[i], state))
        o = rms_norm(torch.stack(out), self.w[p + "o_norm.weight"], self.eps)
        gate = self.lin(x, p + "g_proj") if la.get("use_full_rank_gate") else self.lin(self.lin(x, p + "g_a_proj"), p + "g_b_proj")
        return self.lin((o * torch.sigmoid(gate.view(t, h, d))).reshape(t, h * d), p + "o_proj")

    def mla(self, x: Tensor, p: str) -> Tensor:
        c, t = self.c, x.shape[0]
        h, nope, rope, vd = c["num_attention_heads"], c["qk_nope_head_dim"], c["qk_rope_head_dim"], c["v_head_dim"]
        if c.get("q_lora_rank"):
            q = self.lin(rms_norm(self.lin(x, p + "q_a_proj"), self.w[p + "q_a_layernorm.weight"], MLA_NORM_EPS), p + "q_b_proj")
        else:
            q = self.lin(x, p + "q_proj")
        q = q.view(t, h, nope + rope)
        latent, k_shared = self.lin(x, p + "kv_a_proj_with_mqa").split([c["kv_lora_rank"], rope], -1)
        kv = self.lin(rms_norm(latent, self.w[p + "kv_a_layernorm.weight"], MLA_NORM_EPS), p + "kv_b_proj")
        k, v = kv.view(t, h, nope + vd).split([nope, vd], -1)
        k = torch.cat([k, k_shared.unsqueeze(1).expand(t, h, rope)], -1)  # "rope" dims are shared, never rotated
        scores = torch.einsum("qhd,khd->hqk", q, k) * (nope + rope) ** -0.5
        mask = torch.ones(t, t, dtype=torch.bool).triu(1)
        probs = scores.masked_fill(mask, float("-inf")).softmax(-1)
        o = torch.einsum("hqk,khd->qhd", probs, v).reshape(t, h * vd)
        if c.get("mla_use_output_gate"):
            o = o * torch.sigmoid(self.lin(x, p + "g_proj"))
        return self.lin(o, p + "o_proj")

    # -- experts
    def moe(self, x: Tensor, p: str) -> Tensor:
        c, t = self.c, x.shape[0]
        logits = self.lin(x, p + "gate")
        scores = torch.sigmoid(logits)
        choice = scores + self.w[p + "gate.e_score_correction_bias"]
        n_group = c.get("num_expert_group", 1)
        if n_group > 1 and n_group > c["topk_group"]:
            grouped = choice.view(t, n_group, -1)
            best = grouped.topk(2, -1).values.sum(-1).topk(c["topk_group"], -1).indices
            keep = torch.zeros(t, n_group, dtype=torch.bool).scatter(1, best, True)
            choice = grouped.masked_fill(~keep.unsqueeze(-1), float("-inf")).view(t, -1)
        idx = choice.topk(c["num_experts_per_token"], -1).indices
        wts = scores.gather(1, idx)
        if c["num_experts_per_token"] > 1 and c["moe_renormalize"]:
            wts = wts / (wts.sum(-1, keepdim=True) + 1e-20)
        wts = wts * c["routed_scaling_factor"]
        if self.trace is not None:
            self.trace.append((logits, wts, idx))
        latent = c.get("routed_expert_hidden_size") is not None
        xe = self.lin(x, p + "routed_expert_down_proj") if latent else x
        y = torch.zeros_like(xe)
        for e in idx.unique().tolist():
            tok, slot = torch.where(idx == e)
            pe = f"{p}experts.{e}."
            out = self.lin(self.act(self.lin(xe[tok], pe + "w1"), self.lin(xe[tok], pe + "w3")), pe + "w2")
            y.index_add_(0, tok, out * wts[tok, slot].unsqueeze(-1))
        if latent:
            if c.get("latent_moe_use_norm"):
                y = rms_norm(y, self.w[p + "routed_expert_norm.weight"], self.eps)
            y = self.lin(y, p + "routed_expert_up_proj")
        return y + self.mlp(x, p + "shared_experts.")

    # -- attention residuals
    def attn_res(self, prefix: Tensor, blocks: Sequence[Tensor], name: str) -> Tensor:
        v = torch.stack([*blocks, prefix], 1)  # [T, B+1, H]
        k = v * torch.rsqrt(v.square().mean(-1, keepdim=True) + self.eps)
        score = (k * (self.w[name + "_norm.weight"] * self.w[name + "_proj.weight"].flatten())).sum(-1)
        return (score.softmax(-1).unsqueeze(-1) * v).sum(1)

    def forward(self, ids: Tensor) -> dict[str, Any]:
        """-> dict(logits [T,V], hidden [L+1,T,H] (embedding, then each layer's output stream), routing)."""
        c = self.c
        self.trace = []
        x = self.w["model.embed_tokens.weight"][ids]
        hidden, block = [x], c.get("attn_res_block_size")
        blocks: list[Tensor] = []
        for i in range(c["num_hidden_layers"]):
            p = f"model.layers.{i}."
            attn = self.kda if (i + 1) in c["linear_attn_config"]["kda_layers"] else self.mla
            is_moe = i >= c["first_k_dense_replace"] and i % c.get("moe_layer_freq", 1) == 0
            ffn = (lambda h, p=p: self.moe(h, p + "block_sparse_moe.")) if is_moe else (lambda h, p=p: self.mlp(h, p + "mlp."))
            norm1, norm2 = self.w[p + "input_layernorm.weight"], self.w[p + "post_attention_layernorm.weight"]
            if block is None:
                x = x + attn(rms_norm(x, norm1, self.eps), p + "self_attn.")
                x = x + ffn(rms_norm(x, norm2, self.eps))
            else:
                prefix = x  # running sum since the last block start
                h = self.attn_res(prefix, blocks, p + "self_attention_res") if blocks else prefix
                if i % block == 0:
                    blocks = [*blocks, prefix]
                    prefix = None
                a = attn(rms_norm(h, norm1, self.eps), p + "self_attn.")
                prefix = a if prefix is None else prefix + a
                h = self.attn_res(prefix, blocks, p + "mlp_res")
                x = prefix + ffn(rms_norm(h, norm2, self.eps))
            hidden.append(x)
        if block is not None:
            x = self.attn_res(x, blocks, "model.output_attn_res")
        x = rms_norm(x, self.w["model.norm.weight"], self.eps)
        return {"logits": self.lin(x, "lm_head"), "hidden": torch.stack(hidden), "final": x, "routing": self.trace}
