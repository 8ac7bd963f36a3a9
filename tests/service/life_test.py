#!/usr/bin/env python3
"""The life of the process: start, tokens that come and go, events, webhooks, drain, names in logs and files.

  tests/service/life_test.py --program PROGRAM
"""

import argparse
import http.client
import http.server
import json
import signal
import socket
import ssl
import subprocess
import threading
import time

from fixture import Workplace


def check_exposure(place):
    for options in (("--listen", "0.0.0.0:0"), ("--tls-cert", "x"), ("--listen", "nonsense"),
                    ("--listen", "::0:80000"), ("--rate", "-1"), ("--max-connections", "0"),
                    ("--max-per-address", "0"), ("--drain", "18446744073709551615"),
                    ("--publish-every", "9223372036854775807")):
        done = place.run("serve", "--workspace", place.workspace, "--key", place.key, *options, check=False)
        assert done.returncode in (1, 2) and done.stderr.startswith("unscatter: "), (options, done)
        assert done.stderr.count("\n") == 1, done.stderr


def reload(running):
    """The service reads its tokens again, and says so in its log.  To try the token until it is right would count as
    guessing."""
    done = b"the token file was read again"
    before = running.log_path.read_bytes().count(done)
    running.process.send_signal(signal.SIGHUP)
    until = time.monotonic() + 60
    while running.log_path.read_bytes().count(done) == before:
        assert time.monotonic() < until, "SIGHUP was not heard"
        time.sleep(0.05)


def check_rotation(place, running):
    new = place.token("read")
    client = running.client(None)
    assert client.call("GET", "/v1/status", token=new).status == 401
    reload(running)
    assert client.call("GET", "/v1/status", token=new).status == 200
    assert client.call("GET", "/v1/status", token=place.tokens["read"]).status == 200, "the old one is valid too"
    path = place.folder / "w.unscatter.tokens"
    lines = [line for line in path.read_text().splitlines() if not line.startswith(new.split("_")[1])]
    path.write_text("\n".join(lines) + "\n")
    stream = listen(running, new)
    reload(running)
    assert client.call("GET", "/v1/status", token=new).status == 401, "a token that was taken away is void"
    assert new.split("_")[2] not in path.read_text()
    return stream


class Publishing:
    """A service that publishes by itself: at its start, and again when a removal has made the model out of date."""

    def __init__(self, program):
        self.place = Workplace(program)
        self.running = self.place.serve("--rate", 0, "--publish-every", 1)
        self.client = self.running.client()
        self.first = self.wait_for_model(lambda status: status["published"] == 1, 60)
        gone = self.client.call("POST", "/v1/requests", {"forget": "subject", "id": self.some_subject()},
                                headers={"Prefer": "wait=30"})
        assert gone.json()["state"] == "done", gone.body
        status = self.client.call("GET", "/v1/status").json()
        assert status["published"] == 1 and not status["model_is_current"], "not more often than every minute"

    def some_subject(self):
        return self.client.call("GET", "/v1/subjects?limit=1").json()["list"][0]["id"]

    def wait_for_model(self, is_there, patience):
        until = time.monotonic() + patience
        while not is_there(status := self.client.call("GET", "/v1/status").json()):
            assert time.monotonic() < until, f"no model was published by itself: {status['published']}"
            time.sleep(0.3)
        return time.monotonic()

    def check(self):
        """After a minute.  A model that is current is not published again."""
        second = self.wait_for_model(lambda status: status["published"] == 2 and status["model_is_current"], 150)
        assert second - self.first > 50, f"it was published again after {second - self.first:.0f} s"
        assert self.client.call("GET", "/v1/model").status == 200
        assert self.running.end() == 0
        self.place.close()


class Receiver(http.server.BaseHTTPRequestHandler):
    got = []
    failures = 1  # of the attempts to come

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        failing = Receiver.failures > 0
        Receiver.failures -= failing
        Receiver.got.append((dict(self.headers), body))
        self.send_response(500 if failing else 204)
        self.end_headers()

    def log_message(self, *_):
        pass


