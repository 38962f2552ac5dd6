#!/usr/bin/env python3
# A galaxy with 100,000 bodies in its disk forms no bar in five turns at two scale lengths: A2/A0 of the disk stays below 0.1.
# Short sibling: unit/galaxies.c. KYOHO_TEST_BODIES=25000 is the number of bodies in the disk, KYOHO_TEST_ENGINE=cuda:0 the engine.
import math
import os

from tap import check, finish, folder, run

ENGINE = os.environ.get("KYOHO_TEST_ENGINE", "cpu")
DISK = int(os.environ.get("KYOHO_TEST_BODIES", "100000"))
TURN, SOFTENING = 29.5, 0.05  # at R = 2, with G = M = R_d = 1
RINGS = [(0.5 * k, 0.5 * k + 1) for k in range(6)]


def disk(top, name):
    """Positions of the bodies of the disk, relative to the mean of the bulge."""
    table = os.path.join(top, "table.csv")
    run("convert", name, table, "--overwrite", timeout=600)
    rows = [line.split(",") for line in open(table, encoding="utf-8") if line[0].isdigit()]
    places = {kind: [tuple(map(float, row[3:6])) for row in rows if row[1] == kind] for kind in "23"}
    middle = [sum(place[c] for place in places["3"]) / len(places["3"]) for c in range(3)]
    return [tuple(place[c] - middle[c] for c in range(3)) for place in places["2"]]


def bar(places, low, high):
    """A2/A0 of the ring between the radii low and high."""
    angles = [2 * math.atan2(y, x) for x, y, z in places if low <= math.hypot(x, y) < high]
    return math.hypot(sum(map(math.cos, angles)), sum(map(math.sin, angles))) / len(angles)


with folder() as top:
    where = os.path.join(top, "run")
    run("run", "--model", "galaxy", "-n", 5 * DISK // 2, "--engine", ENGINE, "--softening", SOFTENING, "--step", 0.125, "--end", 5 * TURN, "--every", TURN,
        "--output", where, "--quiet", timeout=7200)
    names = sorted(name for name in os.listdir(where) if name.startswith("snapshot_"))
    first = disk(top, os.path.join(where, names[0]))
    half = sorted(math.hypot(x, y) for x, y, z in first)[len(first) // 2]
    for turn, name in enumerate(names[1:], 1):
        places = disk(top, os.path.join(where, name))
        strengths = [bar(places, *ring) for ring in RINGS]
        ratio = sorted(math.hypot(x, y) for x, y, z in places)[len(places) // 2] / half
        print(f"# after {turn} turns: A2/A0 " + " ".join(f"{a:.3f}" for a in strengths) + f", half-mass radius {ratio:.3f}", flush=True)
        check(max(strengths) < 0.1, f"no bar after {turn} turns", strengths)
        check(abs(ratio - 1) < 0.05, "the disk keeps its radius", ratio)
    check(len(names) == 6, "five turns", names)
finish()
