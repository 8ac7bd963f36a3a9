#!/usr/bin/env python3
"""Load on loopback, bounded: predictions with idle connections and beside removals, removals by 1, 16 and 64 clients,
memory over many requests.  All clients are wrk's, because a client in Python would be measured instead.  Prints tables
in Markdown; docs/service.md has one.

  tests/service/load.py --program PROGRAM [--only predictions,removals,memory] [--seconds 10] [--requests 1000000]

It fails if something is answered wrongly, if 64 clients do not reach ten times the durable removals of one, or if
memory grows.
"""

import argparse
import json
import re
import socket
import subprocess
import time
from pathlib import Path

from fixture import Workplace

PARTS = ("predictions", "removals", "memory")

# One request after the other on each connection; which one is next is common to all.
LUA_REMOVALS = """
local names, at = {}, 0
local headers = {["Content-Type"] = "application/json", ["Prefer"] = "wait=30"}
function init(args)
  headers["Authorization"] = "Bearer " .. args[2]
  for line in io.lines(args[1]) do names[#names + 1] = line end
end
function request()
  if at < #names then at = at + 1 else wrk.thread:stop() end
  return wrk.format("POST", "/v1/requests", headers, '{"forget":"subject","id":"' .. names[at] .. '"}')
end
"""
# Of ten requests eight are predictions, one is the status and one a list.
LUA_MIX = """
local at, post, get = 0, {["Content-Type"] = "application/json"}, {}
local body
function init(args)
  post["Authorization"] = "Bearer " .. args[2]
  get["Authorization"] = "Bearer " .. args[2]
  local file = io.open(args[1])
  body = file:read("*a")
  file:close()
end
function request()
  at = (at + 1) % 10
  if at == 0 and MIXED then return wrk.format("GET", "/v1/status", get) end
  if at == 5 and MIXED then return wrk.format("GET", "/v1/requests?limit=10", get) end
  return wrk.format("POST", "/v1/predict", post, body)
end
"""


