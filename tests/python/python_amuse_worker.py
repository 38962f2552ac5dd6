#!/usr/bin/env python3
"""The worker for AMUSE, without AMUSE: this test speaks its protocol. Forces and motion, changes of bodies, conditions that stop,
texts of errors, and the end of the worker when nobody is there any more."""
import environment

environment.enter()
import os  # noqa: E402
import signal  # noqa: E402
import socket  # noqa: E402
import struct  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402

import kyoho  # noqa: E402
import numpy as np  # noqa: E402
from tap import check, finish  # noqa: E402

WORKER = os.path.join(os.path.dirname(kyoho.__file__), "amuse", "kyoho_sockets_worker")
PATIENCE = 20  # seconds in which a worker ends: on a busy machine ten times those that docs/amuse.md names
ORDER = "<" if sys.byteorder == "little" else ">"
LIST = [line.split() for line in subprocess.run([WORKER, "--functions"], capture_output=True, text=True, check=True).stdout.splitlines()]
NUMBER = {row[0]: int(row[1]) for row in LIST}


class Worker:
    """A worker, and the script's side of its connection."""

    def __init__(self):
        server = socket.create_server(("127.0.0.1", 0))
        server.settimeout(60)
        self.process = subprocess.Popen([WORKER, str(server.getsockname()[1]), "127.0.0.1", "false"], stdin=subprocess.DEVNULL)
        self.line = server.accept()[0]
        self.line.settimeout(60)
        server.close()

    def send(self, number, ints=(), reals=(), texts=(), flags=(), times=1):
        head = struct.pack("=4B10i", sys.byteorder == "big", 0, 0, 0, 7, number, times, len(ints), 0, 0, len(reals), len(flags), len(texts), 0)
        self.line.sendall(head + struct.pack(f"={len(ints)}i{len(reals)}d{len(flags)}?", *ints, *reals, *flags))
        self.line.sendall(struct.pack(f"={len(texts)}i", *map(len, texts)) + b"".join(text.encode() + b"\0" for text in texts))

    def take(self, count):
        data = b""
        while len(data) < count:
            part = self.line.recv(count - len(data))
            if not part:
                raise EOFError("the worker has ended")
            data += part
        return data

    def answer(self):
        """(whole numbers, reals, texts) of the answer; RuntimeError with the text of an error of the protocol."""
        head = struct.unpack("=4B10i", self.take(44))
        ints = struct.unpack(f"={head[7]}i", self.take(4 * head[7]))
        reals = struct.unpack(f"={head[10]}d", self.take(8 * head[10]))
        self.take(head[11])
        lengths = struct.unpack(f"={head[12]}i", self.take(4 * head[12]))
        texts = [self.take(length + 1)[:-1].decode() for length in lengths]
        if head[1]:
            raise RuntimeError(texts[0])
        return ints, np.array(reals), texts

    def call(self, name, **arguments):
        self.send(NUMBER[name], **arguments)
        return self.answer()

    def done(self, name, **arguments):
        """The same for a call that must succeed."""
        ints, reals, texts = self.call(name, **arguments)
        times = arguments.get("times", 1)
        if any(ints[:times]):
            raise RuntimeError(f"{name}: {self.call('get_error_text')[2]}")
        return reals if len(reals) else texts or ints[times:]

    def option(self, name, value):
        return self.done("set_option", texts=(name, value))

    def refused(self, name, **arguments):
        """The text of the error of a call that must fail, else ""."""
        return self.call("get_error_text")[2][0] if self.call(name, **arguments)[0][0] < 0 else ""

    def add(self, snapshot, radius=0.0):
        n = len(snapshot)
        columns = [snapshot.mass, *snapshot.position.T, *snapshot.velocity.T, np.full(n, radius)]
        return self.done("new_particle", reals=np.concatenate(columns), times=n)

    def places(self, ids):
        return self.done("get_position", ints=ids, times=len(ids)).reshape(3, -1).T

    def stop(self):
        self.send(0)
        self.answer()
        self.line.close()
        return self.process.wait(60)


