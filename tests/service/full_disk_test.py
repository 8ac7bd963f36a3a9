#!/usr/bin/env python3
"""A disk without room: nothing that was acknowledged is lost, nothing is done twice, predictions go on, and the service
goes on by itself when there is room again.

  tests/service/full_disk_test.py --program PROGRAM

First by a limit on the size of files, which everybody may set: also overwriting fails there, so that the service has to
be started again now and then, as systemd does it.  Then on a small file system of its own, where mounting is allowed.
"""

import argparse
import contextlib
import http.client
import json
import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path

from fixture import Workplace
from kill_test import check

KIB = 1024


class FileSizes:
    """No file of the process may have bytes behind a limit."""

    name = "a limit on files"

    def __init__(self, place):
        self.place = place

    def squeeze(self, running, room):
        resource.prlimit(running.process.pid, resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))

    def relieve(self, running):
        if running.process.poll() is None:
            resource.prlimit(running.process.pid, resource.RLIMIT_FSIZE,
                             (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


class SmallDisk:
    """Another file takes the room."""

    name = "a file system of its own"

    def __init__(self, place):
        self.filler = place.folder / "filler"

    def squeeze(self, _, room):
        room_now = os.statvfs(self.filler.parent)
        free = room_now.f_bavail * room_now.f_frsize
        with contextlib.suppress(OSError):  # the service may write meanwhile, and then less is left
            self.filler.write_bytes(b"\0" * max(0, free - room))

    def relieve(self, _):
        self.filler.unlink(missing_ok=True)


def ask(running, name, wait=0):
    """Status and document of a submission; None where there was no answer."""
    try:
        answer = running.client("submit", timeout=60).call(
            "POST", "/v1/requests", {"forget": "subject", "id": name},
            headers={"Idempotency-Key": "key-" + name, "Connection": "close", "Prefer": f"wait={wait}"})
    except (OSError, http.client.HTTPException):
        return None, None
    return answer.status, answer.json()


def is_ready(running):
    try:
        return running.client(None).call("GET", "/readyz").status == 200
    except (OSError, http.client.HTTPException):
        return False  # it ends


def wait_until_ready(place, running, patience=120):
    """As systemd does it: a service that says that it cannot write is started again."""
    until = time.monotonic() + patience
    restarts = 0
    while not is_ready(running):
        assert time.monotonic() < until, "the service does not notice that there is room again"
        time.sleep(0.2)
        if running.process.poll() is not None:
            assert running.process.returncode == 1, running.process.returncode
            running, restarts = place.serve("--rate", 0), restarts + 1
    return running, restarts


def check_disk(place, disk, rooms):
    graph = json.loads(open(place.data, encoding="utf-8").readline())
    graph.pop("label", None)
    subjects = iter(place.subjects())
    running = place.serve("--rate", 0)
    running.client().call("POST", "/v1/releases", {})
    acknowledged, refused, put_off, unready, restarts, predicted = {}, 0, 0, 0, 0, 0
    for room in rooms:
        name = next(subjects)
        disk.squeeze(running, room)
        for wait in (2, 0, 0):
            status, document = ask(running, name, wait)
            assert status in (202, 503, None), (room, status, document)
            if status == 202:
                assert acknowledged.setdefault(name, document["id"]) == document["id"], "two ids for one key"
            refused += status == 503
            put_off += wait > 0 and status == 202 and document["state"] == "queued"
        time.sleep(0.2)
        try:
            unready += running.client(None).call("GET", "/readyz").status == 503
            # The removals before have made the model of the file out of date; that of the memory goes on.
            predicted += running.client().call("POST", "/v1/predict", {"graphs": [graph]}).status == 200
            assert running.client(None).call("GET", "/healthz").status == 200
        except (OSError, http.client.HTTPException):
            pass  # it ends, and wait_until_ready() looks at how
        disk.relieve(running)
        time.sleep(1.5)  # it looks once a second whether it has to end
        running, again = wait_until_ready(place, running)
        restarts += again
        if again:
            running.client().call("POST", "/v1/releases", {})
        status, document = ask(running, name)
        if status is None:  # it has ended after all
            running, again = wait_until_ready(place, running)
            restarts += again
            status, document = ask(running, name)
        assert status == 202, (room, status, document)
        assert acknowledged.setdefault(name, document["id"]) == document["id"], "a key that was answered was lost"
    assert refused >= 3 and unready >= 1, (refused, unready)
    check(place, running, acknowledged)
    print(f"{disk.name}: {len(acknowledged)} requests, {refused} refusals, {put_off} put off, {restarts} restarts, "
          f"{predicted} predictions without room: none lost, none done twice", flush=True)
    return put_off, restarts, predicted


def on_small_disk(program):
    """False where nothing may be mounted."""
    with tempfile.TemporaryDirectory(prefix="unscatter-disk-") as folder:
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", folder], capture_output=True,
                                 check=False)
        if mounted.returncode != 0:
            return False
        try:
            place = Workplace(program, folder=folder)
            rooms = [0, 4 * KIB, 12 * KIB, 24 * KIB, 48 * KIB, 64 * KIB, 96 * KIB, 128 * KIB, 192 * KIB, 300 * KIB]
            put_off, restarts, predicted = check_disk(place, SmallDisk(place), rooms)
            assert put_off >= 1, "no update met a disk without room"
            assert predicted >= len(rooms) - restarts, "predictions need no room"
            place.close()
        finally:
            subprocess.run(["umount", "--lazy", folder], check=True)
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    arguments = parser.parse_args()
    place = Workplace(arguments.program)
    try:
        size = Path(place.workspace).stat().st_size
        rooms = [1, 4 * KIB, 16 * KIB, 40 * KIB, 64 * KIB, 100 * KIB, size // 2, size - 4 * KIB, size, size + 4 * KIB]
        restarts = check_disk(place, FileSizes(place), rooms)[1]
        assert restarts >= 1, "no write failed in the middle"
    finally:
        place.close()
    if not on_small_disk(arguments.program):
        print("a file system of its own: skipped, mounting is not allowed here")


if __name__ == "__main__":
    main()
