#!/usr/bin/env python3
"""What may go wrong around simulations in Python: field functions that fail, Ctrl-C within them, threads that use one simulation,
forks, and a second view."""
import environment

environment.enter()
import errno  # noqa: E402
import gc  # noqa: E402
import logging  # noqa: E402
import math  # noqa: E402
import os  # noqa: E402
import re  # noqa: E402
import signal  # noqa: E402
import threading  # noqa: E402
import time  # noqa: E402
import weakref  # noqa: E402

import kyoho  # noqa: E402
import kyoho.simulation  # noqa: E402
import numpy as np  # noqa: E402
from pressing import pressing  # noqa: E402
from refused import refused  # noqa: E402
from tap import check, finish, skip  # noqa: E402

SANITIZED = os.environ.get("KYOHO_TEST_SANITIZED")
STEP = 1 / 64
PATIENCE = 60  # seconds
model = kyoho.model("plummer", 300, seed=2)


def spring(x, time):
    return -x, 0.5 * (x ** 2).sum(1)


def start(**options):
    return kyoho.Simulation(model, **{"step": STEP, **options})


def answers():
    """What a field function may not return."""
    def returns(**changed):
        def field(x, time):
            acc, pot = spring(x, time)
            return changed.get("acc", lambda a: a)(acc), changed.get("pot", lambda p: p)(pot)
        return field
    n = len(model)
    for name, kind, words, field in (
            ("NaN", kyoho.BadDataError, ["not finite", "place 7"], returns(acc=lambda a: np.where(np.arange(n)[:, None] == 7, math.nan, a))),
            ("infinity", kyoho.BadDataError, ["accelerations", "not finite"], returns(acc=lambda a: a * math.inf)),
            ("its transpose", kyoho.UsageError, ["(3, 300)", "(300, 3)"], returns(acc=lambda a: a.T)),
            ("one row for all", kyoho.UsageError, ["(1, 3)"], returns(acc=lambda a: a[:1])),
            ("one number for all", kyoho.UsageError, ["shape ()"], returns(pot=lambda p: 0.0)),
            ("a column", kyoho.UsageError, ["potentials", "(300, 1)"], returns(pot=lambda p: p[:, None])),
            ("None as potentials", TypeError, ["potentials"], returns(pot=lambda p: None)),
            ("complex numbers", TypeError, ["complex"], returns(acc=lambda a: a + 1j)),
            ("text", TypeError, ["real numbers"], returns(acc=lambda a: a.astype(str))),
            ("masked numbers", kyoho.UsageError, ["masked"], returns(acc=lambda a: np.ma.masked_array(a, a > 0))),
            ("nothing", TypeError, ["returns accelerations"], lambda x, time: None)):
        refused(kind, f"a field function that returns {name}", words, kyoho.accelerations, model.position, model.mass, 0.1, field=field)
    exact = kyoho.accelerations(model.position, 0.0, 0.1, field=spring)
    single = kyoho.accelerations(model.position, 0.0, 0.1, field=returns(acc=lambda a: np.asfortranarray(a, "f4"), pot=lambda p: p * math.nan))
    check(np.allclose(exact, single, rtol=1e-6) and np.allclose(exact, -model.position), "other layouts and float32 are taken, and unused potentials")
    for given in (5, ["plummer:mass=1,scale=1", "point:mass=1"], (spring, "point:mass=1"), ("point:mass=1", "point:mass=1")):
        refused(TypeError, f"the field {given!r}", ["text, a function"], start, field=given)
    tide = kyoho.tides([[0.3, 0, 0]], model.position, 0.0, 0.1, field=lambda x, time, v: (*spring(x, time), -v))
    check(np.allclose(tide, -np.eye(3)), "tides of a function take its jerks", tide)


