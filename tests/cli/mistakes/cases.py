"""Mistakes that people make, with what the program must name.  run.py says how they are judged.

A case: name, the command line, the documented exit code, what must be named; perhaps files, variables, `lines` (how
many lines the answer may have), `changes` (something stands although the exit code is 1), `locked`, `stdout`.
"""
import struct
from pathlib import Path

# The folder that every case starts from.
QUICK = ["--features", "log-degree", "--scales", "2", "--layers", "2"]
PREPARATION = [
    ["datasets", "generate", "groups.jsonl", "--groups", "20", "--users", "60", "--seed", "7"],
    ["train", "--data", "groups.jsonl", "--workspace", "w.unscatter", *QUICK, "--releases", "2"],
    ["forget", "--workspace", "w.unscatter", "--graph", "3", "--receipt", "receipt.json", "--openings", "o.jsonl"],
    ["release", "--workspace", "w.unscatter", "--out", "model.json"],
    ["key", "--key", "keys/other.key"],
    ["train", "--data", "groups.jsonl", "--workspace", "used-up.unscatter", *QUICK, "--releases", "1"],
    ["release", "--workspace", "used-up.unscatter", "--out", "only.json"],
    ["train", "--data", "molecules.jsonl", "--workspace", "labels.unscatter", "--features", "labels:0,1,2", *QUICK[2:]],
]
# Graphs with node labels, which groups.jsonl has not.
PREPARED_FILES = {
    "molecules.jsonl": "".join(
        f'{{"label": "{"ab"[i % 2]}", "nodes": 4, "edges": [[0, 1], [1, 2], [{i % 3}, 3]], '
        f'"node_labels": [{i % 2}, 1, 2, {i % 3}]}}\n' for i in range(12)),
}
W = ["--workspace", "w.unscatter"]
GOOD = '{"forget": "node", "graph": 0, "node": 0}\n'
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89"
GRAPH = '{"label": "a", "nodes": 3, "edges": [[0, 1], [1, 2]]}\n'


def case(name, run, exit_code, names, **more):
    return {"name": name, "run": run, "exit": exit_code, "names": names, **more}


def a_list(name, content, names, more=(), exit_code=1, file="list.jsonl", **other):
    return case(name, ["forget", *W, "--requests", file, "--json", *more], exit_code, names, files={file: content},
                **other)


def data(name, content, names, file="data.jsonl", **other):
    return case(name, ["datasets", "info", file, "--json"], 1, names, files={file: content}, **other)


def forget(name, more, exit_code, names, **other):
    json = ["--json"] if exit_code == 1 else []
    return case(name, ["forget", *W, *more, *json], exit_code, names, **other)


def train(name, more, exit_code, names, **other):
    json = ["--json"] if exit_code == 1 else []
    return case(name, ["train", "--data", "groups.jsonl", "--workspace", "new.unscatter", *more, *json], exit_code,
                names, **other)


def folder(path):
    path.mkdir(parents=True, exist_ok=True)


def dangling_link(path):
    path.symlink_to("nowhere")


def huge(path):
    with open(path, "wb") as file:
        file.truncate((1 << 30) + 1)


