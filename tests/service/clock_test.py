#!/usr/bin/env python3
"""The clock of the machine jumps under a running service: forty days ahead, and back behind its start.

  tests/service/clock_test.py --program PROGRAM

Needs libfaketime (Debian: libfaketime); without it the test is skipped (exit code 77).
"""

import argparse
import glob
import http.server
import json
import sys
import threading
import time
from datetime import datetime, timezone

from fixture import Workplace

DAY = 86400


class Clock:
    """The time that the service sees, by an offset to the true one."""

    def __init__(self, place, library):
        self.file = place.folder / "clock"
        self.set(0)
        # The clock for durations goes on as it does on a real machine.
        place.environment = {"LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": str(self.file), "FAKETIME_NO_CACHE": "1",
                             "FAKETIME_DONT_FAKE_MONOTONIC": "1"}

    def set(self, days):
        self.days = days
        fresh = self.file.with_suffix(".new")
        fresh.write_text(f"{days * DAY:+d}\n")
        fresh.rename(self.file)

    def is_near(self, text, days):
        """Is this time so many days from what the service should believe?"""
        at = datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc).timestamp()
        return abs(at - (time.time() + (self.days + days) * DAY)) < 300


class Receiver(http.server.BaseHTTPRequestHandler):
    accepts = False
    got = []

    def do_POST(self):
        event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.accepts:
            self.got.append((event["request"], event["event"]))
        self.send_response(204 if self.accepts else 503)
        self.end_headers()

    def log_message(self, *_):
        pass


def submit(client, name, key=None):
    answer = client.call("POST", "/v1/requests", {"forget": "subject", "id": name},
                         headers={"Idempotency-Key": key} if key else None)
    assert answer.status == 202, answer.body
    return answer


def look(client, request):
    return client.call("GET", "/v1/requests/" + request["id"]).json()


def honour(client, request):
    assert client.call("POST", f"/v1/requests/{request['id']}/verify", {}).status == 200
    until = time.monotonic() + 60
    while (now := look(client, request))["state"] != "done":
        assert time.monotonic() < until, now
        time.sleep(0.1)
    return now


def sign_in(client, place):
    answer = client.call("POST", "/v1/session", {"token": place.tokens["read"]}, token=None)
    assert answer.status == 200
    return {"Cookie": answer.headers["Set-Cookie"].split(";")[0]}


def in_session(client, cookie):
    return client.call("GET", "/v1/status", token=None, headers=cookie).status


def check_jumps(place, clock, subjects):
    running = place.serve("--rate", 0)
    client = running.client()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    policy = client.call("GET", "/v1/policy").json()
    assert client.call("PUT", "/v1/policy", {**policy, "verify": True, "events": True}).status == 200
    url = f"http://127.0.0.1:{server.server_port}/hook"
    assert client.call("POST", "/v1/webhooks", {"url": url, "events": ["done"]}).status == 201

    first = submit(client, subjects[0]).json()
    assert clock.is_near(first["due"], 30) and not first["overdue"]
    cookie = sign_in(client, place)
    assert in_session(client, cookie) == 200

    clock.set(40)  # ahead
    late = look(client, first)
    assert late["overdue"] and late["due"] == first["due"], "a due date that was given stays"
    assert client.call("GET", "/v1/status").json()["requests"]["overdue"] == 1
    assert in_session(client, cookie) == 401, "a session does not outlive the jump"
    ahead = submit(client, subjects[1], "ticket-1").json()
    assert clock.is_near(ahead["due"], 30)
    honour(client, ahead)
    time.sleep(1)  # a delivery fails, and is put off to a time forty days ahead
    later_cookie = sign_in(client, place)

    clock.set(-1)  # back, before the service began
    assert in_session(client, later_cookie) == 401, "a session of a time to come is void"
    done = honour(client, first)
    assert done["state"] == "done" and done["finished"] < ahead["received"]
    behind = submit(client, subjects[2]).json()
    assert clock.is_near(behind["due"], 30)
    honour(client, behind)
    again = submit(client, subjects[1], "ticket-1")
    assert again.headers["Idempotency-Replayed"] == "true" and again.json()["id"] == ahead["id"]
    Receiver.accepts = True
    until = time.monotonic() + 120
    expected = {(request["id"], "done") for request in (first, ahead, behind)}
    while not expected <= set(Receiver.got):
        assert time.monotonic() < until, f"events wait for a time that may never come: {Receiver.got}"
        time.sleep(0.3)
    statistics = client.call("GET", "/v1/statistics").json()
    assert statistics["states"]["done"] == 3
    running.kill()

    running = place.serve("--rate", 0)
    client = running.client()
    for request in (first, ahead, behind):
        assert look(client, request)["state"] == "done"
    last = honour(client, submit(client, subjects[3]).json())
    assert last["state"] == "done"
    assert running.end() == 0
    server.shutdown()
    place.verify()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    arguments = parser.parse_args()
    libraries = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")
    if not libraries:
        print("skipped: libfaketime is not installed")
        sys.exit(77)
    place = Workplace(arguments.program)
    try:
        check_jumps(place, Clock(place, libraries[0]), place.subjects())
        print("the clock went 40 days ahead and 41 days back: requests, keys, sessions, events and the file are sound")
    finally:
        place.close()


if __name__ == "__main__":
    main()
