#!/usr/bin/env python3
# --stellar-evolution: the built-in fits and plug-ins in all integrators of the CPU, with the energy booked in energy.csv and the same
# events and bits after SIGKILL and for any number of threads; mergers; what is refused.
import math
import os
import shlex
import signal
import subprocess

from tap import KYOHO, check, finish, folder, run, wait_for

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
place = folder()
path, text, table, write = place.path, place.text, place.table, place.write_bodies


def numbers(row, names):
    return [float(row[name]) for name in names]


def bodies(name, which=-1):
    return table(place.convert(name, which))


def compiled(name, source):
    with open(path(name + ".c"), "w") as file:
        file.write(source)
    build = [*shlex.split(os.environ.get("CC", "cc")), "-shared", "-fPIC", "-I" + TOP + "/include", path(name + ".c"), "-o", path(name + ".so"), "-lm"]
    done = subprocess.run(build, capture_output=True, text=True)
    if done.returncode:
        check(False, name + " compiles", done.stderr)
    return path(name + ".so")


with open(TOP + "/examples/plugins/wind.c") as file:
    wind = compiled("wind", file.read())
G = 0.0043009
MYR = 1e6 * 3.15576e7 * 1e5 / 3.085678e18  # in units of the preset cluster
SOLAR_RADIUS = 6.957e10 / 3.085678e18
leapfrog = ["--units", "cluster", "--precision", "double", "--force", "direct", "--quiet"]


def tout(m):
    over = 1.715359 * m**2.5 + 6.597788 * m**6.5 + 10.08855 * m**11 + 1.012495 * m**19 + 0.07490166 * m**19.5
    return over / (0.01077422 + 3.082234 * m**2 + 17.84778 * m**8.5 + m**18.5 + 0.00022582 * m**19.5)


def lifetime(m):
    """Raiteri et al. (1996) at solar metallicity [time]."""
    z, m = math.log10(0.02), math.log10(m)
    return MYR * 10**(10.13 + 0.07547 * z - 0.008084 * z * z - (4.424 + 0.7939 * z + 0.1187 * z * z) * m + (1.262 + 0.3385 * z + 0.05417 * z * z) * m * m - 6)


def energy(rows):
    total = 0
    for i, a in enumerate(rows):
        total += a[0] * sum(v * v for v in a[4:7]) / 2
        total -= sum(G * a[0] * b[0] / math.dist(a[1:4], b[1:4]) for b in rows[:i])
    return total


# One star of 10 solar masses at rest: its life is that of Raiteri et al. (1996), and the neutron star moves with its kick.
write("one.csv", [(7, 10.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)])
run("run", path("one.csv"), *leapfrog, "--softening", "0.1", "--step", "0.125", "--end", "30", "--stellar-evolution", "analytic", "--output", path("one"))
event = (table("one/events.csv") + [{}])[0]
end = table("one/energy.csv")[-1]
body = bodies("one")[0]
velocity = numbers(event, ("vx", "vy", "vz"))
check((event["event"], event["id"], event["other"], event["mass"], event["new_mass"], event["type"], event["new_type"]) == ("supernova", "7", "", "10", "1.4", "1", "13")
      and 0 <= float(event["time"]) - lifetime(10) < 0.125, "a star of 10 solar masses explodes at the end of the step of its age", event)
check(velocity == numbers(event, ("kick_x", "kick_y", "kick_z")) and 10 < math.hypot(*velocity) < 1500
      and all(abs(float(body[c]) - v * (30 - float(event["time"]))) < 1e-9 * abs(v) * 30 for c, v in zip("xyz", velocity))
      and abs(float(body["mass"]) - 1.4) < 1e-15 and abs(float(body["radius"]) / (1.4e-5 * SOLAR_RADIUS) - 1) < 1e-6, "its neutron star leaves with the kick", body)
check(abs(float(end["evolution"]) / (0.7 * sum(v * v for v in velocity)) - 1) < 1e-12 and abs(float(end["energy"]) / float(end["evolution"]) - 1) < 1e-12
      and float(table("one/energy.csv")[0]["evolution"]) == 0, "the energy of the kick is in the column evolution", end)

# A change of mass and velocity within a small system, against sums over pairs.
write("four.csv", [(1, 3.0, 0.1, 0.2, 0.3, 0.4, -0.5, 0.6), (2, 2.0, 1.0, -0.4, 0.2, -0.3, 0.2, 0.1), (3, 5.0, -1.0, 0.5, -0.7, 0.1, 0.3, -0.2),
                   (4, 0.0, 0.3, 1.5, 0.2, 0.2, 0.1, 0.4)])
