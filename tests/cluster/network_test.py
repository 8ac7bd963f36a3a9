#!/usr/bin/env python3
"""Three ranks on three machines with a bad network: packets come late, are lost, or stop for one machine.

  network_test.py --program P --mpirun M --plugin L [--times N] [--seed S] [--only WHAT...] [--without-fault]

The machines are network namespaces that this test makes.  Each has one TUN device, and a thread of this test carries
the packets between them.  So the ranks talk by the TCP of the kernel, with its retransmissions, and the test needs no
netem.  Nothing outside of the namespaces is reached, and all of it ends with the test, however the test ends.

Late and lost packets: the job ends well, and the workspace is that of one process.  A machine that is cut off: the
job ends with a sentence that names the rank, no process is left, nothing that was acknowledged is lost, and the list
can be continued.  A cut that heals before the timeout: nothing happens.

Exit code 77: there is no mpirun of Open MPI, or namespaces are not permitted.
"""
import argparse
import collections
import fcntl
import heapq
import ipaddress
import math
import os
import pathlib
import random
import re
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from kill_test import SHARDED, begin_anew, check_what_is_left, prepare  # noqa: E402
from mpirun_test import Bench, check, processes_of  # noqa: E402

RANKS = 3
FRONT = RANKS  # the node of a launcher that has none of the ranks
# For a longer list the first rank holds all graphs itself, and hardly a packet is sent (worth_staying_cold).
REQUESTS = 16
FEW = 6  # with late packets a removal takes most of a second
NETWORK = ipaddress.ip_network("10.91.0.0/24")
# Seconds.  Where a job has to survive, the timeout is longer, so that a loaded machine is not taken for a lost rank.
TIMEOUT = 3
LONG_TIMEOUT = 20
DELAY, JITTER, LOSS, SHORT_CUT = 0.020, 0.005, 0.03, 1.0
# After a cut a rank ends within its timeout, 0.6 s more so that not all speak, and 10 s in which the launcher could end
# it (end_job in src/comm/mpi/plugin.cc).  The rest is for a loaded machine.
RANKS_END = TIMEOUT + 11 + 16
# A launcher whose machine is cut off from another waits until TCP gives up.  By default that takes 15 minutes.  With
# five retransmissions it takes 13 s, and so long again where another message is waiting.
TCP_RETRIES = 5
LAUNCHER_ENDS = RANKS_END + 60
JOB_ENDS = 180  # a job without a cut
LOST = re.compile(r"unscatter: rank (\d) on node(\d) has not been heard of for \d+ s")
# The first rank may have had no more to ask of the rank that was lost.
END_IS_MISSING = re.compile(r"unscatter: rank \d: other ranks do not end")


class NotPermitted(Exception):
    """The namespaces cannot be made here."""


class Cut:
    """Nothing comes from a node and nothing gets there, from a moment of the traffic on."""

    def __init__(self, node, after_bytes, pause=0.0, lasts=math.inf):
        self.node = node
        self.after_bytes = after_bytes  # between ranks
        self.pause = pause  # from there
        self.lasts = lasts
        self.begins = math.inf
        self.stopped = 0

    def stops(self, now, ends, between_ranks):
        if self.begins == math.inf and between_ranks >= self.after_bytes:
            self.begins = now + self.pause
        if self.node not in ends or not self.begins <= now < self.begins + self.lasts:
            return False
        self.stopped += 1
        return True


