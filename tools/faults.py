#!/usr/bin/env python3
"""faults.py - makes deliberate faults, one after another, and says which test notices each.

    tools/faults.py [WORD ..]   all, or those that have each WORD in what, file or tests
    tools/faults.py --check     whether each still applies and its tests are there; runs nothing
    --from FILE                 the faults of this file instead of those of tests/faults/

A fault is a block of lines, with a blank line between two blocks:

    what: what is wrong, in a few words
    file: model/law/law.c
    old: text that stands exactly once in the file
    new: what takes its place
    |a line that continues old or new, exactly as it stands behind the bar
    tests: model/recall/test_recall programs/test_golden.sh
    cases: all        only if the short form (CASES=few) of these tests does not notice
    why: the reason, with `tests: -`: known to be unnoticed, and not run

python/test_NAME.py runs this file by pytest. Lines that begin with # are remarks.

Faults are made in a copy of the tree, build/faults/, which is built once and then again after each
change. First every test must pass there without a fault. The tests of a fault run in their order
until one fails: by its status, by a crash, or by taking ten times as long as without the fault. A
static assertion that fails notices as well. The exit status is 1 if a fault was not noticed, does
not compile or does not apply.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import collections
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
COPY = ROOT / "build/faults"
FIELDS = ("what", "file", "old", "new", "tests", "cases", "why")
CASE = re.compile(r"^\S+:\d+:[FE]:[^:]*:(\w+):|^FAILED \S+::(\w+)", re.M)
Result = collections.namedtuple("Result", "failed case seconds")


# ---- the list

def blocks_of(path):
    """The faults of a file: dictionaries of their fields, with `at`, the place of each."""
    fault, last = {}, None
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if not line.strip():
            if fault:
                yield fault
            fault, last = {}, None
        elif line.startswith("|") and last in ("old", "new"):
            fault[last] += "\n" + line[1:]
        elif not line.startswith("#"):
            last, colon, value = line.partition(":")
            if not colon or last not in FIELDS or last in fault:
                sys.exit(f"{path}:{number}: not a field, or one that is there already: {line}")
            fault.setdefault("at", f"{path.name}:{number}")
            fault[last] = value[1:]


def source_of(test):
    """The source of a named test, or None."""
    found = [pathlib.Path("tests", test + kind) for kind in ("", ".c", ".cc")]
    return next((path for path in found if path.suffix and (ROOT / path).is_file()), None)


def errors_of(fault):
    missing = [name for name in ("what", "file", "old", "new", "tests") if name not in fault]
    if missing:
        return [f"no field {', '.join(missing)}"]
    path = ROOT / fault["file"]
    if not path.is_file():
        return [f"there is no {fault['file']}"]
    times = path.read_text(encoding="utf-8").count(fault["old"]) if fault["old"] else 0
    wrong = [] if times == 1 else [f"the old text stands {times} times in {fault['file']}"]
    if fault["old"] == fault["new"]:
        wrong.append("old and new are the same")
    if (fault["tests"] == "-") != ("why" in fault):
        wrong.append("tests: - and why: REASON belong together")
    names = [] if fault["tests"] == "-" else fault["tests"].split()
    wrong += [f"there is no test {test}" for test in names if not source_of(test)]
    if not fault["tests"]:
        wrong.append("no test is named")
    if fault.get("cases", "all") != "all":
        wrong.append("cases can only be all")
    return wrong


def read_faults(paths):
    """All faults. Ends the program if one of them does not apply."""
    faults = [fault for path in paths for fault in blocks_of(path)]
    wrong = [f"{fault['at']}: {error}" for fault in faults for error in errors_of(fault)]
    count = collections.Counter(fault.get("what") for fault in faults)
    wrong += [f"two faults are called: {what}" for what, times in count.items() if times > 1]
    if wrong or not faults:
        sys.exit("\n".join(wrong or ["there are no faults"]))
    return faults


# ---- the copy

def write(path, data):
    """Always newer than what was built from it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def update_copy():
    """The copy becomes the tree, as it is now, by writing only what differs."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout.splitlines()
    names = {name for name in listed if (ROOT / name).is_file()}
    for folder, folders, files in os.walk(COPY):
        if pathlib.Path(folder) == COPY and "build" in folders:
            folders.remove("build")
        for file in files:
            path = pathlib.Path(folder, file)
            if str(path.relative_to(COPY)) not in names:
                path.unlink()
    for name in sorted(names):
        data, target = (ROOT / name).read_bytes(), COPY / name
        if not target.is_file() or target.read_bytes() != data:
            write(target, data)
            target.chmod((ROOT / name).stat().st_mode)


def environment(**more):
    """Without what an outer make passes on."""
    outer = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "BUILD", "SANITIZE", "CASES", "RECALLMODEL")
    kept = {name: value for name, value in os.environ.items() if name not in outer}
    return {**kept, **more}


def run(command, limit=None, **variables):
    """(status, output); the status is None if it took longer than the limit. It runs with SIGINT
    ignored, as tests/run.sh runs tests, and what it started is killed with it."""
    with subprocess.Popen(command, cwd=COPY, env=environment(**variables), errors="replace",
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, start_new_session=True,
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)
                          ) as process:
        try:
            output = process.communicate(timeout=limit)[0]
            return process.returncode, output
        except subprocess.TimeoutExpired:
            return None, ""
        finally:
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)


def path_of(test):
    """What is run: a program or a script."""
    source = source_of(test)
    return f"build/tests/{test}" if source.suffix in (".c", ".cc") else str(source)


def build(tests, **variables):
    """An empty text, or what make printed before it failed."""
    jobs = os.environ.get("JOBS", "2")
    run_these = " ".join(sorted({path_of(test) for test in tests}))
    # A fault may leave a variable unused, which is an error elsewhere.
    status, output = run(["make", f"-j{jobs}", "WARNINGS=-w", "build-tests", f"RUN={run_these}"],
                         **variables)
    return "" if status == 0 else output


def run_test(test, cases, limit=None):
    source = source_of(test)
    command = [path_of(test)]
    if source.suffix == ".py":
        command = ["tests/python/test_python.sh", "-k", source.stem]
    variables = {"RECALLMODEL": "build/recallmodel", "BUILD": "build", "JOBS": "2"}
    if cases == "few":
        variables["CASES"] = cases
    begin = time.monotonic()
    status, output = run(command, limit, **variables)
    named = CASE.search(output)
    case = "too slow" if status is None else (named[1] or named[2]) if named else ""
    return Result(status != 0, case, time.monotonic() - begin)


# ---- the faults

def tests_of(fault):
    return [(test, "few" if "cases" not in fault else "all") for test in fault["tests"].split()]


def run_without(faults):
    """The seconds of each (test, cases) without a fault. Ends the program if one fails."""
    tests = sorted({pair for fault in faults for pair in tests_of(fault)})
    print(f"building {len({test for test, _ in tests})} tests in {COPY.relative_to(ROOT)}",
          flush=True)
    output = build(test for test, _ in tests)
    if output:
        sys.exit(output[-3000:] + "\nThis does not compile without a fault.")
    seconds = {}
    for test, cases in tests:
        result = run_test(test, cases)
        if result.failed:
            sys.exit(f"{test} fails without a fault: {result.case}")
        seconds[test, cases] = result.seconds
    print(f"all pass without a fault, in {sum(seconds.values()):.0f} s", flush=True)
    return seconds


def try_fault(fault, seconds):
    """(test that notices or None, what to print)."""
    path = COPY / fault["file"]
    text = path.read_text(encoding="utf-8")
    try:
        write(path, text.replace(fault["old"], fault["new"]).encode())
        # Three instruction sets are compiled from these: a minute at -O2, some seconds at -O0.
        flags = {"CFLAGS": "-O0"} if path.suffix == ".inc" else {}
        output = build((test for test, _ in tests_of(fault)), **flags)
        if "static assertion failed" in output:
            return "static assertion", "noticed by a static assertion"
        if output:
            lines = [line for line in output.splitlines() if "rror" in line] or [output]
            return None, f"DOES NOT COMPILE: {lines[0]}"
        for test, cases in tests_of(fault):
            result = run_test(test, cases, 20.0 + 10.0 * seconds[test, cases])
            if result.failed:
                return test, f"noticed by {test}" + (f" ({result.case})" if result.case else "")
        return None, "NOT NOTICED"
    finally:
        write(path, text.encode())


def run_faults(faults):
    """Makes each. Returns how many were not noticed."""
    seconds = run_without(faults)
    begin, by, missed = time.monotonic(), collections.Counter(), []
    for number, fault in enumerate(faults, 1):
        started = time.monotonic()
        test, line = try_fault(fault, seconds)
        print(f"[{number}/{len(faults)}] {fault['what']}: {line}, "
              f"{time.monotonic() - started:.1f} s", flush=True)
        if test:
            by[test.split("/")[0]] += 1
        else:
            missed.append(f"{fault['at']}: {fault['what']}: {line}")
    print("\n".join(missed))
    print(f"{len(faults) - len(missed)} of {len(faults)} faults noticed in "
          f"{time.monotonic() - begin:.0f} s, by tests of: " +
          ", ".join(f"{room} {count}" for room, count in by.most_common()))
    return len(missed)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true", help="run nothing")
    parser.add_argument("--from", dest="file", type=pathlib.Path, help="a file of faults")
    parser.add_argument("words", nargs="*", metavar="WORD", help="only faults with each WORD")
    given = parser.parse_args()
    os.chdir(ROOT)
    faults = read_faults([given.file] if given.file else sorted(ROOT.glob("tests/faults/*.txt")))
    known = [fault for fault in faults if fault["tests"] == "-"]
    if given.check:
        print(f"{len(faults)} faults apply; {len(known)} of them are known to be unnoticed")
        return 0
    chosen = [fault for fault in faults if fault["tests"] != "-" and all(
        word.lower() in " ".join(fault[field] for field in ("what", "file", "tests")).lower()
        for word in given.words)]
    if not chosen:
        sys.exit("no fault has these words")
    update_copy()
    try:
        return min(1, run_faults(chosen))
    except KeyboardInterrupt:
        print("stopped; the next run begins with a whole copy")
        return 130


if __name__ == "__main__":
    sys.exit(main())
