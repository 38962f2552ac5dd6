#!/usr/bin/env python3
"""Simulations of the Python package: motion, changes, Ctrl-C, pickles, forks, threads, memory."""
import environment

environment.enter()
import copy  # noqa: E402
import gc  # noqa: E402
import json  # noqa: E402
import math  # noqa: E402
import os  # noqa: E402
import pickle  # noqa: E402
import re  # noqa: E402
import signal  # noqa: E402
import threading  # noqa: E402
import time  # noqa: E402
import urllib.error  # noqa: E402
import urllib.request  # noqa: E402

import kyoho  # noqa: E402
import kyoho.simulation  # noqa: E402
import numpy as np  # noqa: E402
from pressing import pressing  # noqa: E402
from refused import refused  # noqa: E402
from tap import check, finish, folder, skip, wait_for  # noqa: E402

STEP = 1 / 64
rng = np.random.default_rng(5)
model = kyoho.model("plummer", 300, seed=2)
STATE = ("id", "mass", "position", "velocity", "softening", "type", "acceleration", "potential")


def same(a, b):
    return a.time == b.time and a.steps == b.steps and all(np.array_equal(getattr(a, name), getattr(b, name)) for name in STATE)


def start(**options):
    return kyoho.Simulation(model, **{"step": STEP, **options})


def conditions():
    """Simulations that stop by themselves."""
    line = {"position": [[0, 0, 0], [1, 0, 0], [9, 0, 0]], "velocity": [[0, 0, 0], [-1, 0, 0], [0, 0, 0]], "mass": np.zeros(3), "id": [5, 6, 7],
            "softening": 0, "step": STEP}

    def stop_of(sim, until):
        try:
            sim.integrate(until)
        except kyoho.StoppedError as stop:
            return stop
        return None
    for options, reason, ids, when in (({"radius": [0.1, 0.2, 0], "stop_collision": True}, "stop_collision", (5, 6), 0.7),
                                       ({"stop_collision": True, "body_radius": 0.15}, "stop_collision", (5, 6), 0.7),
                                       ({"stop_pair": 0.3}, "stop_pair", (5, 6), 0.7), ({"stop_box": 0.5, "position": [[0, 0, 0], [0, 0, 0], [0, 0, 0]]}, "stop_box", (6,), 0.25)):
        with kyoho.Simulation(**{**line, **options}) as sim:
            stop = stop_of(sim, 2)
            check(stop and stop.reason == reason and stop.ids == ids and stop.count == 1 and stop.time == sim.time and when < stop.time <= when + STEP,
                  f"{reason} stops, and says why", stop and (stop.reason, stop.ids, stop.time))
            kept = sim.copy()
            check(stop_of(sim, 2) is None and sim.time == 2 and stop_of(kept, 2) is None and kept.time == 2, f"after {reason} the next call continues, of a copy too")
    with kyoho.Simulation(**line, radius=[0.5, 0.6, 7.3]) as sim:
        places, distances = sim.pairs()
        check(places.tolist() == [[0, 1]] and distances.tolist() == [1], "pairs by radii of the bodies", (places, distances))
        places, distances = sim.pairs(4.25)
        check(places.tolist() == [[0, 1], [1, 2]] and distances.tolist() == [1, 8] and len(sim.pairs(0)[0]) == 0, "pairs by one radius", places)
        sim.radius = [0, 0, 8.5]
        check(sim.pairs()[0].tolist() == [[1, 2]] and np.array_equal(sim.snapshot().radius, [0, 0, 8.5]), "radii change, and go with the snapshot")
        refused(ValueError, "a negative radius", ["radius"], sim.pairs, -1)
    refused(ValueError, "stop_collision without radii", ["radii"], kyoho.Simulation, **line, stop_collision=True)
    refused(ValueError, "a distance of 0", ["stop_pair"], kyoho.Simulation, **line, stop_pair=0)


