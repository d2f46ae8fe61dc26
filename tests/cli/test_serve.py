"""`ouzel serve` in a process of its own: it says where it is, answers, and ends when it is asked to."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.cli.running import command, environment, refused


@pytest.mark.skipif(sys.platform == "win32", reason="a process there gets no signal of its own")
def test_that_it_serves_until_it_is_asked_to_end(starter: Path, tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("a-secret-of-many-letters", encoding="utf-8")
    key.chmod(0o600)
    arguments = command("serve", "--model", starter, "--port", "0", "--key-file", key, "--budget", "400M", "--ctx", "1024")
    with subprocess.Popen(arguments, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment()) as process:
        try:
            assert process.stderr is not None and process.stdout is not None
            lines = iter(process.stderr.readline, "")
            address = next(m[0] for line in lines if (m := re.search(r"http://127\.0\.0\.1:\d+/v1", line)))
            with httpx.Client(base_url=address, headers={"Authorization": "Bearer a-secret-of-many-letters"}, timeout=120) as client:
                [model] = client.get("/models").json()["data"]
                body = {"model": model["id"], "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 3}
                assert client.post("/chat/completions", json=body).json()["usage"]["completion_tokens"] == 3
            assert httpx.get(f"{address}/models").status_code == 401
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0
            assert process.stdout.read() == ""
            said = process.stderr.read()
            assert "Traceback" not in said and "a-secret" not in said and "/v1/chat/completions 200" in said
        finally:
            process.kill()


def test_that_what_cannot_be_served_is_refused(tmp_path: Path) -> None:
    assert "needs a key" in refused("serve", "--host", "0.0.0.0", "--port", "0")
    assert "cannot be read" in refused("serve", "--key-file", tmp_path / "none")
    assert "no origin" in refused("serve", "--origin", "*", "--port", "0")
