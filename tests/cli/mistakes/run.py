#!/usr/bin/env python3
"""Runs a table of mistakes and holds what the program says about them to a rule.

    tests/cli/mistakes/run.py --program build/release/apps/unscatter/unscatter            compare with sentences.txt
    tests/cli/mistakes/run.py --program build/release/apps/unscatter/unscatter --update   write sentences.txt again
    tests/cli/mistakes/run.py --self-test                                                 can the rule fail?

Every case of cases.py is a command line that somebody might type by mistake, with the files that it needs.  It runs in
a folder of its own, on a copy of a small workspace.  The rule, for every case:

  * the exit code is the one that docs/cli.md documents, and no crash;
  * stderr is "unscatter: ", then one or a few sentences that end with a full stop or a question mark;
  * the wrong value, file or option is named;
  * no text of a library, no address, no source file;
  * wrong usage says where to look; with --json a refusal is a document with a documented code and the same sentence;
  * the workspace is what it was before, unless the case says that something stands.

All sentences together stand in sentences.txt, which a person reviews.  --update writes that file; read the difference.
"""
import argparse
import concurrent.futures
import difflib
import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
from cases import PREPARATION, PREPARED_FILES, SECTIONS  # noqa: E402

# Words that belong to a library, a compiler or a debugger, and never into a sentence for a user.
FOREIGN = [
    "simdjson", "CLI11", "CLI::", "sqlite", "SQLITE", "nlohmann", "json.exception", "parse_error", "TAPE_ERROR",
    "std::", "what():", "terminate", "bad_alloc", "basic_string", "vector::", "stoi", "internal error", "errno",
    "assert", "Assertion", "sodium", "libarchive", "Eigen", "TBB", "Traceback", "Could not convert", "core dumped",
    "required TEXT", "required FLOAT", "required UINT", "not in range", "not in {", "is required", "segmentation",
]
ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b")
SOURCE = re.compile(r"\b[a-z_0-9]+\.(cc|cpp|h|hpp)\b(:\d+)?")
CODES = {
    "invalid-argument", "not-found", "malformed-input", "limit-exceeded", "io", "not-converged", "frame-condition",
    "unsupported", "unavailable", "outdated",
}
LONGEST_LINE = 420


def problems(case, exit_code, err, out, changed):
    """What is wrong with an outcome.  An empty list: nothing."""
    found = []
    if exit_code != case["exit"]:
        found.append(f"exit code {exit_code} instead of {case['exit']}")
    if exit_code not in (1, 2):
        found.append(f"exit code {exit_code} is none of a mistake")
    text = err.rstrip("\n")
    notes = case.get("notes", 0)
    lines = text.split("\n")[notes:]
    if not lines[0].startswith("unscatter: "):
        found.append("stderr does not begin with 'unscatter: '")
    if exit_code == 2 and not re.fullmatch(r"Try 'unscatter[a-z ]* --help'\.", lines[-1]):
        found.append("wrong usage does not say where to look")
    sentence_lines = lines[:-1] if exit_code == 2 else lines
    if not sentence_lines or sentence_lines[-1][-1:] not in (".", "?"):
        found.append("the sentence does not end")
    if len(sentence_lines) > case.get("lines", 1):
        found.append(f"{len(sentence_lines)} lines")
    for line in lines:
        if len(line) > LONGEST_LINE:
            found.append(f"a line of {len(line)} characters")
    for word in FOREIGN:
        if word in err:
            found.append(f"foreign text: {word}")
    for pattern in (ADDRESS, SOURCE):
        match = pattern.search(err)
        if match:
            found.append(f"foreign text: {match.group()}")
    for name in case["names"]:
        if name not in err:
            found.append(f"'{name}' is not named")
    if not case["names"]:
        found.append("the case does not say what must be named")
    if exit_code == 1 and "--json" in case["run"]:
        try:
            error = json.loads(out)["error"]
            if error["code"] not in CODES:
                found.append(f"error code {error['code']} is not documented")
            if "unscatter: " + error["message"] != "\n".join(lines):
                found.append("the document has another sentence")
        except (ValueError, KeyError) as why:
            found.append(f"stdout is no document with an error: {why!r}")
    if exit_code == 2 and out:
        found.append("wrong usage wrote to stdout")
    if changed != case.get("changes", False):
        found.append("the workspace was changed" if changed else "the workspace was not changed")
    return found


