"""An answer with every kind of Markdown that the transcript shows."""

SAMPLE = '''Here is how the **cache** works, in *short*, with ~~errors~~. It keeps `n_slots` experts, see [the docs](https://example.org/docs).

## Steps

1. Ask the router
2. Look them up
   - hit: pin
   - miss: read

     a second paragraph
10. Sum in router order

```python
def route(x, gate, k=4):
    """Pick the top-k experts."""
    return x @ gate.T  # [n, n_experts]
```

> Quoted text.
>
> > deeper

| Layer | Hit rate |
|---|---:|
| 0 | 91% |
| 1 | `84%` |

Text
---
```
plain <b>x</b>
```
- last & <script>alert(1)</script> ![a picture](http://evil.example/x.png)
'''
