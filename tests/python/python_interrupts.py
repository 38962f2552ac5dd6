#!/usr/bin/env python3
"""Ctrl-C, and other exceptions that a signal raises, in calls of the Python package that compute once: they end soon, and the
same call gives the same numbers afterwards."""
import environment

environment.enter()
import math  # noqa: E402
import os  # noqa: E402
import signal  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402
import threading  # noqa: E402
import time  # noqa: E402

import kyoho  # noqa: E402
import numpy as np  # noqa: E402
from pressing import pressing  # noqa: E402
from refused import refused  # noqa: E402
from tap import check, finish  # noqa: E402

PATIENCE = 0.3  # seconds
ALL = bool(os.environ.get("KYOHO_TEST_ALL"))
N = 100_000 if ALL else 30_000
TRIED = ("accelerations", "few", "neighbours", "model", "sim.field", "sim.groups")  # of check; tests/unit/halt.c ends all calls
CPU = {"engine": "cpu"}  # a GPU takes milliseconds, and a forked child cannot use the one of its parent
model = kyoho.model("plummer", N, seed=3)
x, m = model.position, model.mass


def press(after, number, presses, over):
    """Sends signals to this process at this processor time, on which other programs have no bearing. Returns when it was, or None where
    the call is over before."""
    while time.process_time() < after and not over:
        time.sleep(0.0005)
    if over:
        return None
    at = time.process_time()
    for _ in range(presses):
        os.kill(os.getpid(), number)
        time.sleep(0.002)
    return at


def late(work, took, number=signal.SIGINT, presses=1, kind=KeyboardInterrupt):
    """How long after a signal, which comes when 0.3 of its work is done, work() ends by this exception, in seconds of processor time;
    infinite where the signal is lost; None where the work was done before."""
    over, at, heard, found = [], [], [], None

    def raises(number, frame):
        heard.append(number)
        if not over:
            raise kind("a signal")
    before = signal.signal(number, raises)
    presser = threading.Thread(target=lambda after: at.append(press(after, number, presses, over)), args=(time.process_time() + 0.3 * took,))
    presser.start()
    try:
        work()
    except kind:
        found = time.process_time()
    while not over:
        try:
            over.append(True)
        except kind:
            continue
    presser.join()
    signal.signal(number, before)
    if at[0] is not None and not heard:
        return math.inf
    return None if found is None or at[0] is None else found - at[0]


def soon(work, took, **how):
    """late(), in the first try in which the work was not done before: on a busy machine the thread that sends the signal may wake too
    late. Infinite after many such tries."""
    tries = (late(work, took, **how) for _ in range(30))
    return next((seconds for seconds in tries if seconds is not None), math.inf)


def numbers(found):
    """The numbers of a result, as arrays."""
    if isinstance(found, kyoho.Snapshot):
        return [found.position, found.velocity, found.mass]
    if isinstance(found, (kyoho.Neighbours, kyoho.Groups)):
        return [found.offset, found.body]
    return list(found) if isinstance(found, tuple) else [found]


def same(a, b):
    return all(np.array_equal(one, other) for one, other in zip(numbers(a), numbers(b)))


def ends(name, work):
    if not ALL and name not in TRIED:
        return
    began = time.process_time()
    wanted = work()
    took = time.process_time() - began
    seconds = soon(work, took)
    print(f"# {name} takes {took:.3f} s, ended after {seconds:.3f} s")
    check(seconds < (PATIENCE if N < 100_000 else min(PATIENCE, 0.35 * took)), f"Ctrl-C ends {name} soon", f"takes {took} s, ended after {seconds} s")
    check(same(wanted, work()), f"{name}: the same numbers afterwards")


def alone():
    ends("accelerations", lambda: kyoho.accelerations(x, m, 0.01, force="direct", **CPU))
    ends("gravity", lambda: kyoho.gravity(x, m, 0.01, force="fmm", error=1e-5, **CPU))
    ends("potential", lambda: kyoho.potential(x, m, 0.01, theta=0.3, **CPU))
    ends("field", lambda: kyoho.field(x, x, m, 0.01, theta=0.3, **CPU))
    ends("tides", lambda: kyoho.tides(x, x, m, 0.01, **CPU))
    ends("neighbours", lambda: kyoho.neighbours(x, 0.05, **CPU))
    ends("density", lambda: kyoho.density(x, m, 64, **CPU))
    ends("groups", lambda: kyoho.groups(x, m, linking_length=0.1, **CPU))
    ends("few", lambda: kyoho.few(x[:300].reshape(-1, 3, 3), np.zeros((100, 3, 3)), [1, 1, 1], 20).position)
    ends("model", lambda: kyoho.model("king", 4 * N, w0=6, seed=1))
    ends("merge", lambda: kyoho.merge(model, model, separation=10, pericentre=1, radius=2))


