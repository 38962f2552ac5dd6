#!/usr/bin/env python3
# tests/run itself, over a folder of pretended tests: the counts, the tests that it ends, and the faults that it finds; and a rule of tests/times.
import glob
import os
import re
import shutil
import subprocess
import time

from tap import check, finish, folder, skip

HERE = os.path.dirname(os.path.abspath(__file__))
GOOD = "#!/bin/sh\necho ok 1 - good\n"


def write(path, text, mode=0o755):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


def suite(top, **scripts):
    """Makes a new tests/ with these scripts and the runner."""
    shutil.rmtree(top, ignore_errors=True)
    os.makedirs(os.path.join(top, "tests/command"))
    shutil.copy(os.path.join(HERE, "../run"), os.path.join(top, "tests/run"))
    for name, text in scripts.items():
        write(os.path.join(top, f"tests/command/{name}.sh"), text)


def run(top, *words, before=(), **more):
    values = {name: value for name, value in os.environ.items() if name not in ("BUILD", "JOBS", "LIMIT", "KYOHO_TEST_ALL")}
    process = subprocess.run([*before, os.path.join(top, "tests/run"), *words], env={**values, **more}, capture_output=True, text=True, timeout=300)
    return process.returncode, process.stdout.splitlines()


def devices():
    """Scripts that look for devices see those of OpenCL in `check` too."""
    with open(os.path.join(HERE, "../times"), encoding="utf-8") as file:
        rows = [line.split() for line in file if not line.startswith("#")]
    looking = []
    for name in [row[0] for row in rows if "no-opencl" in row]:
        for path in glob.glob(os.path.join(HERE, "..", "*", name)):
            with open(path, encoding="utf-8") as file:
                looking += [name] if re.search(r'run(_json)?\("devices"|kyoho\.devices', file.read()) else []
    check(not looking, "no script that looks for devices is no-opencl in tests/times", looking)


def interrupted_runs(top, where):
    """Test b interrupts the runner once, after test a has passed."""
    count, once = os.path.join(where, "count"), os.path.join(where, "once")
    suite(top, a=f"#!/bin/sh\necho >> '{count}'\necho ok 1 - a\n",
          b=f"#!/bin/sh\n[ -e '{once}' ] || {{ touch '{once}'; kill -TERM $PPID; sleep 20; }}\necho ok 1 - b\n")
    write(os.path.join(top, "tests/times"), "a.sh 9\nb.sh 8\n", 0o644)
    write(os.path.join(top, ".gitignore"), "build\n__pycache__\n", 0o644)
    subprocess.run(["git", "init", "-q", top], check=True)

    def turns():
        return os.path.getsize(count)

    interrupted = run(top, "--all", "--hostile", JOBS="1")
    code, lines = run(top, "--all", "--hostile", JOBS="1")
    check(interrupted[0] != 0 and code == 0 and any("--all: resumes; 1 of 2 tests" in line for line in lines)
          and lines[-1] == "2 passed, 0 failed" and turns() == 2, "an interrupted run resumes after the tests that passed", (interrupted, lines))
    run(top, "--all", JOBS="1")
    check(turns() == 3, "a finished run starts from the beginning")
    for where_it_is, what in (("source.c", "a file"), ("build/flags", "a flag of the build")):
        os.remove(once)
        run(top, "--all", JOBS="1")
        write(os.path.join(top, where_it_is), "changed")
        before = turns()
        run(top, "--all", JOBS="1")
        check(turns() == before + 1, f"an interrupted run starts from the beginning where {what} has changed")
    os.remove(once)
    run(top, "--all", JOBS="1")
    path = os.path.join(top, "build/test-logs/progress--all")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for cut in (text[:-6], text[:9], ""):
        write(path, cut, 0o644)
        code, lines = run(top, "--all", JOBS="1")
        check(code == 0 and lines[-1] == "2 passed, 0 failed", f"a record of progress of {len(cut)} bytes instead of {len(text)} is no error", lines)
    suite(top, c=f"#!/bin/sh\necho >> '{count}'\necho 'ok 1 - a # SKIP no moon'\necho ok 2 - c\n",
          d=f"#!/bin/sh\n[ -e '{once}' ] || {{ touch '{once}'; kill -TERM $PPID; sleep 20; }}\necho ok 1 - d\n")
    write(os.path.join(top, "tests/times"), "c.sh 9\nd.sh 8\n", 0o644)
    os.remove(once)
    run(top, "--all", JOBS="1")
    before = turns()
    run(top, "--all", JOBS="1")
    check(turns() == before + 1, "a test that skipped a case runs again")