def cut_in_half(path):
    whole = (path.parent / "w.unscatter").read_bytes()
    path.write_bytes(whole[: len(whole) // 2])


def of_version_0_1(path):
    path.write_bytes((Path(__file__).parents[2] / "store/version_0_1/release.unscatter").read_bytes())


def others_may_read(path):
    path.write_bytes((path.parent / "keys/signing.key").read_bytes())
    path.chmod(0o644)


def one_byte_changed(path):
    whole = bytearray((path.parent / "receipt.json").read_bytes())
    place = whole.index(b'"entry"') + 12
    whole[place] = ord("0") if whole[place] != ord("0") else ord("1")
    path.write_bytes(whole)


def array(kind, shape, values, form):
    """A NumPy array as bytes: `kind` as NumPy spells it, `form` as struct does."""
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(form, *values)


ROWS = array("<f8", (4, 2), [0.5, 1, -0.5, 1, 0.25, 0, -0.25, 0], "<8d")
LABELS = "a\nb\na\nb\n"


def rows(name, more, exit_code, names, z=ROWS, y=LABELS, **files):
    """Training on z.npy with the labels of y.txt."""
    json = ["--json"] if exit_code == 1 else []
    return case(name, ["train", "--rows", "z.npy", "--labels", "y.txt", "--workspace", "new.unscatter", *more, *json],
                exit_code, names, files={"z.npy": z, "y.txt": y, **{f"{key}.txt": text for key, text in files.items()}})


COMMANDS = [
    case("no-command", [], 2, ["needs a command"]),
    case("unknown-command", ["foget"], 2, ["'foget'", "'forget'"]),
    case("unknown-command-far", ["frobnicate"], 2, ["'frobnicate'"]),
    case("unknown-below", ["datasets", "lst"], 2, ["'lst'", "'list'"]),
    case("command-below-missing", ["datasets"], 2, ["'unscatter datasets'"]),
    case("unknown-option", ["status", *W, "--colour"], 2, ["--colour"]),
    case("option-slip", ["train", "--data", "groups.jsonl", "--epsilom", "1", "--workspace", "x"], 2,
         ["--epsilom", "--epsilon"]),
    case("one-dash", ["status", "-workspace", "w.unscatter"], 2, ["w.unscatter"]),
    case("workspace-missing", ["status"], 2, ["--workspace"]),
    case("data-missing", ["train", "--workspace", "x.unscatter"], 2, ["--data"]),
    case("path-missing", ["datasets", "info"], 2, ["PATH"]),
    case("value-missing", ["status", "--workspace"], 2, ["--workspace"]),
    case("option-twice", ["status", *W, *W], 2, ["--workspace"]),
    case("word-too-many", ["status", *W, "please"], 2, ["please"]),
    case("out-missing", ["release", *W], 2, ["--out"]),
    case("preset-unknown", ["train", "--data", "groups.jsonl", "--workspace", "x", "--preset", "papers"], 2,
         ["--preset", "papers", "paper"]),
    case("flag-with-value", ["forget", *W, "--graph", "0", "--dry-run=maybe"], 2, ["--dry-run"]),
    case("config-missing", ["--config", "no.toml", "status", *W], 2, ["no.toml"]),
    case("config-unknown-key", ["--config", "c.toml", "status", *W], 2, ["c.toml", "colour"],
         files={"c.toml": "[status]\ncolour = 1\n"}),
    case("config-value", ["--config", "c.toml", "status", *W], 2, ["c.toml", "wait"],
         files={"c.toml": "[status]\nwait = \"soon\"\n"}),
    case("config-not-toml", ["--config", "c.toml", "status", *W], 2, ["c.toml"], files={"c.toml": PNG}),
]

NUMBERS = [
    train("threads-negative", ["--threads", "-1"], 2, ["--threads", "-1"]),
    train("threads-huge", ["--threads", "100000"], 1, ["--threads", "100000", "1024"]),
    train("threads-word", ["--threads", "all"], 2, ["--threads", "all"]),
    train("threads-fraction", ["--threads", "1.5"], 2, ["--threads", "1.5"]),
    train("threads-octal", ["--threads", "010"], 2, ["--threads", "010"]),
    train("scales-zero", ["--scales", "0"], 1, ["--scales", "0", "1"]),
    train("scales-large", ["--scales", "99"], 1, ["--scales", "99", "32"]),
    train("scales-word", ["--scales", "many"], 2, ["--scales", "many"]),
    train("noise-negative", [*QUICK, "--noise", "-0.1"], 1, ["noise", "-0.1"]),
    train("noise-zero", [*QUICK, "--noise", "0"], 1, ["noise", "0"]),
    train("noise-nan", ["--noise", "nan"], 2, ["--noise", "nan"]),
    train("noise-huge", [*QUICK, "--noise", "1e300"], 1, ["--noise", "1e300"]),
    train("epsilon-zero", [*QUICK, "--epsilon", "0"], 1, ["epsilon", "0"]),
    train("epsilon-negative", [*QUICK, "--epsilon", "-1"], 1, ["epsilon", "-1"]),
    train("epsilon-huge", [*QUICK, "--epsilon", "1e300"], 1, ["--epsilon", "1e300"]),
    train("epsilon-tiny", [*QUICK, "--epsilon", "1e-300"], 1, ["epsilon", "1e-300"]),
    train("epsilon-infinite", ["--epsilon", "inf"], 2, ["--epsilon", "inf"]),
    train("delta-one", [*QUICK, "--delta", "1"], 1, ["delta", "1"]),
    train("delta-zero", [*QUICK, "--delta", "0"], 1, ["delta", "0"]),
    train("lambda-zero", [*QUICK, "--lambda", "0"], 1, ["--lambda", "0"]),
    train("lambda-huge", [*QUICK, "--lambda", "1e300"], 1, ["--lambda", "1e300"]),
    train("lambda-comma", ["--lambda", "0,001"], 2, ["--lambda", "0,001"]),
    train("releases-zero", [*QUICK, "--releases", "0"], 1, ["0"]),
    train("train-share", ["--train-share", "1.5"], 1, ["--train-share", "1.5"]),
    case("wait-negative", ["status", *W, "--wait", "-1", "--json"], 1, ["--wait", "-1"]),
    case("wait-word", ["status", *W, "--wait", "long"], 2, ["--wait", "long"]),
    forget("batch-zero", ["--requests", "list.jsonl", "--batch", "0"], 1, ["--batch", "0"],
           files={"list.jsonl": GOOD}),
    forget("batch-negative", ["--requests", "list.jsonl", "--batch", "-5"], 2, ["--batch", "-5"],
           files={"list.jsonl": GOOD}),
    case("groups-zero", ["datasets", "generate", "x.jsonl", "--groups", "0", "--json"], 1, ["0"]),
    case("groups-word", ["datasets", "generate", "x.jsonl", "--groups", "many"], 2, ["--groups", "many"]),
    case("groups-beyond", ["datasets", "generate", "x.jsonl", "--groups", "99999999999999999999"], 2,
         ["--groups", "99999999999999999999"]),
    case("id-beyond", ["certificate", *W, "--id", "99", "--json"], 1, ["99"]),
]

OPTIONS = [
    forget("nothing-named", [], 2, ["--graph", "--subject", "--requests"]),
    forget("two-forms", ["--graph", "0", "--subject", "user-00001"], 2, ["--graph", "--subject"]),
    forget("node-without-graph", ["--node", "3"], 2, ["--node", "--graph"]),
    forget("edge-without-graph", ["--edge", "3,5"], 2, ["--edge", "--graph"]),
    forget("edge-one-end", ["--graph", "0", "--edge", "3"], 2, ["--edge", "3"]),
    forget("features-alone", ["--graph", "0", "--features-only"], 2, ["--features-only", "--node"]),
    forget("node-zeros", ["--graph", "0", "--node", "007"], 2, ["007", "id:007"]),
    forget("graph-too-large", ["--graph", "99999999999999999999"], 2, ["99999999999999999999"]),
    forget("batch-with-subject", ["--subject", "user-00001", "--batch", "5"], 2, ["--batch", "--requests"]),
    forget("skip-with-graph", ["--graph", "0", "--skip-refused"], 2, ["--skip-refused", "--requests"]),
    forget("receipts-with-graph", ["--graph", "0", "--receipts", "r.jsonl"], 2, ["--receipts", "--receipt"]),
    forget("receipt-with-list", ["--requests", "list.jsonl", "--receipt", "r.json"], 2, ["--receipt", "--receipts"],
           files={"list.jsonl": GOOD}),
    forget("keep-without-openings", ["--requests", "list.jsonl", "--keep-fields", "reason"], 2,
           ["--keep-fields", "--openings"], files={"list.jsonl": GOOD}),
    forget("shred-and-openings", ["--graph", "0", "--shred", "--openings", "o.jsonl"], 2, ["--openings", "--shred"]),
    forget("list-format-unknown", ["--requests", "list.jsonl", "--list-format", "xml"], 2,
           ["--list-format", "xml", "csv"], files={"list.jsonl": GOOD}),
    train("alpha-for-release", [*QUICK, "--alpha", "0.1"], 2, ["--alpha", "--noise"]),
    train("everyone-without-ridge", [*QUICK, "--protect", "everyone"], 2, ["--protect everyone", "--ridge"]),
    train("features-unknown", ["--features", "log-degre"], 1, ["log-degre"]),
    train("kernel-without-custom", ["--kernel", "0..1: 1"], 2, ["--kernel", "custom"]),
    train("loss-unknown", [*QUICK, "--loss", "hinge"], 1, ["hinge"]),
    case("verify-nothing", ["verify"], 2, ["--workspace"]),
    case("salt-without-request",
         ["verify", "--receipt", "receipt.json", "--key", "keys/signing.pub", "--salt", "00"], 2, ["--salt"]),
]

LISTS = [
    a_list("list-several-wrong", GOOD + "{}\nnonsense\n" + GOOD + '{"forget": "node", "graph": -1, "node": 0}\n',
           ["3 wrong lines", "line 2", "line 3", "line 5", "-1", "--skip-refused", "nothing was changed"], lines=5),
    a_list("list-field-slip", '{"forget": "graph", "grpah": 3}\n', ["line 1", "grpah", "graph"], lines=3),
    a_list("list-node-slip", '{"forget": "graph", "graph": 3, "nod": 2}\n', ["line 1", "nod", "node"], lines=3),
    a_list("list-user-of-graph", '{"forget": "graph", "graph": 3, "user": "u1"}\n', ["line 1", "user"], lines=3),
    a_list("list-kind-unknown", '{"forget": "everything"}\n', ["everything", "subject"], lines=3),
    a_list("list-half-a-line", GOOD + '{"forget": "node", "gra', ["line 2", "JSON"], lines=3),
    a_list("list-one-array", '[{"forget": "graph", "graph": 1}]\n', ["line 1", "a list"], lines=3),
    a_list("list-number-as-text", '{"forget": "subject", "id": 17}\n', ["id", "17"], lines=3),
    a_list("list-fraction", '{"forget": "graph", "graph": 1.5}\n', ["graph", "1.5"], lines=3),
    a_list("list-empty", "", ["list.jsonl"]),
    a_list("list-blank", "\n\n  \n", ["list.jsonl"]),
    a_list("list-utf16", b"\xff\xfe{\x00}\x00", ["list.jsonl", "UTF-16", "UTF-8"]),
    a_list("list-png", PNG, ["list.png"], file="list.png"),
    a_list("list-node-not-there", '{"forget": "node", "graph": 0, "node": 9999}\n', ["line 1", "9999"]),
    a_list("list-person-not-there", '{"forget": "subject", "id": "nobody"}\n', ["line 1", "nobody"]),
    a_list("list-skips", GOOD + "nonsense\n" + GOOD, ["2 of 3"], more=["--skip-refused"], changes=True),
    a_list("list-all-wrong-skipped", "nonsense\n", ["line 1"], more=["--skip-refused"], lines=3),
    a_list("list-stops", GOOD + GOOD, ["line 2"], changes=True),
    a_list("list-opening-changed", '{"commitment":"' + "0" * 64 + '","entry":1,"request":{"forget":"graph","graph":1},'
           '"salt":"' + "0" * 64 + '"}\n', ["line 1", "commitment"], lines=3),
    a_list("csv-header-slip", "graph,nod\n0,0\n", ["nod", "node"], file="list.csv"),
    a_list("csv-no-header", "user-1\nuser-2\n", ["list.csv", "header"], file="list.csv"),
    a_list("csv-empty-cell", "graph,node\n0,\n", ["line 2"], file="list.csv", lines=3),
    a_list("csv-cells", "graph,node\n0,1,2\n", ["line 2", "3 cells"], file="list.csv", lines=3),
    a_list("csv-quote", 'graph,node\n0,"1\n', ["line 2", "quote"], file="list.csv", lines=3),
    a_list("csv-zeros", "graph,node\n0,0012\n", ["line 2", "0012", "id:0012"], file="list.csv", lines=3),
    case("list-not-there", ["forget", *W, "--requests", "no.jsonl", "--json"], 1, ["no.jsonl"]),
    a_list("list-is-a-folder", folder, ["list.jsonl"]),
    a_list("list-too-large", huge, ["list.jsonl"]),
]

FILES = [
    case("workspace-not-there", ["status", "--workspace", "no.unscatter", "--json"], 1, ["no.unscatter"]),
    case("workspace-a-folder", ["status", "--workspace", "keys", "--json"], 1, ["keys"]),
    case("workspace-empty", ["status", "--workspace", "e.unscatter", "--json"], 1, ["e.unscatter"],
         files={"e.unscatter": b""}),
    case("workspace-a-png", ["status", "--workspace", "p.png", "--json"], 1, ["p.png"], files={"p.png": PNG * 40}),
    case("workspace-is-data", ["forget", "--workspace", "groups.jsonl", "--graph", "0", "--json"], 1,
         ["groups.jsonl"]),
    case("workspace-cut", ["status", "--workspace", "half.unscatter", "--json"], 1, ["half.unscatter"],
         files={"half.unscatter": cut_in_half}),
    case("workspace-locked", ["forget", *W, "--graph", "0", "--wait", "0.1", "--json"], 1, ["w.unscatter", "--wait"],
         locked=True),
    case("workspace-is-there", ["train", "--data", "groups.jsonl", *W, "--json"], 1, ["w.unscatter"]),
    case("workspace-folder-missing",
         ["train", "--data", "groups.jsonl", "--workspace", "no/w.unscatter", *QUICK, "--json"], 1, ["no/w.unscatter"]),
    forget("key-not-there", ["--graph", "0", "--key", "no.key"], 1, ["no.key"]),
    forget("key-is-data", ["--graph", "0", "--key", "groups.jsonl"], 1, ["groups.jsonl"]),
    forget("key-of-another", ["--graph", "0", "--key", "keys/other.key"], 1, ["key"]),
    forget("key-open-to-others", ["--graph", "0", "--key", "open.key"], 1, ["open.key", "0600"],
           files={"open.key": others_may_read}),
    forget("key-a-folder", ["--graph", "0", "--key", "keys"], 1, ["keys"]),
    forget("receipt-folder-missing", ["--graph", "0", "--receipt", "no/r.json"], 1, ["no/r.json"]),
    forget("receipt-is-there", ["--graph", "0", "--receipt", "receipt.json"], 1, ["receipt.json"]),
    forget("receipt-a-folder", ["--graph", "0", "--receipt", "keys"], 1, ["keys"]),
    forget("receipt-below-a-file", ["--graph", "0", "--receipt", "groups.jsonl/r.json"], 1, ["groups.jsonl/r.json"]),
    forget("receipt-link-to-nowhere", ["--graph", "0", "--receipt", "link.json"], 1, ["link.json"],
           files={"link.json": dangling_link}),
    forget("receipt-disk-full", ["--graph", "0", "--receipt", "/dev/full"], 1,
           ["/dev/full", "in force", "entry 3", "certificate"], changes=True),
    forget("openings-disk-full", ["--graph", "0", "--openings", "/dev/full"], 1, ["/dev/full"]),
    forget("openings-folder-missing", ["--graph", "0", "--openings", "no/o.jsonl"], 1, ["no/o.jsonl"]),
    case("stdout-disk-full", ["forget", *W, "--graph", "0"], 1, ["standard output", "in force", "entry 3"],
         stdout="/dev/full", changes=True),
    case("release-folder-missing", ["release", *W, "--fresh", "--out", "no/m.json", "--json"], 1, ["no/m.json"]),
    case("release-is-there", ["release", *W, "--out", "model.json", "--json"], 1, ["model.json", "--force"]),
    case("release-disk-full", ["release", *W, "--fresh", "--out", "/dev/full", "--json"], 1,
         ["/dev/full", "model 2", "published", "release"], changes=True),
    case("predict-data-missing", ["predict", *W, "--data", "no.jsonl", "--json"], 1, ["no.jsonl"]),
    case("predict-out-folder", ["predict", *W, "--data", "groups.jsonl", "--out", "no/p.csv", "--json"], 1,
         ["no/p.csv"]),
    case("embed-out-folder", ["embed", "--data", "groups.jsonl", *QUICK, "--out", "no/z.npy", "--json"], 1,
         ["no/z.npy"]),
    case("dataset-name-unknown", ["train", "--data", "MUTAGG", "--workspace", "x.unscatter", "--json"], 1, ["MUTAGG"]),
    case("fetch-unknown", ["datasets", "fetch", "MUTAGG", "--json"], 1, ["MUTAGG"]),
    case("generate-is-there", ["datasets", "generate", "groups.jsonl", "--json"], 1, ["groups.jsonl"]),
    case("receipt-empty", ["verify", "--receipt", "e.json", "--key", "keys/signing.pub", "--json"], 1, ["e.json"],
         files={"e.json": ""}),
    case("receipt-changed", ["verify", "--receipt", "c.json", "--key", "keys/signing.pub", "--json"], 1,
         ["entry 1", "signature"],
         files={"c.json": one_byte_changed}),
    case("receipt-not-there", ["verify", "--receipt", "no.json", "--key", "keys/signing.pub", "--json"], 1,
         ["no.json"]),
    case("receipt-is-a-model", ["verify", "--receipt", "model.json", "--key", "keys/signing.pub", "--json"], 1,
         ["model.json"]),
    case("model-empty", ["verify", "--model", "e.json", "--key", "keys/signing.pub", "--json"], 1, ["e.json"],
         files={"e.json": ""}),
    case("model-is-a-png", ["verify", "--model", "e.png", "--key", "keys/signing.pub", "--json"], 1, ["e.png"],
         files={"e.png": PNG}),
    case("public-key-wrong", ["verify", "--receipt", "receipt.json", "--key", "groups.jsonl", "--json"], 1,
         ["groups.jsonl"]),
    case("replay-not-openings", ["forget", *W, "--replay", "groups.jsonl", "--json"], 1, ["groups.jsonl"]),
    case("check-not-there", ["check", "--workspace", "no.unscatter", "--json"], 1, ["no.unscatter"]),
    case("check-cut", ["check", "--workspace", "half.unscatter", "--json"], 1, ["half.unscatter", "file"],
         files={"half.unscatter": cut_in_half}),
    case("check-locked", ["check", *W, "--wait", "0.1", "--json"], 1, ["w.unscatter", "--wait"], locked=True),
    case("backup-to-missing", ["backup", *W], 2, ["--to"]),
    case("backup-is-there", ["backup", *W, "--to", "used-up.unscatter", "--json"], 1,
         ["used-up.unscatter", "--force"]),
    case("backup-over-data", ["backup", *W, "--to", "groups.jsonl", "--force", "--json"], 1, ["groups.jsonl"]),
    case("backup-over-itself", ["backup", *W, "--to", "w.unscatter", "--force", "--json"], 1, ["w.unscatter"]),
    case("backup-folder-missing", ["backup", *W, "--to", "no/copy", "--json"], 1, ["no/copy"]),
    case("backup-a-folder", ["backup", *W, "--to", "keys", "--json"], 1, ["keys"]),
    case("backup-of-data", ["backup", "--workspace", "groups.jsonl", "--to", "copy", "--json"], 1, ["groups.jsonl"]),
    case("backup-locked", ["backup", *W, "--to", "copy", "--wait", "0.1", "--json"], 1, ["w.unscatter", "--wait"],
         locked=True),
    case("compact-cut", ["compact", "--workspace", "half.unscatter", "--json"], 1, ["half.unscatter"],
         files={"half.unscatter": cut_in_half}),
    case("compact-locked", ["compact", *W, "--wait", "0.1", "--json"], 1, ["w.unscatter", "--wait"], locked=True),
    case("upgrade-not-there", ["upgrade", "--workspace", "no.unscatter", "--json"], 1, ["no.unscatter"]),
    case("upgrade-without-key", ["upgrade", "--workspace", "old.unscatter", "--json"], 1, ["old.unscatter", "key"],
         files={"old.unscatter": of_version_0_1}),
    case("upgrade-key-not-there", ["upgrade", "--workspace", "old.unscatter", "--key", "no.key", "--json"], 1,
         ["old.unscatter", "key"], files={"old.unscatter": of_version_0_1}),
    case("catalogue-wrong", ["datasets", "list", "--json"], 1, ["c.json"], files={"c.json": "{"},
         env={"UNSCATTER_CATALOGUE": "c.json"}),
]

REQUESTS = [
    forget("graph-not-there", ["--graph", "99"], 1, ["99"]),
    forget("graph-id-not-there", ["--graph", "group-99"], 1, ["group-99"]),
    forget("graph-gone", ["--graph", "3"], 1, ["graph 3"]),
    forget("node-not-there", ["--graph", "0", "--node", "999"], 1, ["999"]),
    forget("person-not-there", ["--subject", "nobody"], 1, ["nobody"]),
    forget("edge-not-there", ["--graph", "0", "--edge", "0,999"], 1, ["999"]),
    forget("edge-to-itself", ["--graph", "0", "--edge", "0,0"], 1, ["0"]),
    case("releases-used-up",
         ["release", "--workspace", "used-up.unscatter", "--fresh", "--out", "second.json", "--json"], 1, ["1"]),
]

# What readers of data say.
DATA = [
    data("data-empty", "", ["data.jsonl"]),
    data("data-png", PNG, ["data.png"], file="data.png"),
    data("data-text", "hello world\n", ["data.txt"], file="data.txt"),
    data("data-csv", "source,target\n1,2\n", ["edges.csv"], file="edges.csv"),
    data("data-half-a-line", GRAPH + '{"label": "a", "nodes": 3, "ed', ["data.jsonl", "2"]),
    data("data-nan", '{"label": "a", "nodes": 1, "edges": [], "features": [[NaN]]}\n', ["data.jsonl", "1"]),
    data("data-infinite", '{"label": "a", "nodes": 1, "edges": [], "features": [[1e999]]}\n', ["data.jsonl", "1"]),
    data("data-node-beyond", '{"label": "a", "nodes": 2, "edges": [[0, 7]]}\n', ["data.jsonl", "7"]),
    data("data-negative-node", '{"label": "a", "nodes": 2, "edges": [[0, -1]]}\n', ["data.jsonl", "-1"]),
    data("data-field-slip", '{"label": "a", "nodes": 2, "egdes": [[0, 1]]}\n', ["data.jsonl", "egdes"]),
    data("data-widths", '{"label": "a", "nodes": 2, "edges": [], "features": [[1], [1, 2]]}\n', ["data.jsonl", "1"]),
    data("data-doubled-ids", '{"label": "a", "nodes": ["x", "x"], "edges": []}\n', ["data.jsonl", "x"]),
    data("data-utf16", b"\xff\xfe{\x00}\x00", ["data.jsonl"]),
    data("data-latin1", b'{"label": "caf\xe9", "nodes": 1, "edges": []}\n', ["data.jsonl", "1"]),
    data("data-zip-broken", b"PK\x03\x04" + b"\x00" * 40, ["data.zip"], file="data.zip"),
    data("data-npz-wrong", b"PK\x05\x06" + b"\x00" * 18, ["data.npz"], file="data.npz"),
    case("data-folder-empty", ["datasets", "info", "empty", "--json"], 1, ["empty"],
         files={"empty/.keep": ""}),
    case("data-not-there", ["datasets", "info", "no.jsonl", "--json"], 1, ["no.jsonl"]),
    case("predict-other-data", ["predict", "--workspace", "labels.unscatter", "--data", "groups.jsonl", "--json"], 1,
         ["label"]),
]

NEW_ID = '{"id": "new-1", "label": "a", "nodes": ["x", "y", "z"], "edges": [[0, 1], [1, 2]]}\n'


def add(name, content, names, exit_code=1, file="more.jsonl", workspace="w.unscatter", **other):
    return case(name, ["add", "--workspace", workspace, "--data", file, "--json"], exit_code, names,
                files={file: content} if content else {}, **other)


def correct(name, more, exit_code, names, **other):
    json = ["--json"] if exit_code == 1 else []
    return case(name, ["correct", *W, *more, *json], exit_code, names, **other)


# Learning more, and corrections.
LIVING = [
    case("add-without-data", ["add", *W], 2, ["--data"]),
    add("add-data-not-there", "", ["more.jsonl"]),
    add("add-other-class", NEW_ID.replace('"a"', '"unheard-of"'), ["new-1", "unheard-of"]),
    add("add-without-ids", GRAPH.replace('"a"', '"club"'), ["ids"]),
    add("add-node-labels", '{"id": "n", "label": "club", "nodes": 2, "edges": [[0, 1]], "node_labels": [1, 2]}\n',
        ["n", "node labels"]),
    add("add-attributes", '{"id": "n", "label": "club", "nodes": 2, "edges": [[0, 1]], "features": [[1], [2]]}\n',
        ["n", "1 attributes"]),
    add("add-no-graph", "\n", ["more.jsonl"]),
    case("add-expires-words", ["add", *W, "--data", "more.jsonl", "--expires", "soon"], 2, ["--expires", "soon"]),
    case("add-expires-no-such-day", ["add", *W, "--data", "more.jsonl", "--expires", "2027-02-30"], 2,
         ["--expires", "2027-02-30"]),
    case("add-keep-for-months", ["add", *W, "--data", "more.jsonl", "--keep-for", "3m"], 2,
         ["--keep-for", "3m", "90d"]),
    case("add-keep-for-nothing", ["add", *W, "--data", "more.jsonl", "--keep-for", "-1d"], 2, ["--keep-for", "-1d"]),
    case("add-expires-twice", ["add", *W, "--data", "more.jsonl", "--expires", "2027-03-01", "--keep-for", "90d"], 2,
         ["--expires", "--keep-for"]),
    correct("correct-nothing-named", [], 2, ["--graph", "--requests"]),
    correct("correct-graph-alone", ["--graph", "0"], 2, ["--label", "--add-edge"]),
    correct("correct-two-forms", ["--graph", "0", "--label", "1", "--drop-edge", "0,1"], 2, ["--label", "--drop-edge"]),
    correct("correct-node-alone", ["--graph", "0", "--node", "1"], 2, ["--node", "--attributes"]),
    correct("correct-attributes-alone", ["--graph", "0", "--attributes", "1,2"], 2, ["--attributes", "--node"]),
    correct("correct-attributes-word", ["--graph", "0", "--node", "1", "--attributes", "1,high"], 2, ["high"]),
    correct("correct-label-fraction", ["--graph", "0", "--node", "1", "--node-label", "1.5"], 2, ["1.5"]),
    correct("correct-weight-alone", ["--graph", "0", "--label", "1", "--weight", "2"], 2, ["--weight", "--add-edge"]),
    correct("correct-edge-one-end", ["--graph", "0", "--add-edge", "3"], 2, ["--add-edge", "3"]),
    correct("correct-other-class", ["--graph", "0", "--label", "unheard-of"], 1, ["unheard-of", "graph 0"]),
    correct("correct-graph-gone", ["--graph", "3", "--label", "1"], 1, ["graph 3"]),
    correct("correct-edge-to-itself", ["--graph", "0", "--add-edge", "1,1"], 1, ["graph 0", "itself"]),
    correct("correct-edge-not-there", ["--graph", "0", "--drop-edge", "1,1"], 1, ["graph 0", "no such edge"]),
    correct("correct-attributes-none", ["--graph", "0", "--node", "1", "--attributes", "1"], 1, ["graph 0", "1"]),
    correct("correct-list-wrong", ["--requests", "c.jsonl"], 1, ["c.jsonl:2", "graph"],
            files={"c.jsonl": '{"correct": "class", "graph": 0, "class": "1"}\n{"correct": "class", "class": "1"}\n'}),
    correct("correct-list-refused", ["--requests", "c.jsonl"], 1, ["c.jsonl:1", "9999"],
            files={"c.jsonl": '{"correct": "class", "graph": 9999, "class": "1"}\n'}),
    correct("correct-list-and-graph", ["--graph", "0", "--requests", "c.jsonl"], 2, ["--requests"]),
]


def expire(name, more, exit_code, names, **other):
    json = ["--json"] if exit_code == 1 else []
    return case(name, ["expire", *W, *more, *json], exit_code, names, **other)


DATES = [
    expire("until-words", ["--until", "tomorrow"], 2, ["--until", "tomorrow", "2027-03-01"]),
    expire("until-points", ["--until", "01.03.2027"], 2, ["--until", "01.03.2027", "2027-03-01"]),
    expire("until-no-such-day", ["--until", "2027-02-30"], 2, ["--until", "2027-02-30"]),
    expire("until-other-zone", ["--until", "2027-03-01T12:00:00+01:00"], 2, ["--until", "+01:00"]),
    expire("set-nothing", ["--set", "2027-03-01"], 2, ["--set", "--graph", "--subject"]),
    expire("set-two", ["--set", "2027-03-01", "--graph", "0", "--subject", "user-00001"], 2, ["--set", "--graph"]),
    expire("set-and-clear", ["--set", "2027-03-01", "--clear", "--graph", "0"], 2, ["--set", "--clear"]),
    expire("set-dry-run", ["--set", "2027-03-01", "--graph", "0", "--dry-run"], 2, ["--set"]),
    expire("graph-alone", ["--graph", "0"], 2, ["--graph", "--set", "--clear"]),
    expire("set-no-graph", ["--set", "2027-03-01", "--graph", "400"], 1, ["graph 400"]),
    expire("set-removed-graph", ["--set", "2027-03-01", "--graph", "3"], 1, ["graph 3"]),
    expire("set-nobody", ["--set", "2027-03-01", "--subject", "user-99999"], 1, ["user-99999"]),
    expire("clear-no-date", ["--clear", "--graph", "0"], 1, ["graph 0", "no due date"]),
    expire("receipt-exists", ["--receipt", "receipt.json"], 1, ["receipt.json"]),
    train("expires-words", ["--expires", "soon"], 2, ["--expires", "soon", "2027-03-01"]),
    train("keep-for-months", ["--keep-for", "3m"], 2, ["--keep-for", "3m", "90d"]),
    train("expires-twice", ["--expires", "2027-03-01", "--keep-for", "90d"], 2, ["--expires", "--keep-for"]),
    train("stream-share", ["--stream", "--train-share", "0.5"], 1, ["--stream", "--train-share"]),
    train("stream-public-share", ["--stream", "--public-share", "0.5"], 1, ["--stream", "--public-share"]),
    train("stream-everyone", ["--stream", "--protect", "everyone", "--per-subject", "1", "--ridge", "50"], 1,
          ["--stream", "everyone"]),
    train("stream-paper", ["--stream", "--preset", "paper"], 1, ["--stream", "paper"]),
    case("stream-folder", ["train", "--data", "tu", "--workspace", "new.unscatter", "--stream", "--json"], 1,
         ["--stream", "tu"], files={"tu/tu_A.txt": "1, 2\n2, 1\n", "tu/tu_graph_indicator.txt": "1\n1\n",
                                  "tu/tu_graph_labels.txt": "1\n"}),
    case("stream-broken", ["train", "--data", "data.jsonl", "--workspace", "new.unscatter", "--stream", "--json"], 1,
         ["data.jsonl", "line 2"], files={"data.jsonl": GRAPH + '{"label": \n'}),
    case("subject-unnamed", ["subject", *W], 2, ["id"]),
    case("subject-empty", ["subject", "", *W], 2, ["id"]),
    case("subject-no-workspace", ["subject", "user-00001", "--workspace", "none.unscatter", "--json"], 1,
         ["none.unscatter"]),
    case("subjects-limit", ["subjects", *W, "--limit", "-1"], 2, ["--limit", "-1"]),
    data("expires-form", '{"label": "a", "nodes": 1, "edges": [], "expires": "01.03.2027"}\n',
         ["data.jsonl", "line 1", "01.03.2027", "2027-03-01"]),
    data("node-expires-no-ids", '{"label": "a", "nodes": 1, "edges": [], "node_expires": ["2027-03-01"]}\n',
         ["data.jsonl", "line 1", "node_expires", "ids"]),
]

OUTSIDE = [
    rows("rows-and-data", ["--data", "groups.jsonl"], 2, ["--data", "--rows"]),
    case("rows-no-labels", ["train", "--rows", "z.npy", "--workspace", "new.unscatter"], 2, ["--rows", "--labels"],
         files={"z.npy": ROWS}),
    case("labels-no-rows", ["train", "--data", "groups.jsonl", "--labels", "y.txt", "--workspace", "new.unscatter"], 2,
         ["--labels", "--rows"], files={"y.txt": LABELS}),
    case("rows-missing", ["train", "--rows", "none.npy", "--labels", "y.txt", "--workspace", "new.unscatter", "--json"],
         1, ["none.npy"], files={"y.txt": LABELS}),
    rows("rows-text", [], 1, ["z.npy", "NumPy"], z=b"0.5,1\n0,1\n"),
    rows("rows-objects", [], 1, ["z.npy", "Python objects"], z=array("|O", (4, 2), [0] * 8, "<8d")),
    rows("rows-big-endian", [], 1, ["z.npy", ">f8"], z=array(">f8", (4, 2), [0] * 8, ">8d")),
    rows("rows-one-dimension", [], 1, ["z.npy", "dimensions 1"], z=array("<f8", (8,), [0] * 8, "<8d")),
    rows("rows-nan", [], 1, ["z.npy", "row 1", "column 0"],
         z=array("<f8", (4, 2), [0, 0, float("nan"), 0, 0, 0, 0, 0], "<8d")),
    rows("rows-cut", [], 1, ["z.npy", "64"], z=ROWS[:-8]),
    rows("rows-huge", [], 1, ["z.npy", "4611686018427387904"], z=array("<f8", (1 << 62, 2), [], "<")),
    rows("labels-too-few", [], 1, ["y.txt", "3", "4"], y="a\nb\na\n"),
    rows("labels-heading", [], 1, ["y.txt", "5", "4", "heading"], y="label\n" + LABELS),
    rows("labels-columns", [], 1, ["y.txt", "line 1", "a,1"], y="a,1\nb,2\na,3\nb,4\n"),
    rows("labels-fractions", [], 1, ["y.txt", "<f8"], y=array("<f8", (4,), [0, 1, 0, 1], "<4d")),
    rows("row-ids-twice", ["--row-ids", "ids.txt"], 1, ["x"], ids="x\ny\nx\nz\n"),
    rows("subjects-too-many", ["--subjects", "who.txt"], 1, ["who.txt"], who="1\n2\n3\n4\n5\n6\n"),
    rows("rows-scales", ["--scales", "3"], 1, ["--rows", "--scales"]),
    rows("rows-recipe", ["--embedding", "auto"], 1, ["--rows", "--embedding"]),
    rows("rows-scale-zero", ["--embedding", "rows:0"], 2, ["rows:0"]),
    rows("rows-stream", ["--stream"], 2, ["--stream", "--rows"]),
    rows("rows-paper", ["--preset", "paper"], 2, ["--preset", "--rows"]),
    rows("embedding-delta-alone", ["--embedding-delta", "1e-6"], 2, ["--embedding-delta", "--embedding-epsilon"]),
    rows("embedding-epsilon-negative", ["--embedding-epsilon", "-1"], 1, ["--embedding-epsilon", "-1"]),
    rows("embedding-delta-one", ["--embedding-epsilon", "1", "--embedding-delta", "1"], 1, ["--embedding-delta", "1"]),
    train("embedding-epsilon-graphs", ["--embedding-epsilon", "1"], 2, ["--embedding-epsilon", "--rows"]),
    train("rows-of-graphs", ["--embedding", "rows"], 1, ["attributes"]),
    case("predict-no-data", ["predict", *W], 2, ["--data", "--rows"]),
    case("predict-rows-of-graphs", ["predict", "--workspace", "labels.unscatter", "--rows", "z.npy", "--json"], 1,
         ["z.npy"], files={"z.npy": ROWS}),
    data("info-array", ROWS, ["z.npy", "--rows"], file="z.npy"),
]



def tune(name, more, exit_code, names, **other):
    json = ["--json"] if exit_code == 1 else []
    return case(name, ["tune", *more, *json], exit_code, names, **other)


OPEN = ["--public-data", "groups.jsonl"]
TUNING = [
    tune("tune-nothing-public", ["--data", "groups.jsonl"], 2, ["--public-data", "--public-share"]),
    tune("tune-public-twice", [*OPEN, "--public-share", "0.1"], 2, ["--public-data", "--public-share"]),
    tune("tune-share-of-nothing", ["--public-share", "0.1"], 2, ["--public-share", "--data"]),
    tune("tune-share-above-one", ["--data", "groups.jsonl", "--public-share", "2"], 1, ["--public-share", "2"]),
    tune("tune-train-share-alone", [*OPEN, "--train-share", "0.5"], 2, ["--train-share", "--public-share"]),
    tune("tune-missing", ["--public-data", "nowhere.jsonl"], 1, ["nowhere.jsonl"]),
    tune("tune-recipe", [*OPEN, "--recipes", "auto,size + shape"], 2, ["shape", "shapes"]),
    tune("tune-loss", [*OPEN, "--losses", "cubic"], 2, ["cubic"]),
    tune("tune-lambda-zero", [*OPEN, "--lambdas", "1e-3,0"], 1, ["--lambdas", "0"]),
    tune("tune-noise-negative", [*OPEN, "--noises", "-1"], 1, ["--noises", "-1"]),
    tune("tune-one-fold", [*OPEN, "--folds", "1"], 1, ["--folds", "1"]),
    tune("tune-many-folds", [*OPEN, "--folds", "21", "--recipes", "size"], 1, ["21", "20"]),
    tune("tune-folds-and-hold-out", [*OPEN, "--folds", "3", "--hold-out", "0.5"], 2, ["--folds", "--hold-out"]),
    tune("tune-hold-out-all", [*OPEN, "--hold-out", "1"], 1, ["--hold-out", "1"]),
    tune("tune-everyone-noise", [*OPEN, "--protect", "everyone", "--noises", "0.1"], 2, ["--noises", "everyone"]),
    tune("tune-everyone-squared", [*OPEN, "--protect", "everyone", "--losses", "squared"], 1, ["squared", "everyone"]),
    tune("tune-per-subject", [*OPEN, "--per-subject", "1"], 2, ["--per-subject", "everyone"]),
    tune("tune-epsilon", [*OPEN, "--epsilon", "2"], 2, ["--epsilon", "everyone"]),
    tune("tune-graphs", [*OPEN, "--graphs", "100"], 2, ["--graphs", "everyone"]),
    tune("tune-one-class", ["--public-data", "one.jsonl"], 1, ["two classes"], files={"one.jsonl": GRAPH * 6}),
]

SECTIONS = [("Commands", COMMANDS), ("Numbers", NUMBERS), ("Options", OPTIONS), ("Lists", LISTS), ("Files", FILES),
            ("Requests", REQUESTS), ("Data", DATA), ("Living", LIVING), ("Dates and subjects", DATES),
            ("Rows", OUTSIDE), ("Tuning", TUNING)]