def of_a_simulation():
    with kyoho.Simulation(model, softening=0.01, step=1 / 64, **CPU) as sim, kyoho.Simulation(model, softening=0.01, step=1 / 64, **CPU) as other:
        ends("sim.field", lambda: sim.field(x))
        ends("sim.tides", lambda: sim.tides(x))
        ends("sim.neighbours", lambda: sim.neighbours(0.05))
        ends("sim.density", lambda: sim.density(64))
        ends("sim.groups", lambda: sim.groups(linking_length=0.1))
        ends("sim.pairs", lambda: sim.pairs(0.02))
        sim.stop()
        check(len(sim.pairs(0.001)[0]) > 0, "a stop() that was meant for a call that advances ends no search")
        sim.advance(2)
        other.advance(2)
        check(np.array_equal(sim.position, other.position), "the simulation continues with the bits of one that was not interrupted")
        with pressing(sim.stop, often=True):
            refused(kyoho.StoppedError, "a search that stop() of another thread ends", ["stopped"], lambda: [sim.tides(x) for _ in range(100)])


def signals():
    def work():
        return kyoho.tides(x, x, m, 0.01, **CPU)
    began = time.process_time()
    work()
    took = time.process_time() - began
    seconds = soon(work, took, presses=5)
    check(seconds < PATIENCE, "Ctrl-C that is pressed often ends a call once", seconds)
    seconds = soon(work, took, number=signal.SIGUSR1, kind=TimeoutError)
    check(seconds < PATIENCE, "so does another exception that a signal raises", seconds)


def two_signals():
    """Two signals at once: the second comes while the exception of the first is on its way."""
    def raises(number, frame):
        raise TimeoutError(number)

    def send(after):
        while time.process_time() < after:
            time.sleep(0.0005)
        for number in numbers:
            os.kill(os.getpid(), number)
    numbers, found = (signal.SIGUSR1, signal.SIGUSR2), []
    before = [signal.signal(number, raises) for number in numbers]
    for _ in range(5):
        sender = threading.Thread(target=send, args=(time.process_time() + 0.05,))
        try:
            sender.start()
            while True:
                kyoho.tides(x, x, m, 0.01, **CPU)
        except Exception as why:
            found.append(type(why))
        try:
            sender.join()
        except TimeoutError:
            sender.join()
    for number, handler in zip(numbers, before):
        signal.signal(number, handler)
    check(found == [TimeoutError] * 5, "two signals at once end a call by the exception of one of them", found)


def at_the_end():
    """Calls when Python ends, where it begins no thread."""
    text = "import atexit, kyoho; atexit.register(lambda: print(kyoho.accelerations([[0, 0, 0], [1, 0, 0]], 1.0, 0.0)[0, 0]))"
    done = subprocess.run([sys.executable, "-c", text], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
    check(done.returncode == 0 and done.stdout.strip() == "1.0", "a function of atexit computes forces", done.stdout)


def reasons():
    """What a search that stop() ends says, after another stop of the simulation."""
    def stopped(work):
        try:
            work()
        except kyoho.StoppedError as why:
            return why.reason, len(why.ids), why.asked, why.time, why.count > 0
        return None
    with kyoho.Simulation(model, softening=0.01, step=1 / 64, stop_pair=0.01) as sim:
        why = stopped(sim.advance)
        check(why == ("stop_pair", 2, False, sim.time, True), "a pair stops the simulation", why)
        with pressing(sim.stop, often=True):
            why = stopped(lambda: [sim.tides(x) for _ in range(100)])
        check(why == ("asked", 0, True, sim.time, False), "stop() ends a search then, which tells of no pair", why)


def functions():
    """What a function of the user sees in the thread of the call, and raises there."""
    def bad(position, time):
        raise ZeroDivisionError("mine")
    refused(ZeroDivisionError, "an exception of a field function", ["mine"], kyoho.accelerations, x[:100], m[:100], 0.1, field=bad)
    seen = []

    def look(position, time):
        seen.append(np.geterr()["divide"])
        return np.zeros_like(position), np.zeros(len(position))
    with np.errstate(divide="raise"):
        kyoho.accelerations(x[:100], m[:100], 0.1, field=look)
    check(seen and set(seen) == {"raise"}, "a field function has the caller's settings of numpy", seen)


def threads():
    def work():
        return kyoho.accelerations(x, m, 0.01, **CPU)
    wanted = work()
    found = []
    some = [threading.Thread(target=lambda: found.append(work())) for _ in range(3)]
    for one in some:
        one.start()
    for one in some:
        one.join()
    check(len(found) == 3 and all(same(wanted, one) for one in found), "calls of other threads give the same numbers")
    pid = os.fork()
    if not pid:
        signal.alarm(60)  # ends a child that waits for ever
        os._exit(0 if same(wanted, work()) else 1)
    check(os.waitpid(pid, 0)[1] == 0, "and so do those of a forked child")


for part in (alone, of_a_simulation, signals, two_signals, at_the_end, reasons, functions, threads):
    part()
finish()
