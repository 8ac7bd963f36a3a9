#!/usr/bin/env python3
"""The part of the service that talks to the network is a library beside the program.  Where it is missing, is another
library, or belongs to another version, `serve` says so in one sentence and every other command works:
network_test.py --program P --plugin L --other O."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from fixture import Workplace


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--other", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="unscatter-network-") as name:
        folder = Path(name)
        program = folder / "bin" / "unscatter"
        program.parent.mkdir()
        shutil.copy(arguments.program, program)
        beside = program.parent / "unscatter-network.so"
        place = Workplace(program)
        place.run("forget", "--workspace", place.workspace, "--key", place.key, "--graph", 3)

        def refused(words):
            done = subprocess.run([program, "serve", "--workspace", place.workspace, "--key", place.key, "--listen",
                                   "127.0.0.1:0"], capture_output=True, text=True, timeout=60, check=False)
            if done.returncode != 1 or words not in done.stderr or done.stdout or done.stderr.count("\n") != 1:
                sys.exit(f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}")

        refused("unscatter-network.so', which is not there; install the program as a whole")
        beside.write_text("no library")
        refused("unscatter-network.so', which cannot be loaded: ")
        # A library that every program has.
        libraries = subprocess.run(["ldd", arguments.program], capture_output=True, text=True, check=True).stdout
        shutil.copy(next(word for word in libraries.split() if word.startswith("/") and "libm.so" in word), beside)
        refused("unscatter-network.so', which is another library; ")
        shutil.copy(arguments.other, beside)
        refused("unscatter-network.so', which belongs to another version; ")

        # Beside the program, as in a build of the sources, and where an installed program has it.
        shutil.copy(arguments.plugin, beside)
        place.serve().end()
        beside.unlink()
        installed = folder / os.environ["UNSCATTER_LIBRARY_FOLDER"] / "unscatter"
        installed.mkdir(parents=True)
        shutil.copy(arguments.plugin, installed)
        place.serve().end()
        place.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