for name, words in (("leapfrog", ["--force", "direct", "--precision", "double", "--step", "0.015625"]),
                    ("block", ["--force", "direct", "--precision", "double", "--step-max", "0.015625", "--step-length", "0.1"]),
                    ("hermite4", ["--precision", "double", "--step-max", "0.015625"]), ("few", ["--step", "0.015625"])):
    run("run", path("four.csv"), "--units", "cluster", "--quiet", "--integrator", name, *words, "--softening", "0", "--steps", "4", "--energy-every", "0.015625",
        "--every", "0.015625", "--stellar-evolution", wind + ":rate=1,end=0.03,kick=20", "--output", path(name))
    rows = table(name + "/energy.csv")
    blasts = table(name + "/events.csv")
    before = float(rows[1]["evolution"])
    first = [[float(b["mass"]), *numbers(b, ("x", "y", "z", "vx", "vy", "vz"))] for b in bodies(name, 2)]
    was = [[float(m), *b[1:4], b[4] - 20 if m else b[4], *b[5:]] for m, b in zip([float(e["mass"]) for e in blasts] + [0.0], first)]
    booked = energy(first) - energy(was)
    check(len(blasts) == 3 and float(blasts[0]["time"]) == 0.03125 and before < 0 and abs((float(rows[2]["evolution"]) - before) / booked - 1) < 1e-10,
          f"{name}: three supernovae, with the energy by sums over pairs", [before, booked, *rows])
    check(all(abs(float(e["new_mass"]) / (m * math.exp(-0.03) / 2) - 1) < 1e-14 for e, m in zip(blasts, (3, 2, 5)))
          and abs(float(rows[-1]["dew"])) < 1e-6 and all(b[0] == 0 for b in first[3:]), f"{name}: masses, a body without mass, and the conserved energy", rows[-1])

# A slow wind of a pair: the axis grows as the reciprocal of the mass.
write("pair.csv", [(0, 1.0, 0.5, 0.0, 0.0, 0.0, math.sqrt(2 * G) / 2, 0.0), (1, 1.0, -0.5, 0.0, 0.0, 0.0, -math.sqrt(2 * G) / 2, 0.0)])
run("run", path("pair.csv"), *leapfrog, "--softening", "0", "--step", "0.5", "--end", "512", "--every", "0", "--at", "512", "--energy-every", "64",
    "--stellar-evolution", wind + ":rate=0.001", "--output", path("pair"))
a, b = bodies("pair")
d = [p - q for p, q in zip(numbers(a, ("x", "y", "z")), numbers(b, ("x", "y", "z")))]
v = [p - q for p, q in zip(numbers(a, ("vx", "vy", "vz")), numbers(b, ("vx", "vy", "vz")))]
mass = float(a["mass"]) + float(b["mass"])
axis = 1 / (2 / math.hypot(*d) - sum(c * c for c in v) / (G * mass))
check(abs(mass / 2 / math.exp(-0.001 * 512 / MYR) - 1) < 0.01 and abs(axis * mass / 2 - 1) < 0.01, "a slow wind keeps the product of axis and mass", (mass, axis))

def stars(name, mass, *words):
    """Writes a model to a table, with these masses."""
    count = len(mass)
    run("model", "plummer", "-n", count, "--units", "cluster", "--radius", "1", "--mass", sum(mass), *words, "-o", path(name), "--overwrite", "--quiet")
    lines = text(name).splitlines(True)
    first = len(lines) - count
    place = lines[first - 1].strip().split(",").index("mass")
    with open(path(name), "w") as file:
        file.writelines(lines[:first])
        for line, m in zip(lines[first:], mass):
            cells = line.split(",")
            cells[place] = repr(m)
            file.write(",".join(cells))