def check_webhook(running, subject):
    client = running.client()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    policy = client.call("GET", "/v1/policy").json()
    assert client.call("PUT", "/v1/policy", {**policy, "events": True}).status == 200
    url = f"http://127.0.0.1:{server.server_port}/hook"
    assert client.call("POST", "/v1/webhooks", {"url": url, "events": ["done"]}).status == 201
    assert client.call("POST", "/v1/webhooks", {"url": "http://127.0.0.1:9/down"}).status == 201  # nobody listens there
    began = time.monotonic()
    done = client.call("POST", "/v1/requests", {"forget": "subject", "id": subject}, headers={"Prefer": "wait=30"})
    assert done.json()["state"] == "done" and time.monotonic() - began < 25, "a receiver that is down holds nobody up"
    until = time.monotonic() + 90
    while len(Receiver.got) < 2 and time.monotonic() < until:
        time.sleep(0.2)
    assert len(Receiver.got) >= 2, "a delivery that failed is tried again"
    headers, body = Receiver.got[-1]
    event = json.loads(body)
    assert event["event"] == "done" and event["request"] == done.json()["id"]
    assert subject.encode() not in body
    check_signature(client, headers, body)
    return server, headers, body


def check_repeated(server, headers, body):
    """The other receiver is down, so the event is still there after a restart, and comes once more.  A receiver knows
    it by its number: body and number are the same, and only the time of sending and the signature differ."""
    until = time.monotonic() + 120
    while not Receiver.got:
        assert time.monotonic() < until, "an event that not everybody has is sent again after a restart"
        time.sleep(0.2)
    server.shutdown()
    server.server_close()
    again_headers, again_body = Receiver.got[0]
    assert again_headers["Unscatter-Event"] == headers["Unscatter-Event"] and again_body == body, (body, again_body)


def check_signature(client, headers, body):
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError:
        return
    key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(client.call("GET", "/v1/key").json()["public_key"]))
    message = f"unscatter webhook 1\n{headers['Unscatter-Timestamp']}\n{headers['Unscatter-Event']}\n".encode() + body
    key.verify(bytes.fromhex(headers["Unscatter-Signature"].removeprefix("ed25519=")), message)


