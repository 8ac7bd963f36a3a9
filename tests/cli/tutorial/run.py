#!/usr/bin/env python3
"""Runs every command of docs/tutorial.md, in its order, and compares the outputs with those that it shows.

    tests/cli/tutorial/run.py --program build/release/apps/unscatter/unscatter [--times] [--document FILE]
    tests/cli/tutorial/run.py --program build/release/apps/unscatter/unscatter --update      write the outputs again
    tests/cli/tutorial/run.py --self-test

A block ```sh is one script.  It must end well.  A block ```text behind it shows what it prints.  Numbers, hashes and
dates differ from run to run, so the shape is compared: every line in its place, with the same words.  A block ```python
is run by Python.  It is passed over, and this is said, if it needs NetworkX and that is not there.
"""
import argparse
import difflib
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BLOCK = re.compile(r"^```(sh|text|python)\n(.*?)^```$", re.M | re.S)


WIDTH = 118
FOLDED = " " * 12


def folded(text):
    """Lines of at most WIDTH columns.  What goes on in the next line stands far to the right."""
    lines = []
    for line in text.strip("\n").split("\n"):
        lines += textwrap.wrap(line, WIDTH, subsequent_indent=FOLDED, drop_whitespace=True, break_long_words=False,
                               break_on_hyphens=False) if len(line) > WIDTH else [line.rstrip()]
    return "\n".join(lines)


def shape(text):
    """Numbers as N, hashes as H, no folds, and no difference in spaces."""
    text = re.sub(r"\n {12,}", " ", text)
    text = re.sub(r"\b[0-9a-f]{32,64}\b", "H", text)
    text = re.sub(r"\b\d{4}-\d\d-\d\dT[\d:]+Z", "T", text)
    text = re.sub(r"[-+]?\b\d[\d,]*(\.\d+)?(e[-+]?\d+)?\b", "N", text)
    return [re.sub(r"\s+", " ", line).strip() for line in text.strip().split("\n")]


def blocks(document):
    found = [(match.group(1), match.group(2)) for match in BLOCK.finditer(document)]
    steps = []
    for kind, text in found:
        if kind == "text":
            if not steps or steps[-1][2] is not None:
                raise SystemExit("tutorial: an output without a command before it")
            steps[-1][2] = text
        else:
            steps.append([kind, text, None])
    return steps


def difference(expected, got):
    wanted, seen = shape(expected), shape(got)
    if wanted == seen:
        return ""
    return "\n".join(difflib.unified_diff(wanted, seen, "shown in the document", "printed", lineterm=""))


def updated(document, outputs):
    """The document with these outputs in its blocks of text."""
    left = list(outputs)
    return re.sub(r"^```text\n.*?^```$", lambda _: "```text\n" + folded(left.pop(0)) + "\n```", document,
                  flags=re.M | re.S)


def run(document, program, times):
    """How many steps failed, and what the steps printed whose output is shown."""
    steps = blocks(document)
    outputs = []
    if sum(1 for kind, _, _ in steps if kind == "sh") < 5:
        raise SystemExit("tutorial: the document has hardly any commands")
    failures = 0
    with tempfile.TemporaryDirectory(prefix="tutorial") as folder:
        tools = Path(folder) / "bin"
        tools.mkdir()
        (tools / "unscatter").symlink_to(Path(program).resolve())
        work = Path(folder) / "work"
        work.mkdir()
        (work / "examples").symlink_to(ROOT / "examples")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("UNSCATTER_", "XDG_"))}
        environment.update(HOME=str(work), PATH=f"{tools}:{os.environ['PATH']}", TERM="dumb", LC_ALL="C.UTF-8")
        for kind, text, expected in steps:
            command = ["bash", "-euo", "pipefail", "-c", text]
            if kind == "python":
                if "networkx" in text and importlib.util.find_spec("networkx") is None:
                    print("passed over: NetworkX is not installed")
                    continue
                command = [sys.executable, "-c", text]
            started = time.monotonic()
            done = subprocess.run(command, cwd=work, env=environment, capture_output=True, text=True, check=False)
            seconds = time.monotonic() - started
            if times:
                print(f"{seconds:7.2f} s  {text.strip().splitlines()[-1][:100]}")
            if expected is not None:
                outputs.append(done.stdout.replace(str(work), "~"))
            if done.returncode != 0:
                failures += 1
                print(f"exit {done.returncode}:\n{text}{done.stdout}{done.stderr}")
            elif expected is not None and (wrong := difference(expected, outputs[-1])):
                failures += 1
                print(f"another output:\n{text}{wrong}")
    print(f"{len(steps)} steps, {failures} failed")
    return failures, outputs


def self_test():
    """Faults in a document that must be noticed."""
    good = "graphs     600 of 1,000\nhash 97aadf8629d2119e5adce72c4ba80369\n"
    other = "graphs  7 of 12.5\nhash 07aadf8629d2119e5adce72c4ba80369\n"
    faults = []
    if difference(good, other):
        faults.append("numbers count")
    for bad in (other.replace("graphs", "nodes"), other + "more\n", other.split("\n")[0], other.replace("of", "in")):
        if not difference(good, bad):
            faults.append(f"not noticed: {bad!r}")
    long = "constants  " + "word " * 40
    if difference(folded(long), long) or max(map(len, folded(long).split("\n"))) > WIDTH:
        faults.append("folds count")
    steps = blocks("```sh\na\n```\ntext\n```text\nb\n```\n```sh\nc\n```\n")
    if steps != [["sh", "a\n", "b\n"], ["sh", "c\n", None]]:
        faults.append("blocks are read wrongly")
    print("\n".join(faults) if faults else "every planted fault is noticed")
    return 1 if faults else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default="build/release/apps/unscatter/unscatter")
    parser.add_argument("--document", type=Path, default=ROOT / "docs/tutorial.md")
    parser.add_argument("--times", action="store_true")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    document = options.document.read_text()
    failures, outputs = run(document, options.program, options.times)
    if options.update:
        options.document.write_text(updated(document, outputs))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
