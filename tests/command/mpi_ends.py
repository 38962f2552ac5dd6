#!/usr/bin/env python3
# How runs on ranks of MPI end early: ranks that are killed or fail, signals, the file stop, --max-wall; and that --resume goes on
# from there with another number of ranks, with the bits of a run that was never stopped.
import json
import os
import re
import resource
import signal
import stat
import subprocess
import time

import mpis
from tap import check, finish, folder, skip, wait_for

# Long enough that a run is found in its midst; the resumed one ends after few steps of its own. So many bodies that several ranks
# have some: cells of up to 4,096 are not divided.
BODIES = ["--model", "plummer", "-n", "9000", "--seed", "5", "--softening", "0.05", "--force", "tree", "--engine", "cpu"]
RUN = ["run", *BODIES, "--step", "0.0078125", "--every", "0.0625", "--quiet"]
END = 0.375
PRELOAD = os.path.join(mpis.BUILD, "tests", "faults", "preload.so")
ALL = "KYOHO_TEST_ALL" in os.environ


def processes(output):
    """{rank: pid} of the ranks of a run, which have its folder among their words."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().decode(errors="replace").split("\0")
            with open(f"/proc/{pid}/environ", "rb") as file:
                values = dict(line.split("=", 1) for line in file.read().decode(errors="replace").split("\0") if "=" in line)
        except OSError:
            continue
        rank = values.get("OMPI_COMM_WORLD_RANK", values.get("PMI_RANK"))
        if output in words and os.path.basename(words[0]) == "kyoho" and rank is not None:
            found[int(rank)] = int(pid)
    return found


class Run:
    """A run on ranks that goes on while the test looks at it."""

    def __init__(self, mpi, output, *words, size=2, program=None):
        self.output, self.errors = output, output + ".err"
        with open(self.errors, "w", encoding="utf-8") as errors:
            self.process = subprocess.Popen(mpi.words(size, program or mpi.kyoho, *RUN, "--output", output, *words), stdin=subprocess.DEVNULL,
                                            stdout=subprocess.DEVNULL, stderr=errors, env=mpis.VALUES)

    def wait_for_restart(self):
        """Until a restart file has taken the place of the first one."""
        path = os.path.join(self.output, "restart.kyo")
        number = lambda: os.stat(path).st_ino if os.path.exists(path) else None
        if not wait_for(lambda: number() or self.process.poll() is not None, "a restart file"):
            return False
        first = number()
        return wait_for(lambda: number() not in (first, None) or self.process.poll() is not None, "a second restart file")

    def ended(self, limit):
        """The exit code, and the seconds until all processes were gone; None where they did not end in time."""
        begin = time.monotonic()
        try:
            code = self.process.wait(timeout=limit)
            while processes(self.output) and time.monotonic() - begin < limit:
                time.sleep(0.02)
        except subprocess.TimeoutExpired:
            code = None
        for pid in processes(self.output).values():
            os.kill(pid, signal.SIGKILL)
            code = None
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        return code, time.monotonic() - begin

    def said(self):
        with open(self.errors, encoding="utf-8") as file:
            return file.read()

    def our_lines(self):
        return [line for line in self.said().splitlines() if line.startswith("kyoho")]


def reason(output):
    with open(os.path.join(output, "run.json"), encoding="utf-8") as file:
        about = json.load(file)
    return about.get("outcome"), about.get("reason")


def goes_on(mpi, output, whole, what, size):
    """Resumes with another number of ranks: 1 without MPI, 0 as threads."""
    words = ["run", "--resume", output, "--end", END, "--quiet"]
    done = mpi.run(size, mpi.kyoho, *words) if size > 1 else mpis.run(mpi.kyoho, *words, "--ranks", 1 if size else 3)
    same = done.returncode == 0 and mpis.snapshots(output) == whole
    check(same, f"{mpi.name}: {what}: --resume on {f'{size} ranks' if size else '3 threads as ranks'} has the bits of a run that never stopped",
          done.stdout + done.stderr)


def killed(mpi, place, whole, rank, size):
    run = Run(mpi, os.path.join(place, f"killed{rank}"), "--end", END, "--restart-every", "0.3")
    if not run.wait_for_restart() or not check(run.process.poll() is None and rank in processes(run.output), f"{mpi.name}: the run is found in its midst", run.said()):
        run.ended(1)
        return
    os.kill(processes(run.output)[rank], signal.SIGKILL)
    code, seconds = run.ended(10)
    check(code not in (0, None), f"{mpi.name}: SIGKILL of rank {rank} ends the run within 10 s", f"{code} after {seconds} s")
    goes_on(mpi, run.output, whole, f"after SIGKILL of rank {rank}", size)


def waits(mpi, place):
    """A rank that waits for another one sleeps. Rank 0 is stopped for a second, in which the other takes little processor time."""
    run = Run(mpi, os.path.join(place, "waits"), "--end", "100")
    wait_for(lambda: os.path.exists(os.path.join(run.output, "restart.kyo")), f"{mpi.name}: a run that waits")
    ranks = processes(run.output)
    os.kill(ranks[0], signal.SIGSTOP)
    time.sleep(0.5)
    before = processor_seconds(ranks[1])
    time.sleep(1)
    used = processor_seconds(ranks[1]) - before
    os.kill(ranks[0], signal.SIGCONT)
    check(used < 0.3, f"{mpi.name}: a rank that waits sleeps", f"{used} s of 1 s")
    run.process.send_signal(signal.SIGTERM)
    run.ended(20)


def processor_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        words = file.read().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def signals(mpi, place, whole):
    for number in (signal.SIGTERM, signal.SIGINT) if ALL else (signal.SIGTERM,):
        run = Run(mpi, os.path.join(place, number.name), "--end", "100")
        run_is_on = wait_for(lambda: os.path.exists(os.path.join(run.output, "restart.kyo")), f"{mpi.name}: a run for {number.name}")
        time.sleep(0.3)
        run.process.send_signal(number)
        code, seconds = run.ended(20)
        # Open MPI's launcher has a code of its own, and gives its processes a second.
        check(run_is_on and code in ((1, 6, 128 + number) if mpi.is_open_mpi else (6,)) and reason(run.output) == ("stopped early", "a signal"),
              f"{mpi.name}: {number.name} to mpiexec ends the run, which says why and can go on", f"{code} after {seconds} s {run.said()}")
        done = mpi.run(2, mpi.kyoho, "run", "--resume", run.output, "--end", (steps_of(run.output) // 8 + 1) * 0.0625, "--quiet")
        check(done.returncode == 0, f"{mpi.name}: and it goes on", done.stderr)


def steps_of(output):
    """The steps after which a run stopped."""
    with open(os.path.join(output, "run.log"), encoding="utf-8") as file:
        return int(re.findall(r"after (\d+) steps?", file.read())[-1])


def stops(mpi, place, whole):
    run = Run(mpi, os.path.join(place, "stop"), "--end", "100")
    if wait_for(lambda: os.path.exists(os.path.join(run.output, "restart.kyo")), f"{mpi.name}: a run for the file stop"):
        open(os.path.join(run.output, "stop"), "w", encoding="utf-8").close()
    code, seconds = run.ended(30)
    check(code == 6 and len(run.our_lines()) == 1, f"{mpi.name}: the file stop ends the run with code 6 and one line", f"{code} after {seconds} s\n{run.said()}")
    run = Run(mpi, os.path.join(place, "wall"), "--end", END, "--max-wall", "0")
    code, seconds = run.ended(30)
    check(code == 6 and len(run.our_lines()) == 1, f"{mpi.name}: so does --max-wall", f"{code} after {seconds} s\n{run.said()}")
    goes_on(mpi, run.output, whole, "after --max-wall", 3)


def wrapper(path, mpi, rank, line):
    """A script that starts kyoho, and on one rank says `line` before."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\n[ "${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}" != {rank} ] || {line}\nexec "{mpi.kyoho}" "$@"\n')
    os.chmod(path, stat.S_IRWXU)
    return path


