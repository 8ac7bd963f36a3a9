#!/usr/bin/env python3
"""The program has no symbol of MPI and loads no library of it: symbols_test.py --program P."""
import argparse
import re
import shutil
import subprocess
import sys

SYMBOL = re.compile(r"\b(P?MPI_[A-Z][A-Za-z_]+|ompi_\w+|MPIR_\w+)\b")
LIBRARY = re.compile(r"libmpi|libmpich|libopen-rte|libopen-pal|libpmix")


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    program = parser.parse_args().program
    if not shutil.which("nm") or not shutil.which("ldd"):
        return 77
    # Planted faults: the patterns see what they are to find.
    assert SYMBOL.search("                 U MPI_Init_thread") and SYMBOL.search("U ompi_mpi_comm_world")
    assert LIBRARY.search("\tlibmpi.so.40 => /lib/x86_64-linux-gnu/libmpi.so.40")
    symbols = output("nm", "--dynamic", program) + output("nm", program)
    libraries = output("ldd", program)
    if not symbols or not libraries:
        sys.exit("there is nothing to look at")
    for pattern, text in ((SYMBOL, symbols), (LIBRARY, libraries)):
        found = pattern.search(text)
        if found:
            sys.exit(f"{program} has {found.group(0)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
