"""manual_pages_test.py UNPACKED CLI_DOCUMENT: every command has a manual page, and the page has all that --help has.

What --help says is read from the program of the package; what a reader sees is read from man.
"""

import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "FILES", "SEE ALSO"]


def help_of(program, path):
    return subprocess.run([program, *path, "--help"], check=True, capture_output=True, text=True).stdout


def commands_of(text):
    listed = re.search(r"^Subcommands:\n((?:  .*\n)*)", text, re.MULTILINE)
    return re.findall(r"^  ([a-z][a-z-]*)", listed.group(1), re.MULTILINE) if listed else []


def options_of(text):
    found = re.findall(r"^  (?:(-\w),)?(--[a-z][a-z-]*)|^  (-\w) ", text, re.MULTILINE)
    return {name for names in found for name in names if name}


def all_commands(program, path=()):
    yield list(path)
    for name in commands_of(help_of(program, path)):
        yield from all_commands(program, (*path, name))


def rendered(page):
    """The text as man shows it, and what man complains about."""
    environment = {**os.environ, "MANWIDTH": "100", "LC_ALL": "C.UTF-8", "MAN_KEEP_FORMATTING": ""}
    shown = subprocess.run(["man", "--warnings=w", "--local-file", page], capture_output=True, text=True,
                           env=environment, check=False)
    return re.sub(r"\x1b\[[0-9;]*m|.\x08", "", shown.stdout), shown.stderr


def faults_of(program, path, folder):
    page = folder / f"{'-'.join(['unscatter', *path])}.1.gz"
    if not page.exists():
        yield f"{page.name} is missing"
        return
    text, complaints = rendered(page)
    if complaints:
        yield f"{page.name}: man says: {complaints}"
    helped = help_of(program, path)
    expected = SECTIONS + (["EXAMPLES"] if "Examples:" in helped else [])
    headings = set(re.findall(r"^([A-Z][A-Z ]+)$", text, re.MULTILINE))
    yield from (f"{page.name}: no section {name}" for name in expected if name not in headings)
    options = text.partition("\nOPTIONS\n")[2].partition("\nEX")[0]
    # An entry of the list begins a line.  Names in other sentences do not count.
    terms = {name for line in re.findall(r"^ {7}(-\S.*)$", options, re.MULTILINE)
             for name in re.findall(r"(?<![\w-])--?[a-z][a-z-]*", line)}
    yield from (f"{page.name}: {name} is missing" for name in sorted(options_of(helped) - terms))
    for line in re.findall(r"^  (unscatter .*)$", helped, re.MULTILINE):
        if line.split("  ")[0] not in text:
            yield f"{page.name}: the example is missing: {line}"
    for name in re.findall(r"unscatter[a-z-]*(?=\(1\))", text):
        if not (folder / f"{name}.1.gz").exists():
            yield f"{page.name} names {name}(1), which is not there"


def faults_of_contract(folder, document):
    """Exit codes and variables are those of the document on the command line."""
    text = gzip.open(folder / "unscatter.1.gz", "rt").read()
    for title, row in (("Exit codes", r"^\| (\d+) \|"), ("Environment variables", r"^\| `([A-Z_]+)` \|")):
        table = document.split(f"### {title}\n")[1].split("\n### ")[0]
        section = "EXIT STATUS" if title == "Exit codes" else "ENVIRONMENT"
        listed = re.findall(r"^\\fB(.*)\\fR$", text.split(f".SH {section}\n")[1].split(".SH ")[0], re.MULTILINE)
        if listed != re.findall(row, table, re.MULTILINE):
            yield f"{section} has {listed}, docs/cli.md something else"


def all_faults(program, folder, document, looked_at=None):
    """Faults of all pages; `looked_at` names the commands whose pages are read, if not all."""
    paths = list(all_commands(program))
    faults = [fault for path in looked_at or paths for fault in faults_of(program, path, folder)]
    wanted = {f"{'-'.join(['unscatter', *path])}.1.gz" for path in paths}
    faults += [f"{page.name} is about no command" for page in folder.iterdir() if page.name not in wanted]
    return faults + list(faults_of_contract(folder, document))


def plant(folder, page, before, after):
    text = gzip.open(folder / page, "rt").read()
    assert before in text, f"{page} has no {before}"
    gzip.open(folder / page, "wt").write(text.replace(before, after, 1))


def main():
    unpacked, document = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).read_text()
    program = unpacked / "unscatter/usr/bin/unscatter"
    folder = unpacked / "unscatter/usr/share/man/man1"
    if not program.exists() or not shutil.which("man"):
        print("manual_pages_test: skipped, because there are no packages or man is missing")
        sys.exit(77)
    faults = all_faults(program, folder, document)
    service, complaints = rendered(folder.parent / "man8/unscatter.service.8.gz")
    if complaints or "/etc/unscatter/NAME.conf" not in service:
        faults.append(f"unscatter.service(8): {complaints or 'it does not name the settings'}")
    with tempfile.TemporaryDirectory() as temporary:
        planted = pathlib.Path(shutil.copytree(folder, f"{temporary}/man1"))
        plant(planted, "unscatter-train.1.gz", r"\fB\-\-epsilon\fR", r"\fB\-\-epsilom\fR")
        plant(planted, "unscatter.1.gz", ".SH FILES", ".SH FOLDERS")
        plant(planted, "unscatter-key.1.gz", ".SH NAME", ".nosuchrequest\n.SH NAME")
        plant(planted, "unscatter.1.gz", r"\fB70\fR", r"\fB71\fR")
        (planted / "unscatter-verify.1.gz").unlink()
        (planted / "unscatter-nothing.1.gz").touch()
        noticed = "\n".join(all_faults(program, planted, document, [[], ["train"], ["key"], ["verify"]]))
        for fault in ("train.1.gz: --epsilon is missing", "no section FILES", "key.1.gz: man says", "EXIT STATUS has",
                      "verify.1.gz is missing", "nothing.1.gz is about no command"):
            if fault not in noticed:
                faults.append(f"a planted fault was not noticed: {fault}")
    print("\n".join(faults) or "every command has a complete page")
    sys.exit(1 if faults else 0)


main()
