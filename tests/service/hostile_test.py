#!/usr/bin/env python3
"""Hostile input to the real server: one problem document each, no crash, and others are still served.

  tests/service/hostile_test.py --program PROGRAM
"""

import argparse
import json
import re
import socket
import threading
import time

from fixture import Workplace

HOST = b"Host: localhost\r\n"


def exchange(port, data, patience=60, half_close=False):
    """Sends bytes and returns what comes back until the server closes or says no more."""
    with socket.create_connection(("127.0.0.1", port), timeout=patience) as link:
        try:
            link.sendall(data)
            if half_close:
                link.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # the server may have answered and closed before it had read everything
        received = b""
        try:
            while True:
                piece = link.recv(65536)
                if not piece:
                    break
                received += piece
                if complete(received):
                    break
        except OSError:
            pass
        return received


def complete(received):
    head, found, body = received.partition(b"\r\n\r\n")
    if not found or head.startswith(b"HTTP/1.1 100"):
        return False
    length = re.search(rb"(?i)content-length: (\d+)", head)
    return length is not None and len(body) >= int(length[1])


def problem(received, status):
    head, _, body = received.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %d " % status), (status, received[:300])
    assert b"application/problem+json" in head, head
    document = json.loads(body)
    assert document["status"] == status and document["detail"], document
    return body