def motion():
    with start() as sim:
        check(np.array_equal(sim.position, model.position) and np.array_equal(sim.velocity, model.velocity) and sim.time == 0
              and sim.n == len(sim) == 300 and np.array_equal(sim.id, np.arange(300)), "a simulation has the bodies of its model")
        x, v, m = sim.position, sim.velocity, sim.mass
        kinetic = 0.5 * (m * (v ** 2).sum(1)).sum()
        energy = kinetic + 0.5 * (m * sim.potential).sum()
        first = sim.energy()
        check(math.isclose(first, energy, rel_tol=1e-10) and math.isclose(sim.sums().kinetic, kinetic, rel_tol=1e-10),
              "energies are those of numpy", f"{first} {energy}")
        sim.advance(10)
        check(sim.steps == 10 and sim.time == 10 * STEP and not np.array_equal(sim.position, x), "advance makes steps")
        sim.integrate(1)
        check(sim.time == 1 and sim.steps == 64 and abs(sim.energy() / first - 1) < 1e-3, "integrate goes to the time, with the energy kept",
              sim.energy() / first - 1)
        sim.integrate(1.01)
        check(sim.time == 1.01, "integrate divides a step")
        refused(ValueError, "a time in a step without shorten", ["1.5"], sim.integrate, 1.51, shorten=False)
        check(sim.time == 1.01, "a time that is refused changes nothing")
        sim.integrate(1.5, shorten=False)
        check(sim.time == 1.5, "and the times of later steps stay", sim.time)
        refused(ValueError, "a time before", ["ahead"], sim.integrate, 1)
        refused(ValueError, "a time that is NaN", ["not a number"], sim.integrate, math.nan)
        refused(TypeError, "half a step", ["whole"], sim.advance, 0.5)
        sim.step = -STEP
        sim.integrate(1.25)
        check(sim.time == 1.25, "negative steps lead back")
    with start() as one, start() as other:
        for _ in range(32):
            one.advance()
        other.advance(32)
        check(same(one, other), "32 calls of a step are a call of 32 steps, bit for bit")
    with kyoho.Simulation(model) as sim:
        check(sim.step is None, "no step is chosen before it is needed")
        sim.advance()
        check(sim.step > 0 and math.log2(sim.step) == round(math.log2(sim.step)), "the first advance chooses a step", sim.step)
    for options in ({"integrator": "block"}, {"integrator": "hermite4", "force": "direct"}, {"integrator": "hermite4", "softening": 0.01}):
        with kyoho.Simulation(model, **options) as sim:
            first = sim.energy()
            sim.integrate(0.5)
            check(sim.time == 0.5 and abs(sim.energy() / first - 1) < 1e-3, f"{options}", f"{sim} {sim.energy() / first - 1}")
    pair = kyoho.Simulation(position=[[0, 0, 0], [1, 0, 0]], mass=0.5, softening=0, integrator="hermite4", step=STEP, step_min=2 ** -24)
    try:
        pair.integrate(2)
        check(False, "a close pair stops", pair)
    except kyoho.StoppedError as stop:
        check(sorted(stop.ids) == [0, 1] and stop.distance < 1e-2 and abs(stop.time / (math.pi / 8 ** 0.5) - 1) < 1e-4,
              "a close pair stops at the collision, with ids, distance and time", f"{stop} {stop.ids}")
    pair.integrate(1.2)
    check(pair.time == 1.2, "and the next call continues")


def few():
    for n in (0, 1, 2):
        with kyoho.Simulation(position=np.arange(3.0 * n).reshape(n, 3), mass=1.0 if n else None, softening=0.1, step=STEP) as sim:
            sim.integrate(1)
            check(sim.time == 1 and sim.position.shape == (n, 3) and np.isfinite(sim.energy()), f"a simulation of {n} bodies")
    refused(ValueError, "unknown softening", ["softening", "recommended"], kyoho.Simulation, position=model.position, mass=1e-3)
    refused(ValueError, "no bodies", ["Snapshot"], kyoho.Simulation)
    refused(ValueError, "a model and arrays", ["not both"], kyoho.Simulation, model, position=model.position)
    refused(ValueError, "NaN", ["velocit"], kyoho.Simulation, position=[[0, 0, 0]], velocity=[[0, math.nan, 0]], softening=0)
    refused(ValueError, "velocities of other bodies", ["velocity", "2 rows"], kyoho.Simulation, position=[[0, 0, 0]], velocity=np.zeros((2, 3)))
    refused(TypeError, "an unknown option", ["'stepp'"], kyoho.Simulation, model, stepp=1)
    closed = start()
    closed.close()
    closed.close()
    refused(ValueError, "a closed simulation", ["closed"], closed.advance)
    refused(ValueError, "the time of a closed simulation", ["closed"], lambda: closed.time)


