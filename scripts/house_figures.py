"""The figures of the house (scripts/house_figures.sh)."""
import argparse
import pathlib
import re
import statistics
import subprocess
import sys

# What the house keeps to.  The number of public headers is limited by scripts/umbrella_header.sh.
MOST_TYPES_OF_A_RUNG = 20
MOST_FILES_OF_A_RUNG = 6
MOST_COLUMNS = 120

# Our own text.  Recorded results, drawings, corpora and licences are not ours to wrap.
TEXT_NAMES = ("*.h", "*.cc", "*.inc", "*.cmake", "*.in", "*.py", "*.sh", "*.md", "CMakeLists.txt", "CMakePresets.json",
              "Makefile", ".clang-tidy", ".clang-format", "*.cff", "*.supp")
EXEMPT = re.compile(r"^(LICENSE|fuzz/corpus/|experiments/(results|figures)/)")
CODE_FOLDERS = ("include/", "src/", "apps/", "bench/", "examples/")
PROGRAM_FOLDERS = ("apps/", "examples/", "tests/install/consumer/")
UMBRELLA = "include/unscatter/unscatter.h"


class House:
    """The tracked text of one tree."""

    def __init__(self, root):
        self.root = root
        command = ["git", "-C", root, "ls-files", "-z"]
        listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        self.files = sorted(name for name in listed.split("\0") if name and (root / name).is_file())
        self.texts = {}

    def text(self, name):
        if name not in self.texts:
            self.texts[name] = (self.root / name).read_text(encoding="utf-8")
        return self.texts[name]

    def named(self, *patterns):
        return [name for name in self.files if any(pathlib.PurePath(name).match(pattern) for pattern in patterns)]

    def code(self, ending):
        return [name for name in self.named("*" + ending) if name.startswith(CODE_FOLDERS)]


# ---- public headers

def public_headers(house):
    return [name for name in house.named("*.h") if name.startswith("include/")]


def includes(house, name):
    found = re.findall(r'^#include ["<](unscatter/[^">]+)[">]', house.text(name), re.M)
    return ["include/" + header for header in found]


def offered_names(house, header):
    """Types and functions that a header declares at the level of the namespace."""
    code = without_comments(house.text(header))
    types = re.findall(r"^(?:class|struct|enum class)\s+(?:\[\[\w+\]\]\s+)?(\w+)", code, re.M)
    functions = re.findall(r"^(?:\[\[nodiscard\]\] )?\w[\w:<>,&* ]* [&*]?(\w+)\(", code, re.M)
    return set(types + functions)


def roots(house):
    """Public headers that programs include.  Of the umbrella's, those whose names a program uses."""
    found = set()
    for program in house.named("*.h", "*.cc"):
        if not program.startswith(PROGRAM_FOLDERS):
            continue
        included = set(includes(house, program))
        found |= included
        if UMBRELLA in included:
            words = set(re.findall(r"\w+", without_comments(house.text(program))))
            found |= {header for header in public_headers(house) if words & offered_names(house, header)}
    return found - {UMBRELLA}


def unreachable_headers(house):
    """Public headers that are no root and that no root leads to."""
    reached = set()
    waiting = list(roots(house))
    while waiting:
        header = waiting.pop()
        if header not in reached:
            reached.add(header)
            waiting.extend(includes(house, header))
    return sorted(set(public_headers(house)) - reached - {UMBRELLA})


# ---- what a rung takes

def marked_list(house, title):
    """What stands in backticks between two markers in CONTRIBUTING.md; nothing if they are not there."""
    found = re.search(rf"<!-- {title}: begin -->\n(.*?)<!-- {title}: end -->", house.text("CONTRIBUTING.md"), re.S)
    return found and found.group(1)


def types_of_a_rung(house):
    marked = marked_list(house, "types of a rung")
    return None if marked is None else sorted(set(re.findall(r"`([^`]+)`", marked)))


def files_of_a_rung(house):
    """The first thing in backticks of each item of the numbered list."""
    marked = marked_list(house, "files of a rung")
    return None if marked is None else re.findall(r"^\d+\. `([^`]+)`", marked, re.M)


def unknown_types(house, types):
    code = "\n".join(without_comments(house.text(name)) for name in house.named("*.h", "*.cc")
                     if name.startswith(("include/", "src/")))
    declared = set(re.findall(r"\b(?:class|struct|enum class|enum|using)\s+(?:\[\[\w+\]\]\s+)?(\w+)", code))
    return [name for name in types if name not in declared]


# ---- lines, files, functions, comments

def long_lines(house):
    """(file, line number, columns) beyond the limit."""
    found = []
    for name in house.named(*TEXT_NAMES):
        if EXEMPT.search(name):
            continue
        for number, line in enumerate(house.text(name).split("\n"), 1):
            if len(line) > MOST_COLUMNS:
                found.append((name, number, len(line)))
    return found