class Relay(threading.Thread):
    """Carries packets between the nodes, at once, later or never."""

    def __init__(self, choose):
        super().__init__(daemon=True)
        self.choose = choose
        self.devices = []
        self.ending = False
        self.waiting = []
        self.packets = 0
        self.newest = collections.defaultdict(float)
        self.begin_anew()

    def begin_anew(self, delay=0.0, jitter=0.0, loss=0.0, cut=None):
        self.delay, self.jitter, self.loss, self.cut = delay, jitter, loss, cut
        self.late = self.lost = 0
        self.bytes = collections.Counter()  # by sender and receiver

    def between_ranks(self):
        return sum(self.bytes[one, other] for one in range(RANKS) for other in range(RANKS))

    def run(self):
        poll = select.poll()
        nodes = {device: node for node, device in enumerate(self.devices)}
        for device in self.devices:
            poll.register(device, select.POLLIN)
        while not self.ending:
            pause = min(0.1, self.waiting[0][0] - time.monotonic()) if self.waiting else 0.1
            for device, _ in poll.poll(max(0, math.ceil(1000 * pause))):
                self.take_all(nodes[device])
            while self.waiting and self.waiting[0][0] <= time.monotonic():
                _, _, target, packet = heapq.heappop(self.waiting)
                os.write(self.devices[target], packet)

    def take_all(self, source):
        for _ in range(64):  # then the other nodes have their turn
            try:
                self.take(source, os.read(self.devices[source], 65536))
            except BlockingIOError:
                return

    def take(self, source, packet):
        # Kernels ask for neighbours by IPv6.  There are none.
        if len(packet) < 20 or packet[0] >> 4 != 4:
            return
        target = int.from_bytes(packet[16:20], "big") - int(NETWORK[1])
        if not 0 <= target < len(self.devices):
            return
        now = time.monotonic()
        if self.cut and self.cut.stops(now, (source, target), self.between_ranks()):
            return
        if self.loss and self.choose.random() < self.loss:
            self.lost += 1
            return
        self.bytes[source, target] += len(packet)
        if self.delay:
            self.late += 1
            # In order, as one cable does it.
            now = max(now + self.choose.uniform(self.delay - self.jitter, self.delay + self.jitter),
                      self.newest[source, target])
            self.newest[source, target] = now
        self.packets += 1
        heapq.heappush(self.waiting, (now, self.packets, target, packet))