def digest(folder):
    whole = hashlib.sha256()
    for name in ("w.unscatter", "w.unscatter-wal"):
        path = folder / name
        if path.is_file() and path.stat().st_size > 0:
            whole.update(name.encode() + path.read_bytes())
    return whole.hexdigest()


def environment(folder):
    keep = {name: value for name, value in os.environ.items() if not name.startswith(("UNSCATTER_", "XDG_"))}
    return {**keep, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "config"), "TERM": "dumb",
            "UNSCATTER_KEY": str(folder / "keys/signing.key"), "LC_ALL": "C.UTF-8"}


def normalised(text, folder):
    text = text.replace(str(folder) + "/", "").replace(str(folder), "FOLDER")
    text = re.sub(r"\b[0-9a-f]{64}\b", "HASH", text)
    return re.sub(r"\b[0-9a-f]{32}\b", "ID", text)


def prepare(program, base):
    """The workspace that all cases start from, made by the program itself."""
    base.mkdir()
    for name, content in PREPARED_FILES.items():
        (base / name).write_text(content)
    for arguments in PREPARATION:
        done = subprocess.run([program, *arguments], cwd=base, env=environment(base), capture_output=True, text=True,
                              check=False)
        if done.returncode != 0:
            raise SystemExit(f"mistakes: the preparation failed: {arguments}: {done.stderr}")


def run_case(program, base, folder, case):
    shutil.copytree(base, folder)
    for name, content in case.get("files", {}).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if callable(content):
            content(path)
        else:
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
    run_environment = environment(folder)
    run_environment.update(case.get("env", {}))
    before = digest(folder)
    lock = None
    if case.get("locked"):
        # The bytes that SQLite locks to read, as another process would hold them (sqlite.org/lockingv3.html).
        lock = open(folder / "w.unscatter", "r+b")
        fcntl.lockf(lock, fcntl.LOCK_EX, 510, 0x40000002)
    try:
        with open(case.get("stdout", "/dev/null"), "wb") as sink:
            to_device = "stdout" in case
            done = subprocess.run([program, *case["run"]], cwd=folder, env=run_environment, timeout=60, check=False,
                                  stdin=subprocess.DEVNULL, stdout=sink if to_device else subprocess.PIPE,
                                  stderr=subprocess.PIPE)
    finally:
        if lock is not None:
            lock.close()
    changed = digest(folder) != before
    err = done.stderr.decode(errors="replace")
    out = "" if to_device else done.stdout.decode(errors="replace")
    wrong = problems(case, done.returncode, err, out, changed)
    shutil.rmtree(folder)
    return normalised(err, folder), done.returncode, wrong


def document(sections, results):
    lines = ["# What the program says about mistakes.  tests/cli/mistakes/run.py --update writes this file."]
    for title, cases in sections:
        lines += ["", f"## {title}"]
        for case in cases:
            err, exit_code, _ = results[case["name"]]
            lines += ["", f"[{case['name']}] exit {exit_code}", "$ unscatter " + shown(case["run"])]
            lines += ["    " + line for line in err.rstrip("\n").split("\n")]
    return "\n".join(lines) + "\n"


def shown(arguments):
    words = [word if re.fullmatch(r"[\w./,:=@%+-]+", word) else f"'{word}'" for word in arguments]
    text = " ".join(words)
    return text if len(text) <= 200 else text[:200] + " ..."