def changes():
    with start() as sim:
        sim.advance(3)
        before = sim.velocity.copy()
        sim.kick(np.ones((2, 3)), [5, 7])
        moved = sim.velocity - before
        check(np.allclose(moved[[5, 7]], 1) and not moved[:5].any(), "kick adds to velocities")
        refused(ValueError, "an array that is read alone", ["read-only"], sim.position.__setitem__, 0, 1.0)
        x = sim.position.copy()
        x[0] = 9
        sim.position = x
        check(np.array_equal(sim.position[0], [9, 9, 9]), "positions are assigned")
        with sim.changes():
            sim.mass = 2 * sim.mass
            sim.velocity = 0 * before
        check(sim.sums().kinetic == 0 and math.isclose(sim.sums().mass, 2, rel_tol=1e-12), "several changes at once")
        sim.softening = 0.3
        check(sim.parameters["softening"] == 0.3 and sim.softening[0] == 0.3, "one softening for all is assigned")
        sim.softening = np.full(300, 0.2)
        check(sim.parameters["softening"] is None and sim.softening[0] == 0.2, "a softening of each body is assigned")
        sim.softening = 0.2
        sim.add(kyoho.Snapshot([[1, 2, 3]], mass=0.5))
        check(sim.n == 301 and sim.id[-1] == 300 and list(sim.find([300, 4])) == [300, 4], "bodies are added")
        sim.remove([0, 300])
        check(sim.n == 299 and sim.id[0] == 1, "bodies are removed")
        refused(ValueError, "an id that no body has", ["ids"], sim.remove, 300)
        refused(ValueError, "too short an array", ["(298,)", "(299,)"], setattr, sim, "mass", np.ones(298))
        sim.set(step=STEP / 2)
        check(sim.step == STEP / 2 and sim.parameters["step"] == STEP / 2, "options change by name")
        refused(ValueError, "an option that cannot change", ["engine"], sim.set, engine="cpu")
        acc, pot = sim.field(sim.position[:3] + 1e-9, [0.1, 0.2, 0.3])
        check(acc.shape == (3, 3) and sim.tides(sim.position[:3] + 1e-9, 0.2).shape == (3, 3, 3), "tides at points")
        acc, pot = sim.field(sim.position[:3] + 1e-9, 0.2)
        check(acc.shape == (3, 3) and (pot < 0).all(), "field at points")
        snapshot = sim.snapshot()
        check(len(snapshot) == 299 and snapshot.softening == 0.2 and snapshot.time == sim.time and snapshot.acceleration is not None,
              "a snapshot of a simulation")
        check(len(sim.neighbours(0.5)) == 299 and len(sim.density(6)[0]) == 299 and len(sim.groups(linking_length=100.0)) == 1, "searches")
        check(sim.report()["engine"] in repr(sim) and "data:image/png" in sim._repr_html_(), "reports and pictures")


def heartbeat():
    with start() as sim:
        times = []
        sim.heartbeat = lambda now: times.append(now.time)
        sim.integrate(0.125)
        check(times == [k * STEP for k in range(1, 9)], "the heartbeat comes after each step", times)
        sim.heartbeat = lambda now: now.steps == 10
        sim.integrate(1)
        check(sim.steps == 10, "a heartbeat that returns True ends the call", sim)

        def fails(now):
            raise KeyError("mine")
        sim.heartbeat = fails
        refused(KeyError, "what a heartbeat raises", ["mine"], sim.advance, 5)
        sim.heartbeat = None
        sim.advance(5)
        check(sim.steps == 16, "and the simulation continues", sim)


class Clock:
    """A clock on which each step takes this long."""

    def __init__(self, sim, seconds):
        self.sim, self.seconds = sim, seconds

    def perf_counter(self):
        return self.sim.steps * self.seconds