def without_comments(text):
    """Comments and the insides of literals become spaces; line breaks stay."""
    pattern = re.compile(
        r'R"(\w*)\((?:.|\n)*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*(?:.|\n)*?\*/'
    )
    # An apostrophe between digits separates thousands.
    text = re.sub(r"(?<=[0-9a-fA-F])'(?=[0-9a-fA-F])", " ", text)
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def comment_share(house, names):
    """Share of lines with a comment on them, empty lines not counted."""
    lines = comments = 0
    for name in names:
        for line in house.text(name).split("\n"):
            if not line.strip():
                continue
            lines += 1
            # A literal that holds two slashes is no comment.
            if "//" in re.sub(r'"(?:\\.|[^"\\])*"', "", line):
                comments += 1
    return comments / max(lines, 1)


# What stands before the brace of a function's body: parameters, qualifiers, a trailing type, or initialisers.
BODY_FOLLOWS = re.compile(r"(\)|\b(const|noexcept|override|final|mutable)|&|-> *[\w:<>,&* ]+|\})\s*$")
NO_FUNCTION = re.compile(r"^\s*(template\s*<[^{}]*>\s*)?(class|struct|union|enum|namespace|extern)\b")


def function_lengths(text):
    """Lines of every function with a body, from the first line of its signature to its last brace.

    Follows braces at the level of namespaces and classes.  What is inside of a function belongs to it.
    """
    text = re.sub(r"^\s*#.*(?:\\\n.*)*$", "", without_comments(text), flags=re.M)
    lengths = []
    start = position = 0  # of the present statement, and where to look on
    while True:
        found = re.compile(r"[;{}]").search(text, position)
        if not found:
            return lengths
        position = found.end()
        statement = text[start : found.start()]
        if found.group() == "{":
            if NO_FUNCTION.search(statement):
                start = position  # its members follow
                continue
            end = closing_brace(text, found.start())
            if "(" in statement and BODY_FOLLOWS.search(statement):
                signature = start + len(statement) - len(statement.lstrip())
                lengths.append(text.count("\n", signature, end) + 1)
                start = position = end
            else:
                position = end  # an initialiser: the statement goes on
            continue
        # An access specifier, an end of a class or of a statement.
        start = position


def closing_brace(text, opening):
    depth = 0
    for found in re.compile(r"[{}]").finditer(text, opening):
        depth += 1 if found.group() == "{" else -1
        if depth == 0:
            return found.end()
    return len(text)


def spread(values):
    ordered = sorted(values)
    ninety = ordered[min(len(ordered) - 1, int(0.9 * len(ordered)))]
    return f"{statistics.median_low(ordered)} / {ninety} / {ordered[-1]}"


# ---- the report

def check_rung_lists(house, faults):
    types, files = types_of_a_rung(house), files_of_a_rung(house)
    if types is not None:
        faults += [f"CONTRIBUTING.md: there is no type {name} in the code" for name in unknown_types(house, types)]
        if not types or len(types) > MOST_TYPES_OF_A_RUNG:
            faults.append(f"CONTRIBUTING.md: {len(types)} types of a rung, and 1 to {MOST_TYPES_OF_A_RUNG} are wanted")
    if files is not None:
        faults += [f"CONTRIBUTING.md: there is no file {name}" for name in files if name not in house.files]
        if not files or len(files) > MOST_FILES_OF_A_RUNG:
            faults.append(f"CONTRIBUTING.md: {len(files)} files of a rung, and 1 to {MOST_FILES_OF_A_RUNG} are wanted")
    return types, files


def count_or_absent(names):
    return "no list in CONTRIBUTING.md" if names is None else str(len(names))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    arguments = parser.parse_args()
    house = House(arguments.root)

    faults = []
    types, files = check_rung_lists(house, faults)
    wide = long_lines(house)
    faults += [f"{name}:{number}: {columns} columns, at most {MOST_COLUMNS}" for name, number, columns in wide]
    if arguments.check:
        print("\n".join(faults), end="\n" if faults else "", file=sys.stderr)
        return 1 if faults else 0

    headers, sources = house.code(".h"), house.code(".cc")
    unreachable = unreachable_headers(house)
    print(f"public headers                           {len(public_headers(house))}")
    names = " ".join(map(shortened, unreachable))
    print(f"  not reachable from what programs use   {len(unreachable)}  {names}".rstrip())
    print(f"types to know to change a rung           {count_or_absent(types)} (at most {MOST_TYPES_OF_A_RUNG})")
    print(f"files to touch to add a rung             {count_or_absent(files)} (at most {MOST_FILES_OF_A_RUNG})")
    print(f"lines over {MOST_COLUMNS} columns                   {len(wide)} (none wanted)")
    lengths = [len(house.text(name).splitlines()) for name in headers + sources]
    print(f"file length, median / p90 / max          {spread(lengths)}")
    lengths = [length for name in headers + sources for length in function_lengths(house.text(name))]
    print(f"function length, median / p90 / max      {spread(lengths)} ({len(lengths)} functions)")
    print(f"lines with comment, headers              {100 * comment_share(house, headers):.1f} %")
    print(f"lines with comment, sources              {100 * comment_share(house, sources):.1f} %")
    for fault in faults:
        print(f"  {fault}")
    return 0


def shortened(header):
    return header.removeprefix("include/unscatter/")


if __name__ == "__main__":
    sys.exit(main())