def ended(process):
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        return False
    return True


bodies = kyoho.model("plummer", 300, seed=4)
worker = Worker()
worker.option("engine", "cpu")
worker.option("precision", "double")
ids = worker.add(bodies)
check(list(ids) == list(range(300)), "the first index is 0")
worker.done("commit_particles")
points = np.random.default_rng(2).normal(size=(50, 3))
eps = np.repeat([0.3, 0.0, 0.1, 0.3, 0.2], 10)
got = worker.done("get_gravity_at_point", reals=np.concatenate([eps, *points.T]), times=50).reshape(3, -1).T
gap = points[:, None] - bodies.position[None]
cube = ((gap**2).sum(2) + eps[:, None]**2)**1.5
exact = -(bodies.mass[None, :, None] * gap / cube[..., None]).sum(1)
check(np.abs(got - exact).max() < 1e-12 * np.abs(exact).max(), "the field at points has the softening of each point",
      np.abs(got - exact).max())
potential = worker.done("get_potential", ints=ids, times=300)
gap = bodies.position[:, None] - bodies.position[None]
pairs = bodies.mass[None] / np.sqrt((gap**2).sum(2) + 0.0025)
np.fill_diagonal(pairs, 0)
check(np.abs(potential + pairs.sum(1)).max() < 1e-12, "potentials of bodies are exact sums", np.abs(potential + pairs.sum(1)).max())

with kyoho.Simulation(bodies, engine="cpu", precision="double", softening=0.05, step=1/64, force="direct") as sim:
    worker.done("evolve_model", reals=(0.3,))
    sim.integrate(0.3)
    check(np.array_equal(worker.places(ids), sim.position), "evolve_model moves bodies as a simulation does")
    worker.done("set_velocity", ints=(5,), reals=(0.1, 0.2, 0.3))
    worker.done("delete_particle", ints=(7,))
    new = worker.done("new_particle", reals=(0.01, 2, 0, 0, 0, 0.5, 0, 0))
    check(tuple(new) == (300,), "indices are not used again")
    velocity = sim.velocity.copy()
    velocity[5] = 0.1, 0.2, 0.3
    sim.velocity = velocity
    sim.remove([7])
    sim.add(kyoho.Snapshot([[2, 0, 0]], [[0, 0.5, 0]], mass=0.01))
    worker.done("evolve_model", reals=(0.6,))
    sim.integrate(0.6)
    left = [body for body in ids if body != 7] + [300]
    check(np.array_equal(worker.places(left), sim.position), "so it does after a kick, a deletion and a new body")
    energy = [worker.done(name)[0] for name in ("get_kinetic_energy", "get_potential_energy")]
    check(abs(sum(energy) / sim.energy() - 1) < 1e-12, "energies are those of a simulation", (energy, sim.energy()))
check("no body with the index 7" in worker.refused("get_mass", ints=(7,)), "a deleted body is an error with a sentence")
check("earlier times" in worker.refused("evolve_model", reals=(0.1,)), "earlier times are refused")
check("engin" in worker.refused("set_option", texts=("engin", "cpu")), "an unknown option is refused")
check("epsilon_squared" in worker.refused("set_option", texts=("softening", "1")), "softening has another name")
worker.option("engine", "nonsense")
check("nonsense" in worker.refused("recommit_parameters"), "an engine that there is not is an error with a sentence")
worker.option("engine", "cpu")
worker.option("theta", "0.5")
worker.option("force", "direct")
check("theta" in worker.refused("recommit_parameters"), "an option without effect is an error")
try:
    worker.send(12345)
    worker.answer()
    check(False, "an unknown function is an error")
except RuntimeError as why:
    check("no such function" in str(why), "an unknown function is an error", why)
try:
    worker.send(NUMBER["get_mass"], ints=(1, 2))
    worker.answer()
    check(False, "another number of arguments is an error")