def interrupts():
    with start() as sim, start() as other:
        try:
            with pressing(os.kill, os.getpid(), signal.SIGINT, after=0.3):
                sim.integrate(1e9)
            check(False, "Ctrl-C ends integrate")
        except KeyboardInterrupt:
            check(0 < sim.time < 1e6 and sim.time == sim.steps * STEP, "Ctrl-C ends integrate between steps", sim)
        many = sim.steps
        sim.advance(3)
        other.advance(many + 3)
        check(same(sim, other), "and the simulation continues with the bits of one that was not interrupted")
    with start() as sim:
        with pressing(sim.stop, after=0.1):
            sim.integrate(1e9)
        check(0 < sim.time < 1e6 and sim.time == sim.steps * STEP, "stop() of another thread ends integrate between steps", sim)
        many = sim.steps
        sim.advance(2)
        check(sim.steps == many + 2, "and the next call continues", sim)
    universe = {"position": rng.normal(size=(50, 3)), "mass": 1e-3, "softening": 0.1, "time": 0.01, "expansion": "omega-m=1,h0=1"}
    with kyoho.Simulation(**universe, step=1 / 64) as sim:
        sim.integrate(0.3)
        check(sim.time == 0.3 and sim.steps > 10, "steps that are equal in ln a lead to a time", sim)
        sim.heartbeat = print
        refused(ValueError, "a heartbeat between such steps", ["heartbeat", "advance"], sim.integrate, 0.4)
    with kyoho.Simulation(kyoho.model("cosmic-box", n=64, side=20)) as sim:
        sim.advance(1)
        chosen, first = sim.parameters["late_step"], sim.time
        sim.step = 0.05
        sim.advance(1)
        check(chosen == 0.012 and sim.parameters["late_step"] is None and abs(math.log(sim.time / first) - 0.05) < 1e-6,
              "a comoving box chooses steps that late_step divides; an assigned step is the step", (chosen, sim.parameters["late_step"], first, sim.time))
    with kyoho.Simulation(kyoho.model("cosmic-box", n=64, side=20), step_a=0.01) as sim:
        sim.integrate(0.1)
        sim.advance(1)
        first = sim.time
        sim.advance(1)
        check(sim.parameters["step"] == 0.12 and first > 0.1 and abs(sim.time - first - 0.01) < 1e-12, "step_a makes steps that are equal in a", (first, sim.time))
    with kyoho.Simulation(**universe, step=1e-7) as sim:
        try:
            with pressing(os.kill, os.getpid(), signal.SIGINT, after=0.2):
                sim.integrate(0.6)
            check(False, "Ctrl-C ends steps that are equal in ln a")
        except KeyboardInterrupt:
            many = sim.steps
            sim.advance(2)
            check(0 < many and sim.steps == many + 2 and sim.time < 0.5, "Ctrl-C ends steps that are equal in ln a, and the simulation continues", sim)
    real = kyoho.simulation.clock
    for seconds in (0.001, 0.03, 0.3):
        with start() as sim:
            calls, change = [], sim._change
            sim._change = lambda function, *given: calls.append(given[0]) or change(function, *given)
            kyoho.simulation.clock = Clock(sim, seconds)
            sim.advance(300)
            kyoho.simulation.clock = real
            longest = max(calls)
            check(sum(calls) == 300 and longest * seconds <= max(0.2, seconds), f"where a step takes {seconds} s, no call keeps Ctrl-C "
                  "waiting for 0.2 s, or longer than a step", calls)


def keeping():
    with start(threads=1) as sim, folder() as place:
        sim.integrate(0.3)
        twin, second, third = pickle.loads(pickle.dumps(sim)), sim.copy(), copy.deepcopy(sim)
        check(all(same(sim, one) for one in (twin, second, third)), "a pickle goes round bit for bit, and so do copies")
        path = os.path.join(place, "state.kyo")
        sim.save(path)
        fourth = kyoho.restore(path)
        for one in (sim, twin, second, fourth):
            one.integrate(0.6)
        check(all(same(sim, one) for one in (twin, second, fourth)) and twin.parameters["threads"] == 1, "and they continue with the same bits")
        check(not same(third, sim), "a copy stays where it is")
        refused(ValueError, "a file that is none", ["nothing.kyo"], kyoho.restore, os.path.join(place, "nothing.kyo"))
        refused(OSError, "a folder that is not there", ["none"], sim.save, os.path.join(place, "none", "state"))
    galaxy = kyoho.Simulation(position=[[0, 0, 0], [1, 0, 0]], mass=1, softening=0.1, units="galaxy", step=1e-3)
    twin = pickle.loads(pickle.dumps(galaxy))
    check(twin.units == galaxy.units and twin.parameters["g"] == galaxy.units.g, "a pickle keeps the units")