def failures():
    """A field function that fails while the bodies move."""
    for integrator in ("leapfrog", "block"):
        calls = []

        def field(x, time):
            calls.append(time)
            if len(calls) == 6:
                raise KeyError("the sixth")
            return spring(x, time)
        sim = start(field=field, integrator=integrator)
        sim.advance(2)
        kept = sim.copy()
        refused(KeyError, f"a field function that fails in a step of {integrator}", ["the sixth"], sim.advance, 40)
        check(sim.steps < 10, "ends the call there", sim.steps)
        for name, use in (("advance", sim.advance), ("position", lambda: sim.position), ("energy", sim.energy), ("save", lambda: sim.save("no"))):
            refused(kyoho.BadDataError, f"{name} of bodies that are lost", ["the sixth", "copy"], use)
        sim.close()
        kept.advance(20)
        with start(field=spring, integrator=integrator) as other:
            other.advance(22)
            check(np.array_equal(other.position, kept.position), "a copy made before goes on with the same bits")
    for name, use in (("close", lambda sim: sim.close()), ("advance", lambda sim: sim.advance()), ("remove", lambda sim: sim.remove([3])),
                      ("energy", lambda sim: sim.energy())):
        calls = []

        def uses(x, time):
            calls.append(time)
            if len(calls) == 3:
                use(sim)
            return spring(x, time)
        sim = start(field=uses)
        refused(kyoho.UsageError, f"a field function that calls {name}", ["is computing"], sim.advance, 9)
    sim = start(field=spring)
    failing = [False]

    def sometimes(x, time):
        if failing[0]:
            raise KeyError("now")
        return spring(x, time)
    with start(field=sometimes) as sim:
        failing[0] = True
        refused(KeyError, "a field at points that fails", ["now"], sim.field, [[0, 0, 1]], 0.1)
        failing[0] = False
        sim.advance(3)
        check(sim.steps == 3, "leaves the bodies")


def several():
    """Functions of several simulations in several threads fail for their own."""
    found = {}

    def work(k):
        def field(x, time):
            if k % 2 and time > 0.1:
                raise KeyError(k)
            return spring(x, time)
        sim = start(field=field)
        try:
            for _ in range(30):
                sim.advance()
            found[k] = sim.steps
        except Exception as why:
            found[k] = why.args
    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(PATIENCE)
    check(found == {k: (k,) if k % 2 else 30 for k in range(6)}, "a field function that fails ends the calls of its own simulation alone", found)


def interrupts():
    """Ctrl-C comes as a signal while a field function is at work, and its simulation keeps its bits."""
    calls = []

    def busy(x, now):
        calls.append(now)
        end = time.monotonic() + 0.002
        while time.monotonic() < end:
            pass
        return spring(x, now)
    for integrator in ("leapfrog", "block"):
        with start(field=busy, integrator=integrator) as sim, start(field=spring, integrator=integrator) as other:
            ended = 0
            for k in range(8):
                try:
                    with pressing(os.kill, os.getpid(), signal.SIGINT, after=0.05 + 0.003 * k):
                        sim.advance(10 ** 6)
                except KeyboardInterrupt:
                    ended += 1
            other.advance(sim.steps)
            check(ended == 8 and sim.steps > 8 and np.array_equal(sim.position, other.position),
                  f"Ctrl-C in a field function, {integrator}: the same bits as without", (ended, sim.steps))

    class Breaking(logging.Handler):
        def emit(self, record):
            raise KeyboardInterrupt
    handler = Breaking()
    logging.getLogger("kyoho").addHandler(handler)
    refused(KeyboardInterrupt, "Ctrl-C within a remark", [], kyoho.Snapshot(np.empty((0, 3)))._repr_html_)
    logging.getLogger("kyoho").removeHandler(handler)


def shared():
    """Threads read and change one simulation, whose number of bodies changes."""
    sim, stop, wrong = start(), [], []

    def reads():
        try:
            while not stop:
                n = {len(sim.position), len(sim.density(5)[0]), len(sim.snapshot()), sim.neighbours(0.1).count.size, sim.copy().n}
                if not n <= {250, 300}:
                    wrong.append(n)
        except Exception as why:
            wrong.append(why)
    threads = [threading.Thread(target=reads) for _ in range(3)]
    for one in threads:
        one.start()
    for k in range(60):
        sim.remove(sim.id[:50])
        sim.add(kyoho.Snapshot(model.position[:50] + k, mass=1e-3))
    stop.append(True)
    for one in threads:
        one.join(PATIENCE)
    check(not wrong, "threads that read while the number of bodies changes", wrong)