def self_test():
    """Sentences that break the rule, one for each part of it.  All of them must be noticed."""
    case = {"name": "x", "run": ["status", "--json"], "exit": 1, "names": ["w.unscatter"]}
    good = "unscatter: there is no file 'w.unscatter'.\n"
    answer = json.dumps({"error": {"code": "not-found", "message": "there is no file 'w.unscatter'."}})
    usage_case = {**case, "run": ["status"], "exit": 2}
    usage = "unscatter: 'w.unscatter' is wrong.\nTry 'unscatter status --help'.\n"
    if problems(case, 1, good, answer, False) or problems(usage_case, 2, usage, "", False):
        return ["a good sentence is refused"]
    planted = {
        "a crash": (case, -11, good, answer, False),
        "an internal error": (case, 70, "unscatter: internal error: w.unscatter.\n", answer, False),
        "another exit code": (case, 2, usage, "", False),
        "a library's text": (case, 1, "unscatter: w.unscatter: [json.exception.101] bad.\n", answer, False),
        "an address": (case, 1, "unscatter: w.unscatter at 0x7ffe12345678.\n", answer, False),
        "a source file": (case, 1, "unscatter: w.unscatter, workspace.cc:12.\n", answer, False),
        "no full stop": (case, 1, "unscatter: there is no file 'w.unscatter'\n", answer, False),
        "the value is not named": (case, 1, "unscatter: there is no such file.\n", answer, False),
        "no name in front": (case, 1, "there is no file 'w.unscatter'.\n", answer, False),
        "a page of text": (case, 1, good * 30, answer, False),
        "a very long line": (case, 1, "unscatter: w.unscatter " + "x" * 500 + ".\n", answer, False),
        "no hint": (usage_case, 2, "unscatter: 'w.unscatter' is wrong.\n", "", False),
        "no document": (case, 1, good, "", False),
        "an unknown code": (case, 1, good, answer.replace("not-found", "bad"), False),
        "another sentence": (case, 1, good, answer.replace("there is", "where is"), False),
        "a change": (case, 1, good, answer, True),
        "nothing to name": ({**case, "names": []}, 1, good, answer, False),
    }
    return [f"not noticed: {name}" for name, outcome in planted.items() if not problems(*outcome)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program")
    parser.add_argument("--sentences", type=Path, default=HERE / "sentences.txt")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    if options.self_test:
        missed = self_test()
        print("\n".join(missed) if missed else "every planted fault is noticed")
        return 1 if missed else 0
    program = str(Path(options.program).resolve())
    started = time.monotonic()
    cases = [case for _, section in SECTIONS for case in section if options.only in case["name"]]
    names = [case["name"] for case in cases]
    if len(set(names)) != len(names):
        raise SystemExit(f"mistakes: a name occurs twice: {sorted(n for n in names if names.count(n) > 1)}")
    results = {}
    with tempfile.TemporaryDirectory(prefix="mistakes") as temporary:
        root = Path(temporary)
        prepare(program, root / "base")
        with concurrent.futures.ThreadPoolExecutor(max_workers=max(2, os.cpu_count() or 2)) as pool:
            running = {pool.submit(run_case, program, root / "base", root / case["name"], case): case for case in cases}
            for done in concurrent.futures.as_completed(running):
                results[running[done]["name"]] = done.result()
    bad = 0
    for case in cases:
        err, _, wrong = results[case["name"]]
        for problem in wrong:
            bad += 1
            print(f"{case['name']}: {problem}\n    " + err.rstrip("\n").replace("\n", "\n    "))
    print(f"{len(cases)} mistakes, {bad} against the rule, {time.monotonic() - started:.1f} s")
    if options.only:
        return 1 if bad else 0
    text = document(SECTIONS, results)
    if options.update:
        options.sentences.write_text(text)
        return 1 if bad else 0
    reviewed = options.sentences.read_text() if options.sentences.exists() else ""
    if text != reviewed:
        sys.stdout.writelines(difflib.unified_diff(reviewed.splitlines(True), text.splitlines(True), "reviewed", "now"))
        print("The sentences are not the reviewed ones.  If they are better, run this with --update and read the file.")
        return 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