def functions():
    """A field that is a function, as the field with a name; copies and files keep it."""
    asked = []

    def plummer(position, time):
        asked.append(len(position))
        s2 = (position ** 2).sum(1) + 0.25
        return -2 * position / s2[:, None] ** 1.5, -2 / np.sqrt(s2)
    bodies = kyoho.model("plummer", n=100)
    with kyoho.Simulation(bodies, step=0.01, field=plummer) as own, \
            kyoho.Simulation(bodies, step=0.01, field="plummer:mass=2,scale=0.5") as named:
        own.advance(5)
        named.advance(5)
        check(abs(own.position - named.position).max() < 1e-12 and max(asked) == 100, "a function moves bodies as the field it is")
        check(abs(own.energy() / named.energy() - 1) < 1e-12,
              "the energy in a function")
        twin = own.copy()
        own.advance(2)
        twin.advance(2)
        check(np.array_equal(own.position, twin.position), "a copy has the function")


def child(work):
    """What work() returns in a forked child, or "hangs"."""
    out, into = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            text = work()
        except Exception as why:
            text = f"{type(why).__name__}: {why}"
        os.write(into, text.encode())
        os._exit(0)
    os.close(into)
    for _ in range(3000):
        if os.waitpid(pid, os.WNOHANG)[0]:
            return os.read(out, 4000).decode()
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return "hangs"


def forks():
    with start(threads=2, engine="cpu") as sim, start(threads=2, engine="cpu") as other:
        sim.advance(4)
        other.advance(4)

        def work():
            sim.advance(8)
            return repr(sim.position.sum())
        found = child(work)
        other.advance(8)
        check(found == repr(other.position.sum()), "a simulation on the CPU goes on in a forked child", found)

        def forces():
            return repr(kyoho.gravity(model.position, model.mass, 0.1, engine="cpu")[1].sum())
        check(child(forces) == forces(), "and so do forces")
    if not os.environ.get("KYOHO_TEST_ALL"):
        skip("a simulation on a device in a forked child", "make check-all runs this, whose kernels take seconds to compile")
        return
    try:
        sim = start(engine="opencl", force="direct")
    except kyoho.Error as why:
        skip("a simulation on a device in a forked child", why)
        return
    found = child(work)
    check(found.startswith("FaultError") and "spawn" in found, "on a device the child gets an error that says what to do", found)


def threads():
    with kyoho.Simulation(kyoho.model("plummer", 3000, seed=1), step=STEP, force="direct") as sim:
        turns = [0]
        working = True

        def count():
            while working:
                turns[0] += 1
                time.sleep(0)
        counter = threading.Thread(target=count)
        counter.start()
        during, steps = 0, 10
        while during <= 10 and steps < 1000:  # on a busy machine the other thread gets few turns in a short call
            steps *= 2
            before = turns[0]
            kyoho._library.call(kyoho._library.lib.ky_sim_advance, sim._sim, steps)
            during = turns[0] - before
        working = False
        counter.join()
        check(during > 10, "other threads run while the library computes", during)
        made = sim.steps
        many = [threading.Thread(target=sim.advance, args=(5,)) for _ in range(4)]
        for one in many:
            one.start()
        for one in many:
            one.join()
        check(sim.steps == made + 20, "threads share a simulation, one after the other", sim)


def memory():
    if os.environ.get("KYOHO_TEST_SANITIZED"):
        skip("memory that is kept", "a sanitizer keeps what has been freed")
        return

    def resident():
        gc.collect()
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def some(count):
        for _ in range(count):
            with start(threads=1) as sim:
                sim.advance()
                sim.position
    some(100)
    before = resident()
    some(1000)
    grown = resident() - before
    check(grown < 1 << 20, "1,000 simulations that are opened and closed keep no memory", f"{grown} bytes")

    def more(count):
        for _ in range(count):
            kyoho.model("uniform-cube", 1000, seed=1).position.sum(), kyoho.neighbours(model.position, 0.1, threads=1).count
    more(50)
    before = resident()
    more(200)
    grown = resident() - before
    check(grown < 2 << 20, "models and lists of neighbours are freed", f"{grown} bytes")