def forks():
    def child(work):
        """Whether work() is true in a child of this process, which may not wait for ever."""
        process = os.fork()
        if process == 0:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(PATIENCE)
            good = False
            try:
                good = work()
            finally:
                os._exit(0 if good else 1)
        return os.waitpid(process, 0)[1] == 0

    sim = start(engine="cpu")
    work = threading.Thread(target=sim.advance, args=(10 ** 9,))
    work.start()
    while sim.steps < 3:
        pass

    def lost():
        try:
            sim.advance()
        except kyoho.BadDataError as why:
            return "another thread" in str(why)
        return sim.steps > 0  # the fork came between two calls of the thread
    check(child(lost), "a child of a process whose other thread advances does not wait for it")
    sim.stop()
    work.join(PATIENCE)
    address = sim.view(browser=False)
    check(child(lambda: sim.advance() is None and sim.view(browser=False) != address and sim.close() is None), "a child has a view of its own")
    steps = sim.steps
    sim.advance()
    check(sim.steps == steps + 1 and sim.view(browser=False) == address, "its parent goes on with its view")
    sim.close()
    del sim
    gc.collect()


def views():
    with start() as sim:
        found = []
        threads = [threading.Thread(target=lambda: found.append(sim.view(browser=False, bodies=50))) for _ in range(4)]
        for one in threads:
            one.start()
        for one in threads:
            one.join(PATIENCE)
        check(len(found) == 4 and len(set(found)) == 1, "threads that ask for a view at once get one", found)
        check(sim.view(browser=False) == found[0] == sim.view(browser=False, bodies=50), "and later calls the same")
        refused(kyoho.UsageError, "another sample of a view that is open", ["open already"], sim.view, browser=False, bodies=60)
        refused(kyoho.UsageError, "another port of a view that is open", ["open already"], sim.view, browser=False, port=65000)
    with kyoho.Simulation(position=np.empty((0, 3)), softening=0, step=STEP) as empty:
        empty.view(browser=False)
        empty.advance(3)
        check(empty.steps == 3, "a view of no bodies")
    refused(kyoho.UsageError, "a view of a closed simulation", ["closed"], empty.view, browser=False)


def cycles():
    """A field function that knows its simulation is freed with it."""
    def made():
        box = []

        def field(x, time):
            return spring(x, time) if len(box) < 2 else None
        sim = start(field=field)
        box.append(sim)
        sim.advance(2)
        return weakref.ref(sim)
    seen = made()
    gc.collect()
    check(seen() is None, "a simulation whose field function knows it is freed")


