"""A real server on a free port of loopback, and a small client for it."""

import http.client
import json
import os
import re
import signal
import subprocess
import tempfile
import time
import urllib.parse
from pathlib import Path

SCOPES = ("submit", "operate", "read", "predict")


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body)


class Client:
    """One connection that is kept, opened again when the server has closed it."""

    def __init__(self, port, token=None, timeout=60):
        self.port, self.token, self.timeout = port, token, timeout
        self.connection = None

    def call(self, method, path, body=None, token="", headers=None):
        headers = dict(headers or {})
        token = self.token if token == "" else token
        if token:
            headers["Authorization"] = f"Bearer {token}"
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
        if body is not None:
            headers.setdefault("Content-Type", "application/json")
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.timeout)
        try:
            self.connection.request(method, path, body, headers)
            response = self.connection.getresponse()
            answer = Answer(response.status, response.headers, response.read())
        except (OSError, http.client.HTTPException):
            self.close()
            raise
        if response.will_close:
            self.close()
        return answer

    def close(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None


class Workplace:
    """A workspace with its key and tokens in a folder of its own."""

    def __init__(self, program, groups=60, users=200, folder=None):
        self.program = program
        self.environment = {}  # of services, beside that of this process
        self.keeper = tempfile.TemporaryDirectory(prefix="unscatter-service-", dir=folder)
        self.folder = Path(self.keeper.name)
        self.workspace = self.folder / "w.unscatter"
        self.key = self.folder / "signing.key"
        self.data = self.folder / "groups.jsonl"
        self.run("datasets", "generate", self.data, "--groups", groups, "--users", users)
        self.run("key", "--key", self.key)
        self.run("train", "--data", self.data, "--workspace", self.workspace, "--key", self.key)
        self.tokens = {scope: self.token(scope) for scope in SCOPES}
        self.tokens["all"] = self.token(",".join(SCOPES))

    def run(self, *words, check=True):
        done = subprocess.run([self.program, *map(str, words)], capture_output=True, text=True, check=False)
        if check and done.returncode != 0:
            raise AssertionError(f"{words}: {done.stderr}")
        return done

    def token(self, scopes):
        return self.run("token", "--workspace", self.workspace, "--scopes", scopes).stdout.strip()

    def verify(self):
        done = self.run("verify", "--workspace", self.workspace, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    def subjects(self):
        listed = self.run("subjects", "--workspace", self.workspace, "--limit", 0, "--json")
        return [entry["id"] for entry in json.loads(listed.stdout)["list"]]

    def serve(self, *options):
        return Running(self, options)

    def close(self):
        self.keeper.cleanup()


class Running:
    """The process, from its first line to its end."""

    def __init__(self, place, options):
        self.place = place
        self.log_path = place.folder / "log"
        self.log = open(self.log_path, "ab")
        before = self.log_path.stat().st_size
        words = [place.program, "serve", "--workspace", place.workspace, "--key", place.key, "--listen", "127.0.0.1:0"]
        self.process = subprocess.Popen([*map(str, words), *map(str, options)], stdout=subprocess.DEVNULL,
                                        stderr=self.log, env={**os.environ, **place.environment})
        self.port = self.wait_for_port(before)

    def wait_for_port(self, before):
        until = time.monotonic() + 60
        while time.monotonic() < until:
            with open(self.log_path, "rb") as log:
                log.seek(before)
                found = re.search(rb"at https?://[^:]+:(\d+)", log.read())
            if found:
                return int(found[1])
            if self.process.poll() is not None:
                break
            time.sleep(0.01)
        raise AssertionError("the server did not start: " + self.log_path.read_text()[-2000:])

    def client(self, scope="all", **options):
        return Client(self.port, self.place.tokens[scope] if scope else None, **options)

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.log.close()

    def end(self):
        """SIGTERM; returns the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=60)
        self.log.close()
        return code

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.kill()


def subject_path(subject):
    return "/v1/subjects/" + urllib.parse.quote(subject, safe="")
