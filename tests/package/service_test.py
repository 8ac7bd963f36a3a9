"""service_test.py UNPACKED: what the unit relies on, shown by the program of the package without systemd.

* The settings that the package ships are accepted, and every key that they show is an option of `unscatter serve`.
* The service tells its manager READY=1 when a client can connect, and not before.
* On SIGTERM it ends by itself, with exit status 0.
"""

import os
import pathlib
import random
import re
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time

PATIENCE = 60  # seconds, of a machine that is busy

# A service that does what the unit relies on, and two that do not.  They show that this test can fail.
STAND_IN = """#!/usr/bin/env python3
import os, signal, socket, sys
address = sys.argv[sys.argv.index("--listen") + 1].rsplit(":", 1)
server = socket.create_server((address[0], int(address[1])))
# An exception out of a handler is lost where the signal comes while an object is being cleared.
told_to_end = []
signal.signal(signal.SIGTERM, lambda *_: told_to_end.append(True))
notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
notify.sendto({message}, os.environ["NOTIFY_SOCKET"])
# A signal that comes just before a call that blocks would wait for its end.
server.settimeout(0.1)
while not told_to_end:
    try:
        server.accept()
    except TimeoutError:
        pass
sys.exit({status})
"""


def exec_start(unpacked):
    """The words of the unit that follow the program, for an instance."""
    unit = (unpacked / "unscatter/usr/lib/systemd/system/unscatter@.service").read_text()
    return shlex.split(re.search(r"^ExecStart=/usr/bin/unscatter (.*)$", unit, re.MULTILINE).group(1))


def with_every_setting(text):
    return re.sub(r"^#([a-z-]+ = )", r"\1", text, flags=re.MULTILINE)


def faults_of_settings(program, conf, folder):
    for name, text in (("as it is", conf), ("with every key", with_every_setting(conf))):
        path = folder / "settings.conf"
        path.write_text(text)
        command = [program, "--config", path, "datasets", "list"]
        read = subprocess.run(command, capture_output=True, text=True, check=False)
        if read.returncode != 0:
            yield f"default.conf, {name}, is refused: {read.stderr}"


def free_address():
    """One that nobody gets before it is used: the system hands out ports from 32768 on by itself."""
    while True:
        address = ("127.0.0.1", random.SystemRandom().randrange(20000, 30000))
        try:
            socket.create_server(address).close()
            return "%s:%d" % address
        except OSError:
            pass


def told(receiver, process, patience):
    """What the service tells until it is ready, ends, or takes too long."""
    text, end = "", time.monotonic() + patience
    while "READY=1" not in text.split("\n") and time.monotonic() < end and process.poll() is None:
        try:
            text += receiver.recv(4096).decode() + "\n"
        except TimeoutError:
            pass
    return text


def faults_of_life(command, folder, patience=PATIENCE):
    address = free_address()
    path = str(folder / "notify")
    pathlib.Path(path).unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiver:
        receiver.bind(path)
        receiver.settimeout(0.1)
        environment = {**os.environ, "NOTIFY_SOCKET": path, "HOME": str(folder)}
        with subprocess.Popen([*command, "--listen", address], env=environment, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True) as process:
            try:
                if "READY=1" not in told(receiver, process, patience).split("\n"):
                    process.kill()
                    yield f"the service did not tell that it is ready: {process.communicate()[1]}"
                    return
                host, port = address.rsplit(":", 1)
                socket.create_connection((host, int(port)), timeout=PATIENCE).close()
                process.send_signal(signal.SIGTERM)
                if process.wait(PATIENCE) != 0:
                    yield f"after SIGTERM the service ended with {process.returncode}: {process.stderr.read()}"
            except (OSError, subprocess.TimeoutExpired) as wrong:
                yield f"the service does not answer, or does not end: {wrong}"
            finally:
                process.kill()


def stand_in(folder, message, status):
    path = folder / "stand_in"
    path.write_text(STAND_IN.format(message=message, status=status))
    path.chmod(0o755)
    return [sys.executable, str(path)]


def check_the_test(folder):
    refused = list(faults_of_life(stand_in(folder, b"READY=1", 0), folder))
    assert not refused, f"a good service is refused: {refused}"
    assert list(faults_of_life(stand_in(folder, b"READY=1", 3), folder)), "a wrong exit status was not noticed"
    late = stand_in(folder, b"STATUS=late", 0)
    assert list(faults_of_life(late, folder, patience=1)), "a service that is never ready was not noticed"
    refuse = folder / "refuse"
    refuse.write_text("#!/bin/sh\necho refused >&2\nexit 2\n")
    refuse.chmod(0o755)
    assert list(faults_of_settings(refuse, "[serve]\n", folder)), "refused settings were not noticed"


def main():
    unpacked = pathlib.Path(sys.argv[1])
    program = unpacked / "unscatter/usr/bin/unscatter"
    if not program.exists():
        print("service_test: skipped, because there are no packages")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        check_the_test(folder)
        if not re.search(r"^  serve ", subprocess.run([program, "--help"], capture_output=True, text=True,
                                                      check=True).stdout, re.MULTILINE):
            print("service_test: skipped, because this program has no command 'serve'")
            sys.exit(77)
        conf = (unpacked / "unscatter/etc/unscatter/default.conf").read_text()
        faults = list(faults_of_settings(program, conf, folder))
        (folder / "default.conf").write_text(conf)
        quiet = {"cwd": folder, "env": {**os.environ, "HOME": temporary}, "check": True, "stdout": subprocess.DEVNULL}
        subprocess.run([program, "datasets", "generate", "g.jsonl", "--groups", "40", "--quiet"], **quiet)
        subprocess.run([program, "train", "--data", "g.jsonl", "--workspace", "default.unscatter", "--quiet"], **quiet)
        words = [word.replace("%i", "default").replace("/etc/unscatter", temporary)
                 .replace("/var/lib/unscatter", temporary) for word in exec_start(unpacked)]
        faults += faults_of_life([str(program), *words], folder)
        print("\n".join(faults) or "the service is as the unit needs it")
        sys.exit(1 if faults else 0)


main()