except RuntimeError as why:
    check("number of arguments" in str(why), "another number of arguments is an error", why)
check(worker.stop() == 0, "the worker ends when it is told to")

worker = Worker()
line = kyoho.Snapshot([[0, 0, 0], [1, 0, 0], [50, 0, 0]], [[0.2, 0, 0], [-0.2, 0, 0], [3, 0, 0]], mass=[1e-3, 1e-3, 1e-3])
worker.add(line, radius=0.1)
for condition, name, kind, value, bodies_met in ((0, None, None, None, [0, 1]), (2, None, None, None, [0]), (5, "out_of_box", "reals", 51.0, [2]),
                                                 (4, "number_of_steps", "ints", 7, []), (3, "timeout", "reals", 0.0, [])):
    worker.done("enable_stopping_condition", ints=(condition,))
    if name:
        worker.done(f"set_stopping_condition_{name}_parameter", **{kind: (value,)})
    worker.done("evolve_model", reals=(worker.done("get_time")[0] + 100,))
    met = worker.done("is_stopping_condition_set", ints=(condition,)) == (1,)
    told, number = worker.done("get_stopping_condition_info", ints=(0,)) if met else (-1, -1)
    found = [worker.done("get_stopping_condition_particle_index", ints=(0, k))[0] for k in range(number)]
    check(told == condition and found == bodies_met, f"condition {condition} stops, with its bodies", (met, told, found))
    if condition == 0:
        gap = np.diff(worker.places([0, 1])[:, 0])[0]
        check(0.19 < gap <= 0.2, "they collide at the sum of their radii", gap)
    worker.done("disable_stopping_condition", ints=(condition,))
check("condition 6 " in worker.refused("enable_stopping_condition", ints=(6,)), "a condition that there is not is refused")
worker.line.close()
check(ended(worker.process), "the worker ends when the script is gone")

worker = Worker()  # two bodies that are bound to each other, and a third one that passes
worker.add(kyoho.Snapshot([[0, 0, 0], [1, 0, 0], [50, 0, 0]], [[0, 0.5, 0], [0, -0.5, 0], [3, 0, 0]], mass=[1, 2, 1e-3]), radius=0)
for condition, bodies_met in ((1, [1, 0]), (2, [2])):
    worker.done("enable_stopping_condition", ints=(condition,))
    worker.done("evolve_model", reals=(worker.done("get_time")[0] + 1,))
    number = worker.done("get_stopping_condition_info", ints=(0,))[1]
    found = [worker.done("get_stopping_condition_particle_index", ints=(0, k))[0] for k in range(number)]
    check(found == bodies_met, f"condition {condition} finds its bodies", found)
    worker.done("disable_stopping_condition", ints=(condition,))
worker.line.close()

worker = Worker()
worker.add(kyoho.model("plummer", 2000, seed=1))
worker.done("commit_particles")
worker.send(NUMBER["evolve_model"], reals=(1e6,))
time.sleep(0.5)
check(worker.process.poll() is None, "a long call computes")
worker.line.close()
check(ended(worker.process), "the worker ends in the middle of a call when the script is gone")

SCRIPT = f"""
import socket, subprocess, time
server = socket.create_server(("127.0.0.1", 0))
process = subprocess.Popen([{WORKER!r}, str(server.getsockname()[1]), "127.0.0.1", "false"])
line = server.accept()[0]
print(process.pid, flush=True)
time.sleep(100)
"""
with subprocess.Popen([sys.executable, "-c", SCRIPT], stdout=subprocess.PIPE, text=True) as script:
    number = int(script.stdout.readline())
    script.send_signal(signal.SIGKILL)
end = time.monotonic() + PATIENCE


def there():
    """Whether the process runs. One that has ended and that nobody waits for has the state Z."""
    try:
        with open(f"/proc/{number}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


while there() and time.monotonic() < end:
    time.sleep(0.05)
check(not there(), "the worker of a script that is killed ends")
finish()