def listen(running, token):
    link = socket.create_connection(("127.0.0.1", running.port), timeout=60)
    link.sendall(f"GET /v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
    received = b""
    while b": here" not in received:
        received += link.recv(65536)
    assert b"text/event-stream" in received
    return link


def check_end(stream):
    """A stream of a token that was taken away ends with its next sign of life, 15 seconds apart."""
    while stream.recv(65536):
        pass
    stream.close()


def check_events(running, subject):
    with listen(running, running.place.tokens["read"]) as link:
        received = b""
        running.client().call("POST", "/v1/requests", {"forget": "subject", "id": subject})
        while b'"state":"done"' not in received:
            piece = link.recv(65536)
            assert piece, received
            received += piece
    assert b"event: status" in received
    assert subject.encode() not in received


def check_drain(place, subjects):
    """SIGTERM while requests wait: what was accepted is done, and the exit code is 0."""
    openings = place.folder / "openings"
    running = place.serve("--rate", 0, "--openings", openings)
    batch = {"requests": [{"forget": "subject", "id": name} for name in subjects]}
    taken = running.client().call("POST", "/v1/request-batches", batch)
    assert taken.status == 202
    running.process.send_signal(signal.SIGTERM)
    assert running.process.wait(timeout=60) == 0
    opened = [json.loads(line) for line in openings.read_text().splitlines()]
    assert sorted(line["request"]["id"] for line in opened) == sorted(subjects), "a line per request"
    assert openings.stat().st_mode & 0o777 == 0o600
    again = place.serve("--rate", 0)
    receipt = again.client().call("GET", f"/v1/receipts/{opened[0]['entry']}").body.decode()
    answer = again.client().call("POST", "/v1/receipts/verify", {
        "receipt": receipt, "request": opened[0]["request"], "salt": opened[0]["salt"]}).json()
    assert answer["valid"] and answer["checks"][-1]["name"] == "request", answer
    for item in taken.json()["requests"]:
        assert again.client().call("GET", "/v1/requests/" + item["id"]).json()["state"] == "done"
    assert again.end() == 0


def check_tls(place):
    """TLS 1.3 and nothing older; cookies and a header say that it is TLS."""
    cert, key = place.folder / "cert.pem", place.folder / "key.pem"
    made = subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                           "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1",
                           "-keyout", key, "-out", cert], capture_output=True, check=False)
    assert made.returncode == 0, made.stderr
    wrong = place.run("serve", "--workspace", place.workspace, "--key", place.key, "--tls-cert", cert, "--tls-key",
                      cert, check=False)
    assert wrong.returncode == 1 and "key" in wrong.stderr, wrong
    with place.serve("--tls-cert", cert, "--tls-key", key) as running:
        trusted = ssl.create_default_context(cafile=cert)
        link = http.client.HTTPSConnection("127.0.0.1", running.port, context=trusted, timeout=10)
        link.request("POST", "/v1/session", json.dumps({"token": place.tokens["read"]}),
                     {"Content-Type": "application/json"})
        answer = link.getresponse()
        assert answer.status == 200 and link.sock.version() == "TLSv1.3"
        assert "Secure" in answer.headers["Set-Cookie"] and answer.headers["Strict-Transport-Security"]
        old = ssl.create_default_context(cafile=cert)
        old.maximum_version = ssl.TLSVersion.TLSv1_2
        try:
            old.wrap_socket(socket.create_connection(("127.0.0.1", running.port)), server_hostname="127.0.0.1")
            raise AssertionError("TLS 1.2 was accepted")
        except (ssl.SSLError, ConnectionError):
            pass
        with socket.create_connection(("127.0.0.1", running.port)) as plain:
            plain.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert not plain.recv(65536).startswith(b"HTTP/1.1 200"), "plain text was answered"
        assert running.end() == 0


def check_no_names(place, names, running):
    """Neither the log nor a file nor an answer names somebody who was forgotten."""
    client = running.client()
    with_names = ("groups.jsonl", "openings")
    texts = {path.name: path.read_bytes() for path in place.folder.iterdir() if path.name not in with_names}
    for path in ("/metrics", "/v1/requests?limit=200", "/v1/ledger?limit=200", "/v1/statistics", "/v1/status",
                 "/v1/subjects?limit=200", "/v1/webhooks"):
        texts[path] = client.call("GET", path).body
    planted = client.call("GET", "/v1/subjects?limit=1").json()["list"][0]["id"].encode()
    assert any(planted in text for text in texts.values()), "the scan would not find anybody"
    for place_name, text in texts.items():
        for name in names:
            assert name.encode() not in text, f"{name} is in {place_name}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    place = Workplace(parser.parse_args().program, groups=100, users=400)
    try:
        publishing = Publishing(place.program)
        check_exposure(place)
        subjects = place.subjects()
        with place.serve("--rate", 0) as running:
            other = place.run("serve", "--workspace", place.workspace, "--key", place.key, "--listen", "127.0.0.1:0",
                              "--wait", "0.2", check=False)
            assert other.returncode == 1, "a workspace has one service at a time"
            stream = check_rotation(place, running)
            check_events(running, subjects[0])
            event = check_webhook(running, subjects[1])
            check_end(stream)
            assert running.end() == 0
            # The receiver stays where it is: another program could get a port that is free for a while.
            Receiver.failures, Receiver.got = 0, []
        with place.serve("--rate", 0) as running:
            assert len(running.client().call("GET", "/v1/webhooks").json()["webhooks"]) == 2, "a restart keeps webhooks"
            check_repeated(*event)
            assert running.end() == 0
        check_drain(place, subjects[2:30])
        check_tls(place)
        with place.serve("--rate", 0) as running:
            check_no_names(place, subjects[:30], running)
            assert running.end() == 0
        place.verify()
        publishing.check()
        print("start, publishing, rotation, events, webhooks, drain and names: as they should be")
    finally:
        place.close()


if __name__ == "__main__":
    main()
