#!/usr/bin/env python3
"""SIGKILL under load: nothing acknowledged is lost, nothing is done twice, and the workspace verifies.

  tests/service/kill_test.py --program PROGRAM [--kills N]

N is 5 by default, or $UNSCATTER_SERVICE_KILLS.  `--kills 300` is what docs/service.md reports.
"""

import argparse
import collections
import http.client
import json
import os
import random
import threading
import time

from fixture import Workplace


class Submitters:
    """Clients that send requests with keys, and send them again until they hear an answer."""

    def __init__(self, tokens, names):
        self.tokens = tokens
        self.names = collections.deque(names)
        self.acknowledged = {}  # name -> id
        self.lock = threading.Lock()
        self.port = None
        self.stopping = False
        self.problems = []

    def work(self, make_client):
        pending = None
        while not self.stopping:
            if pending is None:
                with self.lock:
                    if not self.names:
                        return
                    pending = self.names.popleft()
            try:
                answer = make_client().call("POST", "/v1/requests", {"forget": "subject", "id": pending},
                                            headers={"Idempotency-Key": "key-" + pending, "Connection": "close"})
            except (OSError, http.client.HTTPException):
                time.sleep(0.01)
                continue
            if answer.status == 409 or answer.status == 503:
                time.sleep(0.01)
                continue
            if answer.status != 202:
                self.problems.append(answer.body)
                return
            with self.lock:
                known = self.acknowledged.setdefault(pending, answer.json()["id"])
                if known != answer.json()["id"]:
                    self.problems.append("two ids for one key")
            # Sometimes once more: a key that was answered gives the same answer.
            if random.random() < 0.8:
                pending = None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--kills", type=int, default=int(os.environ.get("UNSCATTER_SERVICE_KILLS", "5")))
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    random.seed(arguments.seed)
    place = Workplace(arguments.program, groups=200, users=max(1000, 12 * arguments.kills))
    try:
        subjects = place.subjects()
        submitters = Submitters(place.tokens, subjects[: len(subjects) - 20])
        running = place.serve("--rate", 0)
        current = [running]
        threads = [threading.Thread(target=submitters.work, args=(lambda: current[0].client("submit", timeout=60),))
                   for _ in range(4)]
        for thread in threads:
            thread.start()
        for _ in range(arguments.kills):
            time.sleep(random.uniform(0.0, 0.4))
            current[0].kill()
            current[0] = place.serve("--rate", 0)
        # However slow the machine is, the last process has time for some.
        until = time.monotonic() + 60
        while len(submitters.acknowledged) <= arguments.kills and time.monotonic() < until:
            time.sleep(0.1)
        time.sleep(0.5)
        submitters.stopping = True
        for thread in threads:
            thread.join()
        assert not submitters.problems, submitters.problems[:3]
        acknowledged = dict(submitters.acknowledged)
        assert len(acknowledged) > arguments.kills / 2, f"only {len(acknowledged)} requests were acknowledged"
        check(place, current[0], acknowledged)
        print(f"{arguments.kills} kills, {len(acknowledged)} requests acknowledged: none lost, none done twice")
    finally:
        place.close()


def check(place, running, acknowledged):
    client = running.client()
    until = time.monotonic() + 120
    while client.call("GET", "/v1/status").json()["requests"]["open"] > 0:
        assert time.monotonic() < until, "requests stay open"
        time.sleep(0.1)
    places = collections.Counter()
    for name, number in acknowledged.items():
        request = client.call("GET", "/v1/requests/" + number)
        assert request.status == 200, f"a request that was acknowledged is lost: {number}"
        document = request.json()
        assert document["state"] == "done", document
        assert document["request"] is None
        places[(document["entry"], document["commitment_index"])] += 1
    assert max(places.values()) == 1, "two requests share one commitment"
    total = client.call("GET", "/v1/statistics").json()["states"]
    assert total["done"] >= len(acknowledged)
    assert running.end() == 0
    # Every commitment of the ledger belongs to exactly one request that is done: nothing was done twice.
    commitments = 0
    entries = json.loads(place.run("status", "--workspace", place.workspace, "--json").stdout)["entries"]
    for entry in range(entries):
        shown = json.loads(place.run("certificate", "--workspace", place.workspace, "--id", entry, "--json").stdout)
        commitments += len(shown["commitments"]) if shown["kind"] == "forgotten" else 0
    assert commitments == total["done"], (commitments, total)
    left = set(place.subjects())
    assert not left & set(acknowledged), "somebody who was acknowledged is still there"
    place.verify()


if __name__ == "__main__":
    main()