def failures(mpi, place):
    """A rank that runs out of memory, and a disk that is full for a rank."""
    for number in (1, 30, 300, 3000) if ALL else (300,):
        program = wrapper(os.path.join(place, "small"), mpi, 1, f"export KYOHO_FAIL_ALLOCATION={number} KYOHO_FAIL_ON=1 LD_PRELOAD={PRELOAD}")
        run = Run(mpi, os.path.join(place, "memory"), "--end", "100", "--overwrite", program=program)
        code, seconds = run.ended(60)
        lines = run.our_lines()
        check(code == 1 and len(lines) == 1 and "memory" in lines[0],
              f"{mpi.name}: a rank without memory from allocation {number} on ends all with a line and code 1", f"{code} after {seconds} s\n{run.said()}")
    for rank in (0, 1):
        run = Run(mpi, os.path.join(place, f"disk{rank}"), "--end", "100", "--restart-every", "0.3")
        if run.wait_for_restart() and check(rank in processes(run.output), f"{mpi.name}: a run for a full disk is found", run.said()):
            resource.prlimit(processes(run.output)[rank], resource.RLIMIT_FSIZE, (4096, 4096))
        code, seconds = run.ended(60)
        lines = run.our_lines()
        check(code == 7 and len(lines) == 1 and "File too large" in lines[0],
              f"{mpi.name}: a disk that is full for rank {rank} ends all with a line and code 7", f"{code} after {seconds} s\n{run.said()}")


with folder() as place:
    found, lacking = mpis.find()
    for name, why in lacking.items():
        skip(name, why)
    if found:
        one = os.path.join(place, "one")
        mpis.run(mpis.KYOHO, *RUN, "--end", END, "--output", one)
        whole = mpis.snapshots(one)
        check(len(whole) == 7, "a run without MPI to compare with", len(whole))
    for k, mpi in enumerate(found):
        own = os.path.join(place, str(k))
        os.mkdir(own)
        killed(mpi, own, whole, 1, 3)
        killed(mpi, own, whole, 0, 0)
        signals(mpi, own, whole)
        stops(mpi, own, whole)
        waits(mpi, own)
        failures(mpi, own)
finish()
