"""The Python side of test_same_bytes.py: the steps of in_cpp.cc, by the package.

    in_python.py STEP SETTING FOLDER
"""
import json
import pathlib
import sys

import unscatter

SETTINGS = {"default": {}, "recipe": {"embedder": "auto"},
            "objective": {"mechanism": "objective", "alpha": 0.05, "bias": True}}


def write_certificate(found, path):
    path.write_text(json.dumps({
        "satisfied": found.satisfied, "binding": found.bound, "rung": found.rung, "newton_steps": found.newton_steps,
        "graphs": found.graphs, "residual_upper_bound": found.residual_upper_bound,
        "distance_upper_bound": found.distance_upper_bound, "shift_upper_bound": found.shift_upper_bound,
        "promise": json.loads(found.promise.text())}))


def create(setting, folder):
    with unscatter.Workspace.create(folder / "workspace", folder / "groups.jsonl", key=folder / "signing.key",
                                    **SETTINGS[setting]) as workspace:
        write_certificate(workspace.certificate, folder / "create.json")


def hand_out_to(folder):
    def hand_out(update):
        with open(folder / "openings", "a", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in update.openings)
    return hand_out


def forget_list(workspace, folder):
    workspace.forget_list(unscatter.read_requests(folder / "list.jsonl"), batch=2, hand_out=hand_out_to(folder))


def forget_one(workspace, folder):
    update = workspace.forget(graph=9, node=0, hand_out=hand_out_to(folder))
    (folder / "receipt").write_text(update.receipt)
    write_certificate(update.certificate, folder / "one.json")


def release(workspace, folder):
    (folder / "model").write_text(workspace.release())


def look(workspace, folder):
    (folder / "weights").write_bytes(workspace.kept_weights().tobytes())
    (folder / "digests").write_text(f"{workspace.replay_digest()}\n{workspace.state_digest()}\n")
    write_certificate(workspace.certificate, folder / "look.json")


def main():
    step, setting, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    if step == "create":
        create(setting, folder)
        return
    if step == "look":
        embedder = unscatter.Embedder(SETTINGS[setting].get("embedder"))
        (folder / "embeddings").write_bytes(embedder.fit_transform(unscatter.load(folder / "groups.jsonl")).tobytes())
    steps = {"list": forget_list, "one": forget_one, "release": release, "look": look}
    with unscatter.Workspace.open(folder / "workspace", key=folder / "signing.key") as workspace:
        steps[step](workspace, folder)


if __name__ == "__main__":
    main()
