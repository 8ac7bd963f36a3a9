"""What the tests share: small data, a key of their own, the command-line program."""
import json
import os
import subprocess

import pytest
from hypothesis import settings

import unscatter

# Every example is drawn from a fixed seed, so that a failure is seen again.
settings.register_profile("tests", deadline=None, derandomize=True, max_examples=60, database=None)
settings.load_profile("tests")


@pytest.fixture(autouse=True)
def own_key(tmp_path, monkeypatch):
    """No test touches the key of whoever runs it."""
    monkeypatch.setenv("UNSCATTER_KEY", str(tmp_path / "signing.key"))


@pytest.fixture(scope="session")
def groups():
    return unscatter.interest_groups(groups=120, users=300, seed=3)


@pytest.fixture()
def groups_file(groups, tmp_path):
    path = tmp_path / "groups.jsonl"
    groups.save(path)
    return path


@pytest.fixture(scope="session")
def program():
    """Runs the program and gives what it says as JSON."""
    path = os.environ.get("UNSCATTER_PROGRAM")
    if path is None or not os.path.exists(path):
        pytest.skip("UNSCATTER_PROGRAM names no program")

    def run(*arguments):
        done = subprocess.run([path, *map(str, arguments), "--json"], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run
