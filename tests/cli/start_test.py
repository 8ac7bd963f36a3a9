#!/usr/bin/env python3
"""The program starts quickly, by counts that do not depend on the machine's load (docs/performance.md, "The start of a
process"): start_test.py --program P [--network L].

  * It is linked with few libraries, and a removal loads no other one.
  * The loader relocates few symbols.
  * The heap grows in large pages, where the system has them.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# What a removal needs.  Everything else is for a plug-in, or is loaded where it is used.
NEEDED = {"sqlite3", "sodium", "fmt", "tbb", "stdc++", "m", "gcc_s", "c"}
# Some 4,000 symbols; 8,000 where OpenSSL was linked.
MOST_RELOCATIONS = 5500


def libraries_of(binary):
    """Of the file and of what it is linked with: {"sqlite3", ...}."""
    listed = subprocess.run(["ldd", binary], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"\blib([a-z0-9_+]+?)(?:-[0-9.]+)?\.so", listed))


def looked_for(words, environment):
    """The libraries that the loader looked for while the program ran."""
    done = subprocess.run(words, capture_output=True, text=True, check=True,
                          env={**environment, "LD_DEBUG": "libs"})
    return set(re.findall(r"find library=lib([a-z0-9_+]+?)(?:-[0-9.]+)?\.so", done.stderr))


def relocations(words, environment):
    done = subprocess.run(words, capture_output=True, text=True, check=True,
                          env={**environment, "LD_DEBUG": "statistics"})
    return int(re.search(r"final number of relocations: (\d+)", done.stderr).group(1))


def heap_flags(process):
    """Of the heap of a running process, as the system keeps them."""
    areas = re.split(r"\n(?=[0-9a-f]+-[0-9a-f]+ )", Path(f"/proc/{process}/smaps").read_text())
    return [set(re.search(r"VmFlags:(.*)", area).group(1).split()) for area in areas if "[heap]" in area.split("\n")[0]]


def check_libraries(arguments, environment, removal):
    # Planted faults: the patterns see what they are to find.
    if arguments.network:
        assert {"ssl", "crypto"} <= libraries_of(arguments.network) - NEEDED
    linked = libraries_of(arguments.program)
    if not {"c", "stdc++"} <= linked:
        sys.exit(f"the libraries of the program were not understood: {linked}")
    if strangers := linked - NEEDED:
        sys.exit(f"the program is linked with {', '.join(sorted(strangers))}, which most commands do not need")
    found = looked_for(removal, environment)
    if not {"c", "stdc++"} <= found:
        sys.exit(f"the words of the loader were not understood: {found}")
    if strangers := found - linked:
        sys.exit(f"a removal loads {', '.join(sorted(strangers))}")


def check_heap(arguments, environment, folder):
    """`serve` waits long enough to be looked at."""
    if not arguments.network or not Path("/sys/kernel/mm/transparent_hugepage").exists():
        return
    with open(folder / "log", "w+", encoding="utf-8") as log:
        served = subprocess.Popen([arguments.program, "serve", "--workspace", folder / "w", "--listen", "127.0.0.1:0"],
                                  stdout=log, stderr=log, env=environment)
        try:
            until = time.monotonic() + 60
            while "serving" not in (folder / "log").read_text() and time.monotonic() < until:
                time.sleep(0.05)
            flags = heap_flags(served.pid)
        finally:
            served.send_signal(signal.SIGTERM)
            served.wait(60)
    if not any("hg" in one for one in flags):
        sys.exit(f"no part of the heap may have large pages: {flags}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--network", default="")
    arguments = parser.parse_args()
    if not sys.platform.startswith("linux") or os.confstr("CS_GNU_LIBC_VERSION") is None:
        return 77
    with tempfile.TemporaryDirectory(prefix="unscatter-start-") as name:
        folder = Path(name)
        environment = {**os.environ, "HOME": name, "UNSCATTER_KEY": str(folder / "signing.key")}
        for words in (("datasets", "generate", folder / "groups.jsonl", "--groups", "300"),
                      ("train", "--data", folder / "groups.jsonl", "--workspace", folder / "w")):
            subprocess.run([arguments.program, *words, "--quiet"], capture_output=True, check=True, env=environment)
        removal = [arguments.program, "forget", "--workspace", folder / "w", "--graph", "4", "--node", "1"]
        check_libraries(arguments, environment, removal)
        counted = relocations([arguments.program, "--version"], environment)
        if counted > MOST_RELOCATIONS:
            sys.exit(f"the loader relocates {counted} symbols; {MOST_RELOCATIONS} are enough")
        check_heap(arguments, environment, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