devices()
with folder() as where:
    top = os.path.join(where, "suite")
    suite(top, good=GOOD, two="#!/bin/sh\necho ok 1 - a\necho 'ok 2 - b # SKIP no moon'\n", tap="echo not a test\n")
    code, lines = run(top)
    check(code == 0 and lines[-1] == "2 passed, 0 failed" and any("no moon" in line for line in lines),
          "tests that pass and skip are counted, with reasons; a file without #! is no test", lines)

    for name, text, wanted in (
            ("a test that fails", "#!/bin/sh\necho ok 1 - a\necho '# why it failed'\necho not ok 2 - b\n", "why it failed"),
            ("a test that dies", "#!/bin/sh\necho ok 1 - a\nexit 9\n", "status 9"),
            ("a test that a signal ends", "#!/bin/sh\necho ok 1 - a\nkill -11 $$\n", "status -11"),
            ("a test that says nothing", "#!/bin/sh\nexit 0\n", "status 0")):
        suite(top, good=GOOD, bad=text)
        code, lines = run(top)
        check(code == 1 and lines[-1].endswith(", 1 failed") and any(wanted in line for line in lines), name, lines)

    suite(top, hangs="#!/bin/sh\necho ok 1 - a\n(sleep 50; echo late) &\nsleep 50\n", good=GOOD)
    begun = time.monotonic()
    code, lines = run(top, LIMIT="3")
    check(code == 1 and time.monotonic() - begun < 20 and any("did not end in 3 s" in line for line in lines)
          and lines[-1] == "2 passed, 1 failed", "a test that hangs is ended", lines)

    compiles = "#!/bin/sh\nmkdir {0} || echo not ok 1 - beside another one\nsleep 0.3\nrmdir {0}\necho ok 1 - alone\n".format(os.path.join(where, "lane"))
    suite(top, first=compiles, second=compiles, good=GOOD)
    write(os.path.join(top, "tests/times"), "first.sh 1 kernels\nsecond.sh 1 kernels\n", 0o644)
    code, lines = run(top, JOBS="3")
    check(code == 0 and lines[-1] == "3 passed, 0 failed", "tests that compile kernels take turns", lines)

    suite(top, some="#!/bin/sh\necho ok 1 - these: $KYOHO_TEST_ONLY\n[ \"$KYOHO_TEST_ONLY\" = 'few*' ] || echo not ok 2 - all\n")
    write(os.path.join(top, "tests/times"), "some.sh 1 hostile=few* valgrind=none*\n", 0o644)
    check(run(top, "--hostile")[0] == 0 and run(top)[0] == 1, "a part of the cases of a test is run with --hostile", run(top, "--hostile"))

    mark = os.path.join(where, "mark")
    suite(top, leaves=f"#!/bin/sh\n(sleep 1; touch '{mark}') &\necho ok 1 - a\n")
    code, lines = run(top)
    time.sleep(1.3)
    check(code == 0 and not os.path.exists(mark), "what a test leaves behind is ended with it", lines)

    suite(top, hears="#!/bin/sh\ntrap 'echo ok 1 - heard' INT HUP\nkill -INT $$\nkill -HUP $$\n")
    lines = run(top, before=["sh", "-c", "trap '' INT HUP; exec \"$0\""])[1]
    check(lines[-1] == "2 passed, 0 failed", "a test gets signals also where the suite runs in the background, which ignores them", lines)

    suite(top, good=GOOD)
    write(os.path.join(top, "tests/command/forgotten.sh"), GOOD, mode=0o644)
    code, lines = run(top)
    check(code == 1 and any("forgotten.sh is not executable" in line for line in lines), "a script without a run bit is a failure", lines)

    suite(top, good=GOOD)
    write(os.path.join(top, "build/tests/unit/gone"), GOOD)
    code, lines = run(top)
    check(code == 1 and any("has no source any more" in line for line in lines), "a program whose source is gone is a failure", lines)
    write(os.path.join(top, "tests/unit/gone.c"), "")
    check(run(top)[0] == 0, "a program with its source runs")
    write(os.path.join(top, "tests/unit/other.c"), "")
    code, lines = run(top)
    check(code == 0 and any("other" in line and "not built" in line for line in lines), "a source without its program is a skip", lines)

    # Two tests that run at the same time: each waits for the mark of the other, so many quarters of a second.
    meet = "#!/bin/sh\ncd '%s'\ntouch %s\nk=0; while [ $k -lt %d ] && [ ! -e %s ]; do sleep 0.25; k=$((k + 1)); done\n" \
           "[ -e %s ] && echo ok 1 - met || echo not ok 1 - met\n"
    names = {"a": "b", "b": "a"}

    def pair(patience):
        meeting = os.path.join(where, "meeting")
        shutil.rmtree(meeting, ignore_errors=True)
        os.mkdir(meeting)
        suite(top, **{one: meet % (meeting, one, patience, other, other) for one, other in names.items()})

    pair(80)
    code, lines = run(top, JOBS="2")
    check(code == 0, "two tests at a time", lines)
    pair(8)
    write(os.path.join(top, "tests/times"), "a.sh 5 alone-on-gpu limit=20\nb.sh 1 alone # measures\n")
    code, lines = run(top, JOBS="2")
    check(code == 1 and lines[0].startswith("a.sh") and " 1 failed" in lines[0] and lines[-1] == "1 passed, 1 failed",
          "a test that wants to be alone runs alone", lines)

    suite(top, good=GOOD, pairs='#!/bin/sh\n[ "${KYOHO_TEST_ALL:-}" ] && echo ok 2 - all of them || echo ok 1 - some\n')
    write(os.path.join(top, "tests/command/slow.sh"), GOOD)
    write(os.path.join(top, "tests/times"), "slow.sh 5 long\n")
    counts = {words: [line.split()[0] for line in run(top, *words.split())[1] if " passed " in line] for words in ("", "--long", "--all", "oo", "--all slow", "lo", "slow.sh", "suite")}
    check(counts == {"": ["good.sh", "pairs.sh"], "--long": ["slow.sh"], "--all": ["good.sh", "pairs.sh", "slow.sh"],
                     "oo": ["good.sh"], "--all slow": ["slow.sh"], "lo": [], "slow.sh": ["slow.sh"], "suite": []},
          "--long, --all and words choose tests, by the name of the file and not of its folder", counts)
    log = os.path.join(top, "build/test-logs/pairs.sh.log")
    run(top, "--all", "pairs")
    check("all of them" in open(log, encoding="utf-8").read(), "--all tells the tests to take all cases")
    if shutil.which("git"):
        interrupted_runs(top, where)
    else:
        skip("an interrupted run resumes", "git is not installed")

    check(run(top, "--tall")[0] == 2 and run(top, "--help")[0] == 0, "an unknown option is wrong usage")
finish()