def memory_kib(running):
    status = Path(f"/proc/{running.process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1])


def processor_seconds(running):
    fields = Path(f"/proc/{running.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


class Wrk:
    """A run of wrk.  `text` is the script, `words` what its init() gets."""

    def __init__(self, place, running, text, words, connections, seconds):
        script = place.folder / f"wrk-{len(list(place.folder.glob('wrk-*')))}.lua"
        script.write_text(text)
        self.process = subprocess.Popen(
            ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "60s", "--latency", "-s", str(script),
             f"http://127.0.0.1:{running.port}", "--", *map(str, words)], stdout=subprocess.PIPE, text=True)

    def end(self):
        said = self.process.communicate()[0]
        assert self.process.returncode == 0 and "Non-2xx" not in said and "Socket errors" not in said, said
        self.per_second = float(re.search(r"Requests/sec:\s+([\d.]+)", said)[1])
        self.p99 = re.search(r"99%\s+(\S+)", said)[1]
        self.requests = int(re.search(r"(\d+) requests in", said)[1])
        return self


class Load:
    def __init__(self, place, running, subjects, seconds):
        self.place, self.running, self.seconds = place, running, seconds
        self.operator = running.client()
        self.subjects = subjects  # that are left
        graph = json.loads(open(place.data, encoding="utf-8").readline())
        graph.pop("label", None)
        self.body = place.folder / "predict.json"
        self.body.write_text(json.dumps({"graphs": [graph]}))

    def predict(self, seconds, mixed=False):
        text = LUA_MIX.replace("MIXED", "true" if mixed else "false")
        return Wrk(self.place, self.running, text, (self.body, self.place.tokens["all"]), 64, seconds)

    def remove(self, clients, seconds):
        names = self.place.folder / f"names-{clients}"
        names.write_text("".join(f"{name}\n" for name in self.subjects))
        return Wrk(self.place, self.running, LUA_REMOVALS, (names, self.place.tokens["submit"]), clients, seconds)

    def used(self, wrk, clients):
        # wrk has sent one more on each connection, and may have begun another one.
        self.subjects = self.subjects[wrk.requests + 2 * clients:]
        assert self.subjects, "all subjects are removed: measure for fewer seconds"

    def done(self):
        """How many requests are done by how many updates, once none is open."""
        while self.operator.call("GET", "/v1/status").json()["requests"]["open"] > 0:
            time.sleep(0.05)
        answer = self.operator.call("GET", "/v1/statistics").json()
        return answer["states"]["done"], answer["process"]["updates"]


def idle_connections(running, count):
    links = []
    for _ in range(count):
        link = socket.create_connection(("127.0.0.1", running.port))
        link.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        links.append(link)
    for link in links:
        assert link.recv(65536).startswith(b"HTTP/1.1")
    return links


def predictions(load):
    idle = idle_connections(load.running, 1000)
    alone = load.predict(load.seconds).end()
    print(f"| predictions, 64 connections, 1,000 idle ones | {alone.per_second:,.0f} per second, p99 {alone.p99} |")
    removing = load.remove(4, load.seconds)
    beside = load.predict(load.seconds).end()
    removed = removing.end().per_second
    load.used(removing, 4)
    print(f"| the same beside {removed:,.0f} removals per second | {beside.per_second:,.0f} per second, "
          f"p99 {beside.p99} |")
    for link in idle:
        link.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert link.recv(65536).startswith(b"HTTP/1.1"), "an idle connection was lost"
        link.close()


def removals(load):
    """Twice in turn, so that an hour in which the machine becomes slower shows."""
    rates = {1: [], 16: [], 64: []}
    for _ in range(2):
        for clients in rates:
            before, cost = load.done(), processor_seconds(load.running)
            # More clients take more subjects in the same time.
            wrk = load.remove(clients, max(1, load.seconds * 8 // (8 + clients))).end()
            load.used(wrk, clients)
            cost, after = processor_seconds(load.running) - cost, load.done()
            done, updates = after[0] - before[0], after[1] - before[1]
            # A request that wrk did not wait for is done all the same.
            assert wrk.requests <= done <= wrk.requests + clients, (wrk.requests, done)
            rates[clients].append(wrk.per_second)
            who = "1 client" if clients == 1 else f"{clients} clients"
            print(f"| durable removals, {who} | {wrk.per_second:,.0f} per second, {done / updates:.1f} per "
                  f"update, p99 {wrk.p99}, {1000 * cost / done:.2f} ms of processor each |")
    times = sum(rates[64]) / sum(rates[1])
    print(f"| 64 clients against one | {times:.1f} times |")
    assert times >= 10, "group commit does not reach ten times the rate of one client"


def memory(load, requests):
    total, first = 0, None
    start = memory_kib(load.running)
    while total < requests:
        total += load.predict(20, mixed=True).end().requests
        # What the first requests need once is not growth.
        if first is None and total >= requests / 10:
            first, first_total = memory_kib(load.running), total
    last = memory_kib(load.running)
    print(f"| memory before, after {first_total:,} and after {total:,} requests | {start:,} KiB, {first:,} KiB, "
          f"{last:,} KiB |")
    assert last <= first + max(1024, first // 50), "memory grows"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--requests", type=int, default=1000000)
    arguments = parser.parse_args()
    chosen = arguments.only.split(",")
    if not set(chosen) <= set(PARTS):
        parser.error("--only takes " + ", ".join(PARTS))
    place = Workplace(arguments.program, groups=2000, users=200000)
    try:
        subjects = place.subjects()
        with place.serve("--rate", 0, "--max-per-address", 3000) as running:
            running.client().call("POST", "/v1/releases", {})
            load = Load(place, running, subjects, arguments.seconds)
            print("| what | figure |\n|---|---|", flush=True)
            if "predictions" in chosen:
                predictions(load)
            if "removals" in chosen:
                removals(load)
            if "memory" in chosen:
                memory(load, arguments.requests)
            assert running.end() == 0
        place.verify()
        print("| verify afterwards | passed |")
    finally:
        place.close()


if __name__ == "__main__":
    main()