def cases(token):
    auth = b"Authorization: Bearer " + token.encode() + b"\r\n"
    kind = b"Content-Type: application/json\r\n"

    def post(path, body, headers=kind):
        return (b"POST " + path + b" HTTP/1.1\r\n" + HOST + auth + headers +
                b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def get(target, headers=b""):
        return b"GET " + target + b" HTTP/1.1\r\n" + HOST + auth + headers + b"\r\n"

    secret = b"SECRETNAME"
    yield "no HTTP", b"\x16\x03\x01\x02\x00\x01hello\r\n\r\n", 400
    yield "a header without end", b"GET / HTTP/1.1\r\n" + HOST + b"X: " + b"a" * 40000, 431
    yield "many headers", b"GET / HTTP/1.1\r\n" + HOST + b"X: y\r\n" * 5000 + b"\r\n", 431
    yield "a body that is said to be too large", post(b"/v1/requests", b"{}").replace(
        b"Content-Length: 2", b"Content-Length: 999999999"), 413
    yield "a negative length", b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: -1\r\n\r\n", 400
    yield "two lengths", b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n12", 400
    yield "length and chunks", (b"POST / HTTP/1.1\r\n" + HOST +
                                b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 400
    # Who takes another coding for a body, or for none, does not know where the next request begins.
    for coding in (b"identity", b"gzip, chunked", b"chunked, chunked", b"chunked, gzip", b"xchunked", b"chunked;q=1"):
        yield f"transfer coding {coding.decode()}", (
            b"POST /v1/requests HTTP/1.1\r\n" + HOST + auth + kind + b"Transfer-Encoding: " + coding +
            b"\r\n\r\n2\r\n{}\r\n0\r\n\r\n"), 400
    yield "chunks of HTTP/1.0", (b"POST /v1/requests HTTP/1.0\r\n" + HOST + auth + kind +
                                 b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"), 400
    yield "a broken chunk", (b"POST /v1/requests HTTP/1.1\r\n" + HOST + auth + kind +
                             b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"), 400
    yield "another expectation", b"GET / HTTP/1.1\r\n" + HOST + b"Expect: everything\r\n\r\n", 417
    yield "no host", b"GET /healthz HTTP/1.1\r\n\r\n", 400
    yield "two hosts", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", 400
    yield "a name of somebody else", b"GET /healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403
    yield "a foreign origin", get(b"/v1/status", b"Origin: https://evil.example\r\n"), 403
    yield "a method that there is not", get(b"/v1/status").replace(b"GET", b"BREW"), 405
    yield "a wrong method", get(b"/v1/status").replace(b"GET", b"PUT"), 405
    yield "options", get(b"/v1/status").replace(b"GET", b"OPTIONS"), 405
    for target in (b"/v1/../v1/status", b"/v1/%2e%2e/status", b"//v1/status", b"/v1//status", b"/v1/./status",
                   b"/v1/status%00", b"/v1/%zz", b"/v1/status?a=1&a=2", b"/v1/status?%", b"/v1/requests?limit=-1",
                   b"/v1/requests?limit=99999999999999999999", b"/v1/requests?" + secret + b"=1",
                   b"/v1/requests?cursor=" + secret, b"/v1/requests?state=" + secret):
        yield f"target {target.decode()}", get(target), 400
    for target in (b"/v1", b"/v1/nothing", b"/v1/requests/" + secret, b"/v1/ledger/-1", b"/v1/ledger/1e3",
                   b"/etc/passwd.txt", b"/..%2f..%2fetc/passwd.txt",
                   b"/nothing", b"/v2/status", b"/v1%2fstatus"):
        yield f"target {target.decode()}", get(target), 404
    yield "another form of target", get(b"http://localhost/v1/status"), 400
    yield "a body of another coding", post(b"/v1/requests", b"\x1f\x8b", kind + b"Content-Encoding: gzip\r\n"), 415
    yield "no type", post(b"/v1/requests", b"{}", b""), 415
    yield "another type", post(b"/v1/requests", b"{}", b"Content-Type: text/plain\r\n"), 415
    deep = b"[" * 100000
    for body, status in ((b"", 400), (b"{", 400), (b"nonsense " + secret, 400), (deep, 400), (b'{"a":' * 5000, 400),
                         (b'{"forget":"subject","forget":"graph"}', 400), (b'{"a":1}\x00', 400), (b"\xff\xfe", 400),
                         (b"[]", 422), (b"null", 422), (b'"' + secret + b'"', 422), (b"1e999", 400),
                         (b'{"forget":"' + secret + b'"}', 422), (b'{"forget":"subject"}', 422),
                         (b'{"forget":"subject","id":3}', 422), (b'{"forget":"subject","id":""}', 422),
                         (b'{"forget":"subject","id":"a","' + secret + b'":1}', 422),
                         (b'{"forget":"node","graph":-1,"node":0}', 422),
                         (b'{"forget":"node","graph":1.5,"node":0}', 422),
                         (b'{"forget":"node","graph":99999999999999999999,"node":0}', 422),
                         (b'{"forget":"subject","id":"' + secret * 10000 + b'"}', 422)):
        yield f"body {body[:40]!r}", post(b"/v1/requests", body), status
    many = json.dumps({"requests": [{"forget": "graph", "graph": 1}] * 1001}).encode()
    yield "too many requests", post(b"/v1/request-batches", many), 422
    yield "a graph that claims too much", post(b"/v1/predict", b'{"graphs":[{"nodes":999999999999}]}'), 422
    yield "no graph", post(b"/v1/predict", b'{"graphs":[[]]}'), 422
    yield "a key with spaces", post(b"/v1/requests", b'{"forget":"graph","graph":0}',
                                    kind + b"Idempotency-Key: a b\r\n"), 400
    yield "two keys", post(b"/v1/requests", b'{"forget":"graph","graph":0}',
                           kind + b"Idempotency-Key: a\r\nIdempotency-Key: b\r\n"), 400
    yield "half a token", get(b"/v1/status").replace(token.encode(), token[:-1].encode()), 401
    yield "another scheme", get(b"/v1/status").replace(b"Bearer", b"Basic"), 401
    yield "two authorisations", get(b"/v1/status", auth), 401


def check_slow(running):
    """Clients that send a byte now and then hold nobody up, and hear in the end that they were too slow."""
    slow = [socket.create_connection(("127.0.0.1", running.port)) for _ in range(50)]
    heard = [b""] * len(slow)
    closed = [False] * len(slow)
    for link in slow:
        link.sendall(b"POST /v1/requests HTTP/1.1\r\nHost: loc")
        link.setblocking(False)
    silent = socket.create_connection(("127.0.0.1", running.port))  # says nothing, so there is nothing to answer
    began = time.monotonic()
    for _ in range(20):
        assert running.client().call("GET", "/v1/status").status == 200
    assert time.monotonic() - began < 9, "slow clients hold others up"
    while time.monotonic() - began < 60 and not all(closed):  # the header has to be there within 10 seconds
        for i, link in enumerate(slow):
            try:
                piece = b"" if closed[i] else link.recv(65536)
                closed[i] = closed[i] or piece == b""
                heard[i] += piece
            except BlockingIOError:
                if not heard[i]:
                    link.send(b"a")
            except OSError:
                closed[i] = True
        time.sleep(0.5)
    assert time.monotonic() - began > 8, "they had less time than the documents say"
    assert all(closed), f"{sum(closed)} of {len(slow)} slow clients were cut off"
    for link, text in zip(slow, heard):
        problem(text, 408)
        link.close()
    silent.settimeout(0.1)
    try:
        assert silent.recv(1) == b"never"
    except TimeoutError:
        pass  # an idle connection stays longer
    silent.close()


def check_slow_body(running, token):
    """The same with a body that does not come, in the clear and after 100 Continue."""
    head = (b"POST /v1/requests HTTP/1.1\r\n" + HOST + b"Authorization: Bearer " + token.encode() +
            b"\r\nContent-Type: application/json\r\nContent-Length: 100\r\n")
    plain = socket.create_connection(("127.0.0.1", running.port), timeout=90)
    plain.sendall(head + b"\r\n{")
    expecting = socket.create_connection(("127.0.0.1", running.port), timeout=90)
    expecting.sendall(head + b"Expect: 100-continue\r\n\r\n")
    assert expecting.recv(65536).startswith(b"HTTP/1.1 100")
    for link in (plain, expecting):
        received = b""
        while piece := link.recv(65536):
            received += piece
        problem(received, 408)
        link.close()


def check_pipelined(running, token):
    one = b"GET /v1/status HTTP/1.1\r\n" + HOST + b"Authorization: Bearer " + token.encode() + b"\r\n\r\n"
    last = one.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    with socket.create_connection(("127.0.0.1", running.port), timeout=60) as link:
        link.sendall(one * 20 + last)
        received = b""
        while piece := link.recv(65536):
            received += piece
    assert received.count(b"HTTP/1.1 200 OK") == 21


def check_head(running, token):
    """HEAD has the header of GET and no body: the answer behind it begins where it has to."""
    def ask(method, target):
        return method + b" " + target + b" HTTP/1.1\r\n" + HOST + b"Authorization: Bearer " + token.encode() + b"\r\n"

    targets = (b"/healthz", b"/", b"/v1/openapi.json", b"/v1/status", b"/v1/events", b"/v1/nothing", b"/v1/preview")
    with socket.create_connection(("127.0.0.1", running.port), timeout=60) as link:
        link.sendall(b"".join(ask(b"HEAD", target) + b"\r\n" for target in targets) +
                     ask(b"GET", b"/healthz") + b"Connection: close\r\n\r\n")
        received = b""
        while piece := link.recv(65536):
            received += piece
    *heads, last = received.split(b"HTTP/1.1 ")[1:]
    assert [head[:3] for head in heads] == [b"200"] * 5 + [b"404", b"405"], received
    assert all(head.endswith(b"\r\n\r\n") and head.count(b"\r\n\r\n") == 1 for head in heads), received
    length = re.search(rb"Content-Length: (\d+)", heads[2])
    assert int(length[1]) == len(running.client(None).call("GET", "/v1/openapi.json").body), heads[2]
    assert last.startswith(b"200") and last.endswith(b'{"status":"ok"}'), last


def check_any_bytes(running):
    """An id is any bytes.  Those that are no UTF-8 once ended the process."""
    answer = running.client().call("GET", "/v1/subjects/%ff%fe")
    assert answer.status == 200 and answer.json()["subject"] == {"bytes": "fffe"}, answer.body


def check_continue(running, token):
    """100 Continue is for who asked, and knows it: a client of HTTP/1.0 would take it for the answer."""
    head = (HOST + b"Authorization: Bearer " + token.encode() + b"\r\nContent-Type: application/json\r\n"
            b"Expect: 100-continue\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}")
    assert exchange(running.port, b"POST /v1/requests HTTP/1.1\r\n" + head).startswith(b"HTTP/1.1 100 ")
    problem(exchange(running.port, b"POST /v1/requests HTTP/1.0\r\n" + head), 422)


def collect(failures, check, *words):
    """Runs a check on a thread of its own."""
    try:
        check(*words)
    except (AssertionError, OSError) as wrong:
        failures.append(wrong)


def check_guessing(running):
    """A wrong token is counted against the address, and soon nothing is even tried.  Others of this address have their
    own tokens, and are not locked out."""
    client = running.client(None)
    tokens, right = running.place.tokens, running.place.tokens["predict"]

    def guess(path, guesses):
        began = time.monotonic()
        answers = [client.call("GET", path, token=one) for one in guesses]
        statuses = [answer.status for answer in answers]
        assert statuses[0] == 401 and statuses[-1] == 429, statuses
        assert int(answers[-1].headers["Retry-After"]) >= 1
        assert statuses.count(401) <= 12 + (time.monotonic() - began) / 5, statuses

    guess("/v1/status", [f"unscatter_{i:016x}_{'0' * 64}" for i in range(40)])
    assert client.call("GET", "/v1/status", token=tokens["read"]).status == 200
    assert client.call("GET", "/v1/model", token=right).status == 200
    # The id of a token is in the log.  Its secret is not guessed more often either.
    guess("/v1/model", [right[:-8] + f"{i:08x}" for i in range(40)])
    assert client.call("GET", "/v1/model", token=right).status == 429
    assert client.call("GET", "/v1/status", token=tokens["read"]).status == 200


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    place = Workplace(parser.parse_args().program)
    try:
        with place.serve("--rate", 0) as running:
            token = place.tokens["all"]
            running.client().call("POST", "/v1/releases", {})
            count, failures = 0, []
            for name, data, status in cases(token):
                try:
                    body = problem(exchange(running.port, data), status)
                except AssertionError as wrong:
                    raise AssertionError(f"{name}: {wrong}") from wrong
                assert b"SECRET" not in body, (name, body)
                count += 1
            for cut in (10, 60, 200):  # truncated: the client goes away in the middle
                exchange(running.port, next(cases(token))[1][:cut], half_close=True)
            check_pipelined(running, token)
            check_head(running, token)
            check_any_bytes(running)
            check_continue(running, token)
            body = threading.Thread(target=collect, args=(failures, check_slow_body, running, token))
            body.start()
            check_slow(running)
            body.join()
            assert not failures, failures
            assert running.client().call("GET", "/healthz").status == 200
            check_guessing(running)
            assert running.process.poll() is None
            assert running.end() == 0
        assert b"SECRET" not in running.log_path.read_bytes(), "the log repeats what clients sent"
        place.verify()
        print(f"{count} hostile requests got one problem document each")
    finally:
        place.close()


if __name__ == "__main__":
    main()