# A young cluster: much energy goes, and the rest is conserved; a killed run and other threads have the same bits.
stars("young.csv", [1 + 60 * (k / 63)**6 for k in range(64)], "--seed", "3")
cluster = [path("young.csv"), "--stellar-evolution", "analytic:metallicity=0.001,kick=30,seed=9", "--end", "12", "--every", "4", "--energy-every", "0.5", "--quiet"]
hermite = ["--integrator", "hermite4", "--softening", "0.02", "--step-max", "0.03125", "--precision", "double"]
run("run", *cluster, *hermite, "--threads", "2", "--output", path("cluster"))
rows = table("cluster/energy.csv")
blasts = table("cluster/events.csv")
check(len(blasts) > 3 and all(e["event"] == "supernova" for e in blasts) and float(rows[-1]["mass"]) < 0.95 * float(rows[0]["mass"])
      and abs(float(rows[-1]["evolution"])) > 0.01 * abs(float(rows[0]["energy"])) and all(abs(float(r["dew"])) < 1e-7 for r in rows),
      "a cluster with supernovae conserves the rest of its energy", [len(blasts), rows[-1]])
run("run", *cluster, *hermite, "--threads", "1", "--output", path("thread"))
check(text("thread/events.csv") == text("cluster/events.csv") and bodies("thread") == bodies("cluster"), "one thread gives the bits of two")
killed = subprocess.Popen([KYOHO, "run", *cluster, *hermite, "--threads", "1", "--restart-every", "0.001", "--output", path("killed")],
                          stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
wait_for(lambda: os.path.exists(path("killed/events.csv")) and len(table("killed/events.csv")) > 1 or killed.poll() is not None, "a second supernova")
killed.send_signal(signal.SIGKILL)
killed.wait(timeout=60)
run("run", "--resume", path("killed"), "--quiet")
check(text("killed/events.csv") == text("cluster/events.csv") and bodies("killed") == bodies("cluster"), "a run after SIGKILL has the same events and bits")
said = run("verify", path("thread")).stdout
check("the same bits" in said, "kyoho verify repeats it", said)

# Ranks.
for ranks in "1", "2":
    run("run", path("young.csv"), *leapfrog, "--softening", "0.1", "--step", "0.125", "--end", "5", "--every", "0", "--stellar-evolution", "analytic", "--threads", "1",
        "--ranks", ranks, "--output", path("ranks" + ranks))
check(len(table("ranks1/events.csv")) > 1 and text("ranks1/events.csv") == text("ranks2/events.csv"), "two ranks have the events of one")

# Pairs in groups: a supernova takes one of them apart.
stars("pairs.csv", [60.0 - k for k in range(24)], "--seed", "5", "--binaries", "1", "--binary-periods", "sana")
said = run("run", path("pairs.csv"), "--integrator", "hermite4", "--groups", "--softening", "0", "--end", "5", "--step-max", "0.125", "--every", "5", "--stellar-evolution",
           "analytic", "--output", path("groups")).stderr
run("binaries", path("pairs.csv"), "--softening", "0", "-o", path("pairs-found.csv"), "--quiet")
near = sum(float(row["semi_major_axis"]) * (1 - float(row["eccentricity"])) < 1000 * SOLAR_RADIUS for row in table("pairs-found.csv"))
check(near > 2 and f"{near} pairs of stars are nearer than 1000 solar radii" in said, "a warning tells how many pairs may exchange mass", (near, said))
rows, blasts = table("groups/energy.csv"), table("groups/events.csv")
check(blasts and all(e["event"] == "supernova" for e in blasts) and any(int(row["grouped"]) > 0 for row in rows) and abs(float(rows[-1]["dew"])) < 1e-7, "supernovae in groups",
      (blasts, rows[-1]))
run("binaries", path(place.convert("groups")), "--softening", "0", "-o", path("left.csv"), "--quiet")
before, after = ({frozenset((row["first"], row["second"])) for row in table(name)} for name in ("pairs-found.csv", "left.csv"))
check(any(e["id"] in pair for e in blasts for pair in before - after), "a supernova takes a pair apart", (before, after))

# A run that ends where its stars have changed, and goes on, has the same bits: nothing is left of its groups.
run("model", "plummer", "-n", "64", "--seed", "5", "--units", "cluster", "--radius", "0.1", "--mass", "100", "--binaries", "1", "--binary-periods", "log-uniform",
    "--binary-axis-min", "1e-5", "--binary-axis-max", "1e-3", "-o", path("close.csv"), "--quiet")
for name, ends in (("straight", ("0.00390625",)), ("twice", ("0.001953125", "0.00390625"))):
    run("run", path("close.csv"), "--integrator", "hermite4", "--groups", "--softening", "0", "--step-max", "0.0009765625", "--every", "0.001953125", "--end", ends[0],
        "--stellar-evolution", wind + ":rate=100", "--threads", "1", "--quiet", "--output", path(name))
    for end in ends[1:]:
        run("run", "--resume", path(name), "--end", end, "--quiet")
check(bodies("straight") == bodies("twice"), "groups go on after a change of stars with the same bits")

# Mergers: the product goes on as a star of both masses, with its radius.
write("touch.csv", [(1, 9.0, -1e-8, 0.0, 0.0, 0.0, 0.0, 0.0), (2, 7.0, 1e-8, 0.0, 0.0, 0.0, 0.0, 0.0), (3, 1.0, 5.0, 0.0, 0.0, 0.0, 0.0, 0.0)])
run("run", path("touch.csv"), *leapfrog, "--softening", "0.001", "--step", "0.25", "--end", "20", "--collisions", "merge", "--stellar-evolution", "analytic", "--output", path("touch"))
rows = table("touch/events.csv")
check([(e["event"], e["id"], e["new_mass"], e["new_type"]) for e in rows] == [("merger", "1", "16", "1"), ("supernova", "1", "1.4", "13")]
      and 0 <= float(rows[1]["time"]) - lifetime(16) < 0.25 and abs(float(rows[0]["radius"]) / SOLAR_RADIUS / tout(16) - 1) < 1e-9, "two stars become one that explodes", rows)

# What is refused.
broken = "#include <kyoho/stellar.h>\n#include <math.h>\n" + """
static int star(void *own, uint64_t id, double mass, void *state, struct ky_star *now) { now->next = 0; return 0; }
static int advance(void *own, void *state, double age, struct ky_star *now) { %s }
const struct ky_stellar ky_stellar_plugin = {sizeof(struct ky_stellar), %s, "broken", 0, NULL, star, advance, NULL, NULL};
"""
ones = ["--softening", "0.1", "--steps", "2", "--output", path("none"), "--overwrite"]
for words, code, why in (
        (["--units", "cluster", "--stellar-evolution", "analytical"], 2, "there is analytic"),
        (["--units", "cluster", "--stellar-evolution", "./missing.so"], 2, "there is no file ./missing.so"),
        (["--units", "cluster", "--stellar-evolution", path("one.csv")], 2, "--stellar-evolution"),
        (["--units", "cluster", "--stellar-evolution", compiled("empty", "int nothing;\n")], 2, "no object ky_stellar_plugin"),
        (["--units", "cluster", "--stellar-evolution", compiled("old", broken % ("return 0;", "0"))], 2, "version 0 of the interface"),
        (["--units", "cluster", "--stellar-evolution", compiled("nan", broken % ("now->mass = NAN; return 0;", "1"))], 4, "gives star 7 the mass nan"),
        (["--units", "cluster", "--stellar-evolution", compiled("minus", broken % ("now->mass = -1; return 0;", "1"))], 4, "gives star 7 the mass -1"),
        (["--units", "cluster", "--stellar-evolution", compiled("fails", broken % ("return 1;", "1"))], 4, "broken failed for star 7"),
        (["--units", "cluster", "--stellar-evolution", wind + ":speed=3"], 2, "wind: what is 'speed=3'?"),
        (["--units", "cluster", "--stellar-evolution", "analytic:metallicity=0.5"], 2, "the fits are for"),
        (["--units", "cluster", "--stellar-evolution", "analytic:size=3"], 2, "stellar evolution analytic: its text has no number 'size'"),
        (["--units", "cluster", "--stellar-evolution", "analytic:seed=1.5"], 2, "seed=1.5; it must be a whole number"),
        (["--units", "cluster", "--stellar-evolution", "analytical", "--dry-run"], 2, "there is analytic"),
        (["--units", "cluster", "--stellar-evolution", "analytic", "--box", "100", "--dry-run"], 3, "not available in periodic boxes"),
        (["--units", "nbody", "--stellar-evolution", "analytic"], 2, "give --units"),
        (["--units", "cluster", "--stellar-evolution", "analytic", "--step", "-0.125"], 3, "do not evolve backwards"),
        (["--units", "cluster", "--stellar-evolution", "analytic", "--box", "100"], 3, "not available in periodic boxes")):
    said = run("run", path("one.csv"), *ones, "--quiet", *([] if "--step" in words else ["--step", "0.125"]), *words, code=None)
    check(said.returncode == code and why in said.stderr, f"refused: {why}", f"{said.returncode} {said.stderr}")
finish()
