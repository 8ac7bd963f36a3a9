#!/usr/bin/env python3
"""Job files can be read, and what they call is what the program has: job_files_test.py --program P --folder F."""
import argparse
import pathlib
import re
import subprocess
import sys


def options_of(program, command):
    def help_of(*words):
        return subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True).stdout
    if not re.search(rf"^  {command} ", help_of(), re.M):
        sys.exit(f"the program has no command {command}")
    return set(re.findall(r"--[a-z][a-z-]*", help_of(command)))


def check_words(program, words, where):
    known = options_of(program, words[0])
    for word in words[1:]:
        if word.startswith("--") and word not in known:
            sys.exit(f"{where}: {words[0]} has no option {word}")


def check_script(program, path):
    done = subprocess.run(["bash", "-n", path], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{path}: {done.stderr}")
    text = path.read_text()
    if not re.search(r"^#SBATCH --nodes=\d+$", text, re.M):
        sys.exit(f"{path}: it does not say how many machines it wants")
    calls = re.findall(r"^ranks ([a-z].*)$", text, re.M)
    if not calls:
        sys.exit(f"{path}: it calls nothing")
    for call in calls:
        check_words(program, call.split(), path)


def check_yaml(program, path, yaml):
    for job in yaml.safe_load_all(path.read_text()):
        if job["apiVersion"] != "kubeflow.org/v2beta1" or job["kind"] != "MPIJob":
            sys.exit(f"{path}: this is no job of the MPI operator")
        replicas = job["spec"]["mpiReplicaSpecs"]
        words = replicas["Launcher"]["template"]["spec"]["containers"][0]["command"]
        workers = replicas["Worker"]["replicas"] * job["spec"]["slotsPerWorker"]
        if words[words.index("-np") + 1] != str(workers):
            sys.exit(f"{path}: mpirun starts another number of ranks than there are workers")
        check_words(program, words[words.index("unscatter") + 1:], path)


def must_fail(what, call):
    try:
        call()
    except SystemExit:
        return
    sys.exit(f"a planted fault was not found: {what}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--folder", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    try:
        import yaml
    except ImportError:
        print("python3-yaml is not installed")
        return 77
    scripts = sorted(arguments.folder.glob("*.sbatch"))
    jobs = sorted(arguments.folder.glob("*.yaml"))
    if not scripts or not jobs:
        sys.exit("there are no job files")
    for path in scripts:
        check_script(arguments.program, path)
    for path in jobs:
        check_yaml(arguments.program, path, yaml)
    must_fail("an unknown option", lambda: check_words(arguments.program, ["train", "--no-such-option"], "here"))
    must_fail("an unknown command", lambda: check_words(arguments.program, ["no-such-command"], "here"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