def tables():
    with folder() as there:
        path = os.path.join(there, "path.csv")
        with open(path, "w", encoding="ascii") as file:
            file.writelines(f"{k},{math.cos(k)},{math.sin(k)},0\n" for k in range(11))
        field = f"plummer:mass=1,scale=0.5,centre=@{path}"
        with start(field=field) as sim:
            sim.advance(4)
            twin = pickle.loads(pickle.dumps(sim))
            sim.advance(4), twin.advance(4)
            check(same(sim, twin) and sim.position.mean(0)[0] > 1e-4, "a field on its path, and a pickle that goes on")
            refused(ValueError, "a time past the end of a table", ["path.csv has times from 0 to 10"], sim.integrate, 11)
            check(0 < sim.time <= 10, "which is not passed", sim.time)
        refused(ValueError, "a field without its table", ["there is no file lost.csv"], start, field="point:mass=1,centre=@lost.csv")


def outlives():
    x = kyoho.model("plummer", 1000, seed=1).position
    gc.collect()
    others = [kyoho.model("plummer", 1000, seed=k).position for k in range(2, 30)]
    check(np.array_equal(x, kyoho.model("plummer", 1000, seed=1).position) and len(others) == 28, "an array outlives its snapshot")


def ask(address, path, method="GET"):
    """What the view answers to a page that has the token of the address."""
    place, token = address.split("/?token=")
    request = urllib.request.Request(place + path, method=method, headers={"X-Kyoho-Token": token})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.read()


def told(address, number):
    """The numbers of the first frame after that one."""
    frame = ask(address, f"/frame?from={number}")
    length = int.from_bytes(frame[:4], "little")
    return json.loads(frame[4:4 + length])


def frame_until(address, last, condition):
    """The first frame after the frame `last` of which that is true."""
    while True:
        last = told(address, last["number"])
        if condition(last):
            return last


def framing(address):
    """What the headers of the page say about frames."""
    with urllib.request.urlopen(address, timeout=30) as answer:
        return answer.headers["X-Frame-Options"], re.search("frame-ancestors [^;]*", answer.headers["Content-Security-Policy"])[0]


def frames():
    """frame=True shows the page in a frame of a notebook of this machine, and opens no browser."""
    here = (None, "frame-ancestors http://127.0.0.1:* http://localhost:* https://127.0.0.1:* https://localhost:*")
    with start() as sim:
        shown = sim.view(frame=True)
        check(f'<iframe src="{shown}"' in shown._repr_html_() and framing(shown) == here, "a simulation in a frame", (shown._repr_html_(), framing(shown)))
        refused(urllib.error.HTTPError, "a frame without the token", ["403"], urllib.request.urlopen, shown.partition("?")[0])
        refused(TypeError, "a frame that is none", ["True or False"], sim.view, frame="yes")
    with folder() as place:
        run = kyoho.run(model, os.path.join(place, "run"), steps=8, step=STEP, at=[4 * STEP])
        titles = []
        for name, what, count in (("a run", run, 3), ("a folder", run.folder, 3), ("a file", run.snapshots[0], 1), ("a snapshot", model, 1), ("a simulation", start(), 1)):
            shown = kyoho.view(what, frame=True)
            frame = told(shown, 0)
            check(frame["bodies"] == len(model) and frame["snapshots"] == count and framing(shown) == here and isinstance(shown, kyoho.View), f"kyoho.view of {name}", frame)
            titles.append(frame["title"])
            shown.close()
            refused(OSError, f"{name} after close()", [], urllib.request.urlopen, shown)
        check(titles == [run.folder, run.folder, run.snapshots[0], "a snapshot", "a snapshot"], "the page names what it shows", titles)
        cut = os.path.join(place, "cut" + os.path.splitext(run.snapshots[0])[1])
        with open(run.snapshots[0], "rb") as whole, open(cut, "wb") as part:
            part.write(whole.read(1000))
        refused(kyoho.BadDataError, "a view of a file that is cut off", ["cut"], kyoho.view, cut, browser=False)
        os.mkdir(os.path.join(place, "empty"))
        refused(kyoho.BadDataError, "a view of an empty folder", ["empty"], kyoho.view, os.path.join(place, "empty"), browser=False)
        refused(FileNotFoundError, "a view of no file", ["nothing"], kyoho.view, os.path.join(place, "nothing"), browser=False)
        refused(TypeError, "a view of an array", ["kyoho.Snapshot"], kyoho.view, model.position, browser=False)
        for name, value, says in (("port", -1, "65535"), ("port", 65536, "65535"), ("bodies", 0, "from 1")):
            refused(kyoho.UsageError, f"{name}={value}", [f"{name} is {value};", says], kyoho.view, model, browser=False, **{name: value})
        shown = kyoho.view(model, browser=False)
        port = int(shown.partition("/?")[0].rpartition(":")[2])
        refused(kyoho.UnsupportedError, "a port in use", ["choose another port"], kyoho.view, model, browser=False, port=port)
        shown.close()