class Nodes:
    """Namespaces for network and host name, and one for the processes of all: when its first process ends, the kernel
    ends the others.  That process waits for its standard input, which ends with this test."""

    def __init__(self, relay):
        self.relay = relay
        self.holders = []
        self.pids = []
        self.folders = {}

    def make(self):
        for node in range(RANKS + 1):
            inside = ("--fork", "--pid") if node == 0 else ()
            self.holders.append(subprocess.Popen(
                [*self.within_processes(), "unshare", *inside, "--net", "--uts", "sh", "-c",
                 # The proc file system is that outside, and so is the number that the test needs.
                 f"read pid rest < /proc/self/stat && echo node{node} > /proc/sys/kernel/hostname &&"
                 f" echo {TCP_RETRIES} > /proc/sys/net/ipv4/tcp_retries2 && echo $pid && read line"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
            answer = self.holders[-1].stdout.readline()
            if not answer:
                raise NotPermitted(f"no namespace: {self.holders[-1].stderr.read().strip()}")
            self.pids.append(int(answer))
            self.make_device(node)
        self.folders = {os.readlink(f"/proc/{pid}/ns/net"): node for node, pid in enumerate(self.pids)}
        self.relay.start()

    def make_device(self, node):
        try:
            device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
            self.relay.devices.append(device)
            name = f"tun{os.getpid()}n{node}"
            set_interface, tun_without_header = 0x400454CA, 0x1001
            fcntl.ioctl(device, set_interface, struct.pack("16sH22x", name.encode(), tun_without_header))
        except OSError as error:
            raise NotPermitted(f"no TUN device: {error}") from error
        for command in (["ip", "link", "set", name, "netns", str(self.pids[node])],
                        [*self.within(node), "ip", "address", "add", f"{address_of(node)}/24", "dev", name],
                        [*self.within(node), "ip", "link", "set", name, "up"],
                        [*self.within(node), "ip", "link", "set", "lo", "up"]):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise NotPermitted(f"{' '.join(command)}: {done.stderr.strip()}")

    def within_processes(self):
        return ["nsenter", f"--target={self.pids[0]}", "--pid"] if self.pids else []

    def within(self, node):
        return ["nsenter", f"--target={self.pids[node]}", "--net", "--uts"]

    def processes(self):
        """What runs on the nodes: numbers of processes by node."""
        found = collections.defaultdict(list)
        own = {*self.pids, *(holder.pid for holder in self.holders)}
        for folder in pathlib.Path("/proc").iterdir():
            if not folder.name.isdigit() or int(folder.name) in own:
                continue
            try:
                node = self.folders.get(os.readlink(folder / "ns/net"))
            except OSError:
                continue  # it has ended
            if node is not None:
                found[node].append(int(folder.name))
        return dict(found)

    def close(self):
        self.relay.ending = True
        if self.relay.is_alive():
            self.relay.join()
        for holder in self.holders:
            holder.stdin.close()
        for holder in self.holders:
            holder.wait(timeout=30)
        for device in self.relay.devices:
            os.close(device)


def address_of(node):
    return NETWORK[1 + node]


class Cluster:
    def __init__(self, arguments, folder, nodes, choose):
        self.bench = Bench(arguments, folder)
        self.bench.environment["TMPDIR"] = str(folder)  # Open MPI leaves things there
        self.nodes = nodes
        self.relay = nodes.relay
        self.choose = choose
        self.own = self.bench.folder / "unscatter"  # no other test has processes of this name
        shutil.copy(arguments.program, self.own)
        shutil.copy(arguments.plugin, self.bench.folder)
        self.kind = prepare(self.bench, "folder", "2200", SHARDED, REQUESTS)
        lines = (self.bench.folder / self.kind.list).read_text().splitlines(keepends=True)
        (self.bench.folder / "few.jsonl").write_text("".join(lines[:FEW]))
        # In the place of ssh.
        self.agent = self.bench.folder / "agent"
        hosts = "".join(f"  {address_of(node)}) exec {' '.join(nodes.within(node))} sh -c \"$*\" ;;\n"
                        for node in range(RANKS))
        self.agent.write_text(f"#!/bin/sh\nhost=$1\nshift\ncase $host in\n{hosts}esac\nexit 1\n")
        self.agent.chmod(0o755)

    def start(self, timeout, launcher, requests):
        """A job of three ranks with a list of removals.  What it says goes to a file: a process that is left would
        hold a pipe open."""
        self.bench.environment["UNSCATTER_RANK_TIMEOUT"] = str(timeout)
        options = {"plm_rsh_agent": self.agent, "plm_rsh_no_tree_spawn": 1, "routed": "direct", "pml": "ob1",
                   "btl": "tcp,self", "btl_tcp_if_include": NETWORK, "oob_tcp_if_include": NETWORK}
        with (self.bench.folder / "said").open("w") as said:
            return subprocess.Popen(
                [*self.nodes.within_processes(), *self.nodes.within(launcher), self.bench.mpirun,
                 "--allow-run-as-root", "--bind-to", "none",
                 *(str(word) for name, value in options.items() for word in ("--mca", name, value)),
                 "-x", "UNSCATTER_RANK_TIMEOUT", "-x", "HOME",
                 "--host", ",".join(f"{address_of(node)}:1" for node in range(RANKS)), "-n", str(RANKS),
                 str(self.own), "forget", "--workspace", "workspace", "--key", "signing.key", "--requests", requests,
                 "--batch", "1", "--receipts", "receipts.jsonl"],
                cwd=self.bench.folder, env=self.bench.environment, stdin=subprocess.DEVNULL, stdout=said,
                stderr=subprocess.STDOUT)

    def said(self):
        return (self.bench.folder / "said").read_text(errors="replace")

    def wait(self, what, seconds, happened):
        deadline = time.monotonic() + seconds
        while not happened():
            if not self.relay.is_alive():
                sys.exit("the relay has failed")
            if time.monotonic() > deadline:
                sys.exit(f"{what}: not within {seconds} s; on the nodes run {self.nodes.processes()}\n{self.said()}")
            time.sleep(0.02)
        return time.monotonic()

    def list_of(self, what, requests, removals, **faults):
        """A list that has to end well in spite of these faults.  How long it took from the first receipt file on."""
        receipts = begin_anew(self.bench, self.kind)
        self.relay.begin_anew(**faults)
        began = time.monotonic()
        job = self.start(LONG_TIMEOUT, self.choose.choice((0, FRONT)), requests)
        opened = self.wait(f"{what}: the list", JOB_ENDS, lambda: receipts.exists() or job.poll() is not None)
        ended = self.wait(f"{what}: the end", JOB_ENDS, lambda: job.poll() is not None)
        self.wait(f"{what}: the end of all processes", LAUNCHER_ENDS, lambda: not self.nodes.processes())
        if job.returncode != 0:
            sys.exit(f"{what}: exit code {job.returncode}\n{self.said()}")
        check(what, removals, check_what_is_left(self.bench, self.kind, receipts, self.said()))
        check(f"{what}: receipts", removals, len(receipts.read_text().splitlines()))
        # The rows are shared, and no rank has another way to the others.
        for rank in range(1, RANKS):
            if min(self.relay.bytes[0, rank], self.relay.bytes[rank, 0]) < 1000 * removals:
                sys.exit(f"{what}: ranks 0 and {rank} hardly talked: {self.relay.bytes}")
        print(f"{what}: {removals} removals in {ended - opened:.1f} s, after {opened - began:.1f} s to start; "
              f"{self.relay.between_ranks():,} bytes between ranks", flush=True)
        return ended - opened

    def calm(self):
        self.seconds = self.list_of("no fault", self.kind.list, REQUESTS)
        self.traffic = self.relay.between_ranks()
        # What a cut has to show is not there without one.
        if not why_no_cut(0, 1, FRONT, self.said()):
            sys.exit("a job without a fault passes for one whose rank was lost")

    def delay(self):
        seconds = self.list_of("delay", "few.jsonl", FEW, delay=DELAY, jitter=JITTER)
        # Every removal asks the other ranks and waits for their answers.
        if self.relay.late == 0 or seconds < FEW * 2 * (DELAY - JITTER):
            sys.exit(f"{self.relay.late} packets were late, and the list took {seconds} s")
        print(f"  {self.relay.late} packets were {1000 * DELAY:.0f} ms late, {1000 * JITTER:.0f} ms more or less")

    def loss(self):
        self.list_of("loss", self.kind.list, REQUESTS, loss=LOSS)
        if self.relay.lost == 0:
            sys.exit("no packet was lost")
        print(f"  {self.relay.lost} packets were lost, {100 * LOSS:.0f} of 100")

    def moment(self):
        """Anywhere in the list, whatever its speed is, but so that other removals are to come."""
        return self.choose.uniform(0.02, 0.8) * self.traffic, self.choose.uniform(0, self.seconds / REQUESTS)

    def short_cut(self):
        after, pause = self.moment()
        cut = Cut(self.choose.randrange(RANKS), after, pause, SHORT_CUT)
        self.list_of("short cut", self.kind.list, REQUESTS, cut=cut)
        if cut.stopped == 0:
            sys.exit("no packet was stopped")
        print(f"  rank {cut.node} was cut off for {SHORT_CUT:.0f} s")

    def lasting_cut(self, victim, without_fault):
        receipts = begin_anew(self.bench, self.kind)
        after, pause = self.moment()
        cut = Cut(victim, math.inf if without_fault else after, pause)
        launcher = self.choose.choice((0, FRONT))
        self.relay.begin_anew(cut=cut)
        job = self.start(TIMEOUT, launcher, self.kind.list)
        self.wait("the cut", JOB_ENDS, lambda: job.poll() is not None or time.monotonic() >= cut.begins)
        self.wait("ranks end after the cut", RANKS_END, lambda: not processes_of(str(self.own)))
        ranks_gone = time.monotonic()
        launcher_gone = self.wait("the launcher ends", LAUNCHER_ENDS, lambda: job.poll() is not None)
        all_gone = self.wait("all processes end", LAUNCHER_ENDS, lambda: not self.nodes.processes())
        text = self.said()
        acknowledged = len(receipts.read_text().splitlines()) if receipts.exists() else 0
        complaint = why_no_cut(job.returncode, victim, launcher, text, acknowledged == REQUESTS)
        if complaint or cut.stopped == 0:
            sys.exit(f"rank {victim} cut off, launcher on node {launcher}: {complaint}, {cut.stopped} packets stopped,"
                     f" {acknowledged} removals\n{text}")
        done = check_what_is_left(self.bench, self.kind, receipts, text)
        print(f"rank {victim} cut off, launcher on node {launcher}: {acknowledged} removals acknowledged, {done} in"
              f" force; ranks gone after {ranks_gone - cut.begins:.1f} s, launcher after"
              f" {launcher_gone - cut.begins:.1f} s, all after {all_gone - cut.begins:.1f} s", flush=True)
        # The cable is in its place again.
        self.relay.begin_anew()
        self.bench.run(0, "forget", "--workspace", "workspace", "--key", "signing.key", "--requests", self.kind.list,
                       "--batch", "1", "--receipts", "receipts.jsonl")
        check("the rest of the list", REQUESTS, check_what_is_left(self.bench, self.kind, receipts, text))
        check("all receipts", REQUESTS, len(receipts.read_text().splitlines()))


def why_no_cut(exit_code, victim, launcher, text, all_done=False):
    """Nothing, if a job ended as it should when a rank was cut off."""
    if exit_code == 0:
        return "the job ended well"
    named = {int(rank) for rank, node in LOST.findall(text) if rank == node}
    # A launcher that was cut off together with the first rank hears that one alone, which misses the others.
    expected = {1, 2} if victim == launcher else {victim}
    if named & expected or all_done and END_IS_MISSING.search(text):
        return None
    return f"no sentence names rank {victim}"


def why_not_here(arguments):
    if not arguments.mpirun or arguments.mpirun.endswith("NOTFOUND") or not arguments.plugin:
        return "there is no mpirun, or this build has no MPI"
    if "Open MPI" not in subprocess.run([arguments.mpirun, "--version"], capture_output=True, text=True,
                                        check=False).stdout:
        return "the options of this test are for the launcher of Open MPI"
    missing = [name for name in ("ip", "nsenter", "unshare") if not shutil.which(name)]
    if missing:
        return f"{missing[0]} is not installed"
    if os.geteuid() != 0:
        return "only root makes namespaces"
    if not pathlib.Path("/dev/net/tun").exists():
        return "there is no /dev/net/tun"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--times", type=int, default=1, help="cuts of the first rank, and as many of another one")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--only", nargs="+", choices=["delay", "loss", "short", "cut"],
                        default=["delay", "loss", "short", "cut"])
    parser.add_argument("--without-fault", action="store_true", help="cuts are not made: this test has to fail")
    arguments = parser.parse_args()
    reason = why_not_here(arguments)
    if reason:
        print(reason)
        return 77
    print(f"seed {arguments.seed}")
    choose = random.Random(arguments.seed)
    relay = Relay(random.Random(choose.random()))
    nodes = Nodes(relay)
    with tempfile.TemporaryDirectory() as folder:
        try:
            nodes.make()
            cluster = Cluster(arguments, folder, nodes, choose)
            cluster.calm()
            for what, run in (("delay", cluster.delay), ("loss", cluster.loss), ("short", cluster.short_cut)):
                if what in arguments.only:
                    run()
            for _ in range(arguments.times if "cut" in arguments.only else 0):
                for victim in (choose.randrange(1, RANKS), 0):
                    cluster.lasting_cut(victim, arguments.without_fault)
        except NotPermitted as why:
            print(why)
            return 77
        finally:
            nodes.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
