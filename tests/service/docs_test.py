#!/usr/bin/env python3
"""Runs the commands of docs/service.md as they stand there, with another port.

  tests/service/docs_test.py --program PROGRAM
"""

import argparse
import contextlib
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

DOCUMENT = Path(__file__).parents[2] / "docs" / "service.md"


def free_port():
    """One that no other test gets before it is used: the system hands out ports from 32768 on by itself."""
    while True:
        port = random.SystemRandom().randrange(20000, 30000)
        with socket.socket() as link, contextlib.suppress(OSError):
            link.bind(("127.0.0.1", port))
            return port


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    program = Path(parser.parse_args().program).resolve()
    if shutil.which("curl") is None:
        print("curl is missing")
        sys.exit(77)
    blocks = re.findall(r"^```sh\n(.*?)^```", DOCUMENT.read_text(encoding="utf-8"), re.S | re.M)
    assert len(blocks) >= 5, "the guide has lost its commands"
    script = "set -euo pipefail\ntrap 'kill -9 ${SERVER:-} 2> /dev/null || true' EXIT\n" + "\n".join(blocks)
    script = script.replace("8080", str(free_port()))
    with tempfile.TemporaryDirectory(prefix="unscatter-docs-") as folder:
        environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}",
                       "UNSCATTER_KEY": f"{folder}/signing.key"}
        done = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, capture_output=True, text=True,
                              timeout=280, check=False)
        assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    print(f"{len(blocks)} pieces of docs/service.md did what they say")


if __name__ == "__main__":
    main()