def words():
    """Errors speak of arguments of Python; what would be ignored is refused."""
    x, m = model.position, model.mass
    for name, words, function, arguments, options in (
            ("a linking length below 0", ["linking_length: -1.0"], kyoho.groups, (x, m), {"linking_length": -1}),
            ("a linking length and a volume", ["leave out volume"], kyoho.groups, (x, m), {"linking_length": 1, "volume": 2}),
            ("stop_pair below 0", ["stop_pair: -1", "above 0"], start, (), {"stop_pair": -1}),
            ("stop_pair 0", ["stop_pair: 0", "above 0"], start, (), {"stop_pair": 0}),
            ("a step of 0", ["give step,"], lambda: start(step=0).advance(), (), {}),
            ("an infinite step", ["finite"], setattr, (start(), "step", math.inf), {}),
            ("more steps than can be counted", ["counted"], lambda: start(step=1e-300).integrate(1), (), {}),
            ("a radius below 0", ["radius 0 is -1"], kyoho.neighbours, (x, -1), {}),
            ("no neighbours", ["0 nearest neighbours"], kyoho.density, (x, m), {"k": 0}),
            ("a centre that is NaN", ["centre"], kyoho.lagrangian_radii, (x, m, 0.5), {"centre": [0, 0, math.nan]}),
            ("a model without n", ["give one, such as n=10000"], kyoho.model, ("plummer",), {}),
            ("a model of no bodies", ["n: 0 is out of range"], kyoho.model, ("plummer", 0), {}),
            ("the options of a text", ["kyoho.options(kyoho.gravity)"], kyoho.options, ("gravity",), {}),
            ("a field that there is not", ['kyoho.options(kyoho.Simulation)["field"] lists them'], kyoho.external_field, (x, "mw15"), {}),
            ("masked softenings of points", ["masked"], kyoho.field, ([[0, 0, 1]], x, m, 0.1), {"points_softening": np.ma.masked_array([0.1], [True])}),
            ("a softening of points that is no number", ["softening: 'a'"], kyoho.field, ([[0, 0, 1]], x, m, 0.1), {"points_softening": "a"})):
        refused(ValueError, name, words, function, *arguments, **options)
    for name, words, function, arguments, options in (
            ("bodies that are an array", ["kyoho.Snapshot", "or a kyoho.Simulation"], kyoho.Simulation, (x,), {"softening": 0}),
            ("adding an array", ["kyoho.Snapshot"], start().add, (x,), {}),
            ("merging arrays", ["kyoho.Snapshot"], kyoho.merge, (x, x), {"separation": 5, "pericentre": 1}),
            ("drawing an array", ["kyoho.Snapshot"], kyoho.draw, (x,), {}),
            ("scales of an array", ["kyoho.Snapshot"], kyoho.scales, (x,), {}),
            ("a function set as field", ["field cannot be a function"], start().set, (), {"field": spring})):
        refused(TypeError, name, words, function, *arguments, **options)
    arrays = {"position": x, "mass": m, "softening": 0.1}
    for name, words, function, arguments, options in (
            ("dt", ["'dt'", "did you mean step?"], kyoho.Simulation, (), {**arrays, "dt": 0.1}),
            ("pos", ["'pos'", "did you mean position?"], kyoho.Simulation, (), {"pos": x, "mass": m}),
            ("vel of a snapshot", ["Snapshot has no argument 'vel'", "did you mean velocity?"], kyoho.Snapshot, (x,), {"vel": x}),
            ("eps and softening", ["eps and softening are the same"], kyoho.accelerations, (x, m), {"eps": 0.1, "softening": 0.1}),
            ("eps of neighbours", ["no option 'eps'"], kyoho.neighbours, (x, 0.1), {"eps": 0.1}),
            ("G", ["'G'", "did you mean g?"], kyoho.Simulation, (), {**arrays, "G": 2}),
            ("G of gravity", ["did you mean g?"], kyoho.gravity, (x, m, 0.1), {"G": 2}),
            ("cmap of draw", ["'cmap'", "did you mean colours?"], kyoho.draw, (model,), {"cmap": "viridis"}),
            ("dt of integrate", ["integrate has no argument 'dt'", "set the attribute before: .step = ..."], start().integrate, (1,), {"dt": 0.1}),
            ("step of advance", [".step = ..."], start().advance, (), {"step": 0.1}),
            ("a misspelt argument", ["did you mean shorten?"], start().integrate, (1,), {"shortn": True}),
            ("opening_angle2", ["did you mean theta, the square root"], kyoho.gravity, (x, m, 0.1), {"opening_angle2": 0.5}),
            ("opening_angle", ["did you mean theta?"], kyoho.gravity, (x, m, 0.1), {"opening_angle": 0.5}),
            ("epsilon", ["did you mean softening?"], kyoho.Simulation, (), {**arrays, "epsilon": 0.5}),
            ("W0 of a model", ["did you mean w0?"], kyoho.model, ("king", 10), {"W0": 3}),
            ("a word that is cut short", ["did you mean threads?"], kyoho.gravity, (x, m, 0.1), {"thr": 1}),
            ("ErrTolIntAccuracy", ['did you mean integrator="block", with eta'], kyoho.Simulation, (), {**arrays, "ErrTolIntAccuracy": 0.5}),
            ("a misspelt option", ["did you mean threads?"], kyoho.gravity, (x, m, 0.1), {"thread": 1}),
            ("a word that nobody has", ["'colour'", "there are alpha"], kyoho.gravity, (x, m, 0.1), {"colour": 1}),
            ("N of a model", ["did you mean n?"], kyoho.model, ("plummer",), {"N": 100}),
            ("positions of gravity", ["did you mean pos?"], kyoho.gravity, (), {"positions": x, "mass": m, "eps": 0.1}),
            ("output of run", ["did you mean folder?"], kyoho.run, (model,), {"output": "here", "end": 1}),
            ("distance of merge", ["'distance'", "separation"], kyoho.merge, (model, model), {"distance": 5}),
            ("a file in place of bodies", ["kyoho.read(path)"], kyoho.Simulation, ("bodies.hdf5",), {}),
            ("a number of bodies that is not whole", ["n must be a whole number"], kyoho.model, ("plummer", 1.5), {}),
            ("an option of set", ["did you mean theta?"], start().set, (), {"ErrTolTheta": 0.5})):
        refused(TypeError, name, words, function, *arguments, **options)
    with start(softening=0.1) as sim:
        for name, function, takes in (
                ("gravity", lambda **soft: kyoho.gravity(x, m, **soft)[0], True), ("accelerations", lambda **soft: kyoho.accelerations(x, m, **soft), True),
                ("field", lambda **soft: kyoho.field([[0, 0, 1]], x, m, **soft)[0], True), ("Snapshot", lambda **soft: kyoho.Snapshot(x, **soft).softening, True),
                ("a Simulation", lambda **soft: start(**soft).softening, True), ("sim.field", lambda **soft: sim.field([[0, 0, 1]], **soft)[0], True),
                ("model", lambda **soft: kyoho.model("plummer", 9, seed=1, **soft).velocity, True), ("check", lambda **soft: kyoho.check(model, 0, **soft).sums.potential, True),
                ("merge", lambda **soft: kyoho.merge(model, model, separation=5, pericentre=1, **soft).softening, True), ("set", lambda **soft: (sim.set(**soft), sim.acceleration)[1], True),
                ("binaries", lambda **soft: kyoho.binaries(model, **soft).energy, False), ("scales", lambda **soft: kyoho.scales(model, **soft).step, False)):
            found, other = function(eps=0.3), function(softening=0.2)
            check(np.array_equal(found, function(softening=0.3)) and not (takes and np.array_equal(found, other)), f"{name} takes eps= as softening=", (found, other))
    with start() as sim:
        for name, words in (("dt", "did you mean step?"), ("positions", "did you mean position?"), ("t", "did you mean time?"), ("theta", "set(theta=...)"), ("G", "set(g=...)"),
                            ("velocty", "did you mean velocity?")):
            refused(AttributeError, f"sim.{name}", [name, words], getattr, sim, name)
            refused(AttributeError, f"sim.{name} = 1", [name, words], setattr, sim, name, 1)
        refused(TypeError, "a heartbeat that is no function", ["heartbeat"], setattr, sim, "heartbeat", 3)
        sim.remark = "mine"
        twin = sim.copy()
        check(sim.remark == "mine" and not hasattr(twin, "remark") and not hasattr(sim, "_nothing") and sim.heartbeat is None, "an attribute of the user")
    bodies = model.copy()
    for name, words in (("pos", "did you mean position?"), ("masses", "did you mean mass?"), ("t", "did you mean time?")):
        refused(AttributeError, f"bodies.{name} = 1", [name, words], setattr, bodies, name, 1)
    bodies.softening, bodies.remark = 0.2, "mine"
    check(bodies[:2].remark == bodies.copy().remark == "mine" and bodies.softening == 0.2, "attributes of a snapshot")
    help = "".join(repr(kyoho.options(what)) for what in (kyoho.run, kyoho.resume, kyoho.Simulation, kyoho.model, kyoho.draw, kyoho.tune))
    check(help.count("kyoho.resume continues the run") == 4 and not re.search(r"kyoho\.resume\(|`kyoho (help|devices)", help), "help of options speaks of functions", help)
    for name, function in (("read", kyoho.read), ("restore", kyoho.restore)):
        for kind in (FileNotFoundError, kyoho.BadDataError):
            refused(kind, f"{name} without a file is {kind.__name__}", ["no-such-file"], function, "no-such-file")
    try:
        kyoho.read("no-such-file")
    except FileNotFoundError as why:
        check(why.errno == errno.ENOENT and why.filename == "no-such-file", "the error has the number and the name", why.errno)
    with start(field=spring) as sim:
        state = sim.__reduce__()[1]
        refused(kyoho.UsageError, "a state of a field without its function", ["give the same function"], kyoho.simulation._from_state, state[0],
                state[1], {"engine": "cpu"})
        with sim.changes():
            refused(kyoho.UsageError, "changes in changes", ["already begun"], sim.changes().__enter__)
    acc = kyoho.field([[0, 0, 1]], x, m, "0.1pc", units="cluster")[0]
    check(np.array_equal(acc, kyoho.field([[0, 0, 1]], x, m, 0.1, points_softening="0.1pc", units="cluster")[0])
          and np.array_equal(acc, kyoho.field([[0, 0, 1]], x, m, 0.1, units="cluster")[0]), "a softening with a unit is that of the points too", acc)


for part in (words, answers, failures, several, interrupts, shared, views, cycles):
    part()
if SANITIZED:
    skip("forks", "the sanitizer's threads are not in children")
else:
    forks()
finish()
