#!/usr/bin/env python3
"""Load on loopback, bounded: predictions with idle connections and beside removals, removals by 1, 16 and 64 clients,
memory over many requests.  Needs wrk.  Prints a table in Markdown; docs/service.md has one.

  tests/service/load.py --program PROGRAM [--seconds 10] [--requests 1000000]
"""

import argparse
import json
import re
import socket
import subprocess
import threading
import time
from pathlib import Path

from fixture import Workplace

LUA = """
wrk.method = "POST"
wrk.body = [==[%s]==]
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Authorization"] = "Bearer %s"
"""


def memory_kib(running):
    status = Path(f"/proc/{running.process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1])


def wrk(place, running, seconds, connections=64):
    done = subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s",
                           str(place.folder / "predict.lua"), f"http://127.0.0.1:{running.port}/v1/predict"],
                          capture_output=True, text=True, check=True, timeout=seconds + 60).stdout
    assert "Non-2xx" not in done, done
    return (float(re.search(r"Requests/sec:\s+([\d.]+)", done)[1]), re.search(r"99%\s+(\S+)", done)[1],
            int(re.search(r"(\d+) requests in", done)[1]))


def idle_connections(running, count):
    links = []
    for _ in range(count):
        link = socket.create_connection(("127.0.0.1", running.port))
        link.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        links.append(link)
    for link in links:
        assert link.recv(65536).startswith(b"HTTP/1.1")
    return links


class Removers:
    """Each asks for a removal and waits until it is done."""

    def __init__(self, running, names, clients, seconds):
        self.names, self.until = iter(names), time.monotonic() + seconds
        self.lock, self.done, self.longest = threading.Lock(), 0, 0.0
        self.threads = [threading.Thread(target=self.work, args=(running.client("submit"),)) for _ in range(clients)]

    def work(self, client):
        while time.monotonic() < self.until:
            with self.lock:
                name = next(self.names, None)
            if name is None:
                return
            began = time.monotonic()
            answer = client.call("POST", "/v1/requests", {"forget": "subject", "id": name},
                                 headers={"Prefer": "wait=30"})
            assert answer.json()["state"] == "done", answer.body[:200]
            with self.lock:
                self.done += 1
                self.longest = max(self.longest, time.monotonic() - began)

    def start(self):
        self.began = time.monotonic()
        for thread in self.threads:
            thread.start()
        return self

    def per_second(self):
        for thread in self.threads:
            thread.join()
        return self.done / (time.monotonic() - self.began)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--requests", type=int, default=1000000)
    arguments = parser.parse_args()
    place = Workplace(arguments.program, groups=1000, users=20000)
    try:
        measure(place, arguments)
    finally:
        place.close()


def measure(place, arguments):
    subjects = place.subjects()
    graph = json.loads(open(place.data, encoding="utf-8").readline())
    graph.pop("label", None)
    (place.folder / "predict.lua").write_text(LUA % (json.dumps({"graphs": [graph]}), place.tokens["predict"]))
    limits = ("--rate", 0, "--max-per-address", 3000)
    share = (len(subjects) - 600) // 3
    print("| what | figure |\n|---|---|")
    with place.serve(*limits) as running:
        operator = running.client()
        operator.call("POST", "/v1/releases", {})
        idle = idle_connections(running, 1000)
        rate, p99, _ = wrk(place, running, arguments.seconds)
        print(f"| predictions, 64 connections, 1,000 idle ones | {rate:,.0f} per second, p99 {p99} |")
        removers = Removers(running, subjects[:500], 4, arguments.seconds).start()
        beside, beside_p99, _ = wrk(place, running, arguments.seconds)
        removed = removers.per_second()
        print(f"| the same beside {removed:,.0f} removals per second | {beside:,.0f} per second, p99 {beside_p99} |")
        for link in idle:
            link.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert link.recv(65536).startswith(b"HTTP/1.1"), "an idle connection was lost"
            link.close()
        at = 500
        for clients in (1, 16, 64):
            before = operator.call("GET", "/v1/statistics").json()["process"]
            removers = Removers(running, subjects[at:at + share], clients, arguments.seconds).start()
            rate = removers.per_second()
            after = operator.call("GET", "/v1/statistics").json()["process"]
            together = (after["requests"] - before["requests"]) / max(1, after["updates"] - before["updates"])
            at += share
            print(f"| durable removals, {clients} clients | {rate:,.0f} per second, {together:.1f} per update |")
        first, total = memory_kib(running), 0
        while total < arguments.requests:
            total += wrk(place, running, 20)[2]
        print(f"| memory before and after {total:,} predictions | {first:,} KiB, {memory_kib(running):,} KiB |")
        assert running.end() == 0
    place.verify()
    print("| verify afterwards | passed |")


if __name__ == "__main__":
    main()
