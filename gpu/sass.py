#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What nvcc made of each kernel of a library, a line for each.

usage: gpu/sass.py [--arch sm_90] [--kernel REGEX] FILE...

FILE is what nvcc wrote: an object, a library, a program or a cubin. The machine code is read by
cuobjdump and nvdisasm of the CUDA toolkit (on PyPI: nvidia-cuda-cuobjdump, nvidia-cuda-nvdisasm).
The tables of two libraries are compared with diff.

code     bytes of machine code
instr    instructions, without the NOP that fill the end
regs     registers of a thread
stack    bytes of a thread's stack: spilled registers, and arrays that are not in registers
spill    bytes that STL and LDL move to and from fixed places of the stack, each instruction
         counted once: the spill stores and loads of `nvcc -Xptxas -v`, with what a function that
         is not inlined saves there
array    LDL and STL at computed places: arrays
bar      barriers of a block (BAR)
cluster  barriers of a cluster (UCGABAR_ARV)
membar   MEMBAR and ERRBAR
cctl     CCTL, which drops the first-level cache
atomic   ATOM, ATOMG, ATOMS, RED and REDG
"""

import argparse
import re
import subprocess
import sys

COUNTED = {"bar": r"BAR", "cluster": r"UCGABAR_ARV", "membar": r"MEMBAR|(CGA)?ERRBAR",
           "cctl": r"CCTL", "atomic": r"ATOM[GS]?|REDG?"}
COLUMNS = ("code", "instr", "regs", "stack", "spill", "array", *COUNTED)
INSTRUCTION = re.compile(r"\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?\w+\s+)?([A-Z0-9_]+)([\w.]*)([^;]*);")


def run(*command, text=None):
    """What the command printed. Ends the program if the command fails."""
    try:
        return subprocess.run(command, input=text, capture_output=True, text=True,
                              check=True).stdout
    except FileNotFoundError:
        sys.exit(f"sass.py: there is no {command[0]} on PATH")
    except subprocess.CalledProcessError as error:
        sys.exit(f"sass.py: {error.stderr.strip()}")


def count(row, name, suffixes, operands):
    """Adds an instruction to the row of its kernel."""
    row["code"] += 16
    row["instr"] += name != "NOP"
    if name in ("LDL", "STL"):
        if re.search(r"\[R1[\]+]", operands):
            row["spill"] += 16 if ".128" in suffixes else 8 if ".64" in suffixes else 4
        else:
            row["array"] += 1
    for column, names in COUNTED.items():
        row[column] += bool(re.fullmatch(names, name))


def table_of(path, arch):
    """A dictionary of the columns for each kernel of the file, by its name in the source."""
    rows, row = {}, None
    for line in run("cuobjdump", "-arch", arch, "-sass", "-res-usage", path).splitlines():
        if function := re.search(r"Function\s?:? (\w+)", line):
            row = rows.setdefault(function[1], dict.fromkeys(COLUMNS, 0))
        elif used := re.search(r"REG:(\d+) STACK:(\d+)", line):
            row["regs"], row["stack"] = map(int, used.groups())
        elif instruction := INSTRUCTION.match(line):
            count(row, *instruction.groups())
    names = run("c++filt", text="\n".join(rows)).replace("(anonymous namespace)::", "")
    return dict(zip(names.splitlines(), rows.values()))


def main():
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--arch", default="sm_90", help="of which chip the code is read")
    parser.add_argument("--kernel", default="", help="only the kernels whose name has this pattern")
    chosen = parser.parse_args()
    print("".join(f"{column:>8}" for column in COLUMNS), " kernel")
    found = False
    for path in chosen.files:
        for name, row in sorted(table_of(path, chosen.arch).items()):
            if re.search(chosen.kernel, name):
                print("".join(f"{row[column]:8}" for column in COLUMNS), "", name)
                found = True
    if not found:
        sys.exit(f"sass.py: no such kernel for {chosen.arch} in {' '.join(chosen.files)}")


if __name__ == "__main__":
    main()
