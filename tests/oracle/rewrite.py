"""Write the tiny configs as transformers 5 writes them when it saves a model: tests/data/rewritten/FAMILY.json.

    pip install torch==2.13.0 transformers==5.23.0
    python -m tests.oracle.rewrite

Fine-tuned and newer checkpoints have their configs in this form. Kimi K3 is not in transformers.
"""

import shutil
import tempfile
from pathlib import Path

from transformers import AutoConfig

from tests.oracle.checkpoint import DATA

REWRITTEN = DATA.parent / "rewritten"


def main() -> None:
    """Write all of them."""
    REWRITTEN.mkdir(exist_ok=True)
    for folder in sorted(p for p in DATA.iterdir() if p.name != "kimi_k3"):
        with tempfile.TemporaryDirectory() as tmp:
            AutoConfig.from_pretrained(folder).save_pretrained(tmp)
            shutil.copy(Path(tmp) / "config.json", REWRITTEN / f"{folder.name}.json")


if __name__ == "__main__":
    main()