def viewing():
    with folder() as place, start() as sim:
        before = os.getcwd()
        os.chdir(place)
        try:
            address = sim.view(browser=False, bodies=100)
            check(address.startswith("http://127.0.0.1:") and sim.view(browser=False) == address, "view() gives the address of the page", address)
            check(b"<html" in urllib.request.urlopen(address, timeout=30).read(), "the page is there")
            sim.advance(3)
            check(sim.steps == 3, "a view that nobody looks at changes nothing", sim)
            with start() as alone:
                alone.advance(3)
                check(same(alone, sim), "steps that are shown have the same bits")
            work = threading.Thread(target=sim.advance, args=(10**9,))
            work.start()
            first = told(address, 0)
            second = told(address, first["number"])
            check(0 < first["steps"] < second["steps"] and first["bodies"] == 300 and 60 < first["shown"] <= 100 and first["end"] is None,
                  "frames of the steps, with a sample of the bodies", (first, second))
            ask(address, "/pause", "POST")
            paused = frame_until(address, second, lambda text: text["paused"])
            held = paused["steps"]
            time.sleep(0.3)
            check(sim.steps == held, "the button pauses the call that advances", (held, sim.steps))
            ask(address, "/step", "POST")
            stepped = frame_until(address, paused, lambda text: text["steps"] > held)
            time.sleep(0.3)
            check(stepped["steps"] == sim.steps == held + 1, "another makes one step", (stepped, sim.steps))
            ask(address, "/snapshot", "POST")
            wait_for(lambda: any(not name.endswith(".part") for name in os.listdir(place)), "the snapshot is written")
            names = os.listdir(place)
            check(len(names) == 1 and names[0].startswith(f"view_{sim.steps:08d}.") and kyoho.read(names[0]).time == sim.time,
                  "another writes a snapshot", names)
            ask(address, "/resume", "POST")
            ask(address, "/stop", "POST")
            work.join(60)
            check(not work.is_alive(), "another ends the call")
            steps = sim.steps
            sim.advance(2)
            check(sim.steps == steps + 2, "the next call goes on", (steps, sim.steps))
            ask(address, "/pause", "POST")
            work = threading.Thread(target=sim.advance, args=(10**9,))
            work.start()
            frame_until(address, stepped, lambda text: text["paused"] and text["steps"] > steps + 2)
            sim.stop()
            work.join(60)
            check(not work.is_alive(), "stop() ends a call that a page has paused")
        finally:
            os.chdir(before)
        refused(kyoho.UsageError, "a port that is none", ["70000"], start().view, port=70000, browser=False)
        check(address._repr_html_() is None and framing(address) == ("DENY", "frame-ancestors 'none'"), "without frame=True no page shows it in a frame", framing(address))
        refused(kyoho.UsageError, "a frame of a view without", ["open already"], sim.view, browser=False, frame=True)
    try:
        urllib.request.urlopen(address, timeout=60)
        check(False, "a closed simulation has no page")
    except OSError:
        check(True, "a closed simulation has no page")


for part in (motion, functions, few, conditions, changes, heartbeat, interrupts, viewing, frames, keeping, forks, threads, tables, outlives, memory):
    part()
finish()
