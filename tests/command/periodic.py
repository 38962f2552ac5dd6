#!/usr/bin/env python3
# Bodies in a periodic box: forces, runs, files that keep the box, and what is refused.
import math
import os
import random

from tap import check, finish, folder, run, run_json

CUBE = ["--model", "uniform-cube", "-n", "729", "--softening", "0.05"]
BOX = [*CUBE, "--box", "2"]
RUN = [*BOX, "--force", "fmm", "--step", "0.01", "--every", "0.1", "--restart-every", "0.01", "--quiet"]


def csv(snapshot, scratch):
    """The bodies of a snapshot as text with all digits."""
    run("convert", snapshot, scratch, "--overwrite", "--quiet")
    return [line for line in open(scratch).read().splitlines() if not line.startswith("#")]


def refused(name, *words, code=2, text="box"):
    process = run(*words, code=None)
    check(process.returncode == code and text in process.stderr, name, f"{process.returncode}\n{process.stderr}")


with folder() as where:
    one, two, parts = (os.path.join(where, name) for name in ("one", "two", "parts"))
    scratch = os.path.join(where, "scratch.csv")

    exact = run_json("force", *BOX, "--force", "direct", "--precision", "double", "--check", "200")
    check(exact["error"]["max"] < 1e-9, "direct sums in double are the reference of --check", exact["error"])
    forces = run_json("force", *BOX, "--force", "fmm", "--check", "200")
    check(forces["error_of_rms"] < 1e-3 and forces["interactions"]["body"] > 0, "fmm in a box", forces["error_of_rms"])
    check(forces["force"] == "fmm" and run_json("force", *BOX)["force"] in ("fmm", "direct"), "a force for the box is chosen")
    forces = run_json("force", *BOX, "--force", "tree", "--check", "200")
    check(forces["error_of_rms"] < 1e-3 and forces["interactions"]["cell"] > 0, "tree in a box", forces["error_of_rms"])
    for force in ("tree", "fmm"):
        forces = run_json("force", *CUBE, "--box", "2", "--softening-kind", "spline", "--force", force, "--check", "200")
        check(forces["error_of_rms"] < 1e-3, f"{force} with softening as a spline in a box", forces["error_of_rms"])
    wider = run_json("force", *CUBE, "--box", "4", "--force", "fmm", "--check", "200")
    check(wider["error_of_rms"] < 1e-3, "an empty part of the box does no harm", wider["error_of_rms"])

    run("run", *RUN, "--end", "0.3", "--output", one)
    last = os.path.join(one, "snapshot_0003.hdf5")
    told = run_json("info", last)
    check(told["space"]["box"] == 2 and not told["space"]["comoving"], "a snapshot has the box", told["space"])
    rows = [[float(number) for number in row.split(",")] for row in csv(last, scratch)[1:]]
    head = csv(last, scratch)[0].split(",")
    places = [row[head.index(axis)] for row in rows for axis in "xyz"]
    check(len(rows) == 729 and min(places) >= 0 and max(places) < 2, "bodies stay in the box", (min(places), max(places)))
    energy = open(os.path.join(one, "energy.csv")).read().splitlines()
    kinetic, total = (energy[0].split(",").index(name) for name in ("kinetic", "energy"))
    rows = [[float(number or "nan") for number in row.split(",")] for row in energy[1:]]
    change = max(abs(row[total] - rows[0][total]) for row in rows) / rows[-1][kinetic]
    check(len(rows) == 31 and rows[-1][kinetic] > 1e-3 and change < 5e-3, "the energy is conserved in the box", change)
    momenta = [energy[0].split(",").index("momentum_" + axis) for axis in "xyz"]
    change = max(abs(row[k] - rows[0][k]) for row in rows for k in momenta) / math.sqrt(2 * rows[-1][kinetic])
    check(change < 1e-13, "the momentum is conserved in the box", change)

    run("run", *RUN, "--end", "0.2", "--output", parts)
    run("run", "--resume", parts, "--end", "0.3", "--quiet")
    check(csv(os.path.join(parts, "snapshot_0003.hdf5"), scratch) == csv(last, scratch), "a resumed run has the same bits")
    run("run", *RUN, "--end", "0.3", "--threads", "3", "--output", two)
    check(csv(os.path.join(two, "snapshot_0003.hdf5"), scratch) == csv(last, scratch), "more threads have the same bits")

    # A cluster and bodies at random cross the faces of the box, with steps of their own
    moving, blocks, steps, again = (os.path.join(where, name) for name in ("moving.csv", "blocks", "steps", "again"))
    source = random.Random(7)
    with open(moving, "w") as file:
        file.write("mass,x,y,z,vx,vy,vz\n")
        for k in range(300):
            spread = 0.4 if k < 100 else 2
            x = [(1.9 + spread * (source.random() - 0.5)) % 2 for _ in range(3)]
            file.write(",".join(repr(v) for v in [1 / 300, *x, 3.0, 0.5 * source.random(), -1.0]) + "\n")
    words = ["--input", moving, "--box", "2", "--softening", "0.01", "--force", "fmm", "--every", "0.1", "--quiet"]
    own = [*words, "--integrator", "block", "--step", "0.05", "--restart-every", "0.05"]
    run("run", *own, "--end", "0.2", "--output", blocks)
    run("run", *words, "--step", "0.001", "--end", "0.2", "--output", steps)
    ends = []
    for folder_of_run in (blocks, steps):
        lines = csv(os.path.join(folder_of_run, "snapshot_0002.hdf5"), scratch)
        columns = [lines[0].split(",").index(axis) for axis in "xyz"]
        ends.append([[float(line.split(",")[c]) for c in columns] for line in lines[1:]])
    apart = sorted(math.dist([0, 0, 0], [(a - b + 1) % 2 - 1 for a, b in zip(*pair)]) for pair in zip(*ends))
    inside = min(min(body) for body in ends[0]) >= 0 and max(max(body) for body in ends[0]) < 2
    check(inside and apart[150] < 1e-4 and apart[297] < 3e-3, "block steps across the faces of a box", (inside, apart[150], apart[297], apart[-1]))
    run("run", *own, "--threads", "3", "--end", "0.1", "--output", again)
    run("run", "--resume", again, "--end", "0.2", "--quiet")
    check(csv(os.path.join(again, "snapshot_0002.hdf5"), scratch) == csv(os.path.join(blocks, "snapshot_0002.hdf5"), scratch),
          "block steps in a box have the same bits with more threads and after a restart")

    # Light bodies, which move freely, cross the box hundreds of times in a step
    rows = [[0.5, 1.5, 0.25, 7.25, -1000.5, 3.0], [1.75, 0.125, 1.0, -0.5, 0.375, 400.25], [0.25, 0.5, 0.75, 0.0, 2.0, -1e6]]
    with open(moving, "w") as file:
        file.write("mass,x,y,z,vx,vy,vz\n" + "".join("1e-12," + ",".join(map(repr, row)) + "\n" for row in rows))
    for scheme in ("leapfrog", "block"):
        at_speed = os.path.join(where, scheme)
        run("run", "--input", moving, "--box", "2", "--softening", "0.1", "--force", "fmm", "--integrator", scheme, "--step", "1", "--steps", "3", "--output", at_speed, "--quiet")
        lines = csv(os.path.join(at_speed, "snapshot_0001.hdf5"), scratch)
        ends = [[float(line.split(",")[lines[0].split(",").index(axis)]) for axis in "xyz"] for line in lines[1:]]
        wrong = max(abs(math.remainder(end - row[c] - 3 * row[3 + c], 2)) for row, place in zip(rows, ends) for c, end in enumerate(place))
        check(wrong < 1e-6 and all(0 <= x < 2 for place in ends for x in place), f"a step longer than the box is wide ({scheme})", (wrong, ends))

    found = []
    for far in ("0", "2e16"):
        with open(moving, "w") as file:
            file.write(f"mass,x,y,z,vx,vy,vz\n1,{far},0.5,0.5,0,0,0\n1,0.5,0.75,0.5,0,0,0\n1,1.5,0.25,1,0,0,0\n")
        run("force", moving, "--box", "2", "--softening", "0.1", "--force", "fmm", "-o", scratch, "--overwrite", "--quiet")
        found.append([line.split(",")[-4:] for line in open(scratch).read().splitlines()[-3:]])
    check(found[0] == found[1], "a body very far outside is moved into the box", found)

    of_file = run_json("force", last, "--force", "fmm", "--check", "100")
    given = run_json("force", last, "--force", "fmm", "--check", "100", "--box", "2")
    check(of_file["error"] == given["error"], "a box in a file needs no option")
    check(run_json("force", last, "--as-stored", "--force", "fmm", "--check", "100")["error_potential"] != of_file["error_potential"],
          "--as-stored is open space")
    refused("a box that contradicts the file", "force", last, "--box", "3", text="--box 3, but the file")
    text = csv(last, scratch)
    spots = [[float(line.split(",")[text[0].split(",").index(axis)]) for axis in "xyz"] for line in text[1:]]
    near = [sum(sum(math.remainder(p - q, 2) ** 2 for p, q in zip(x, y)) <= 0.36 for y in spots) - 1 for x in spots[:60]]
    said = run_json("neighbours", last, "--radius", "0.6", "-o", scratch, "--overwrite")
    counts = [int(line.split(",")[1]) for line in open(scratch).read().splitlines()[1:]]
    check(counts[:60] == near and said["engine"] == "cpu", "a box in a file is searched as a box", (sum(counts), sum(near)))
    run("convert", last, os.path.join(where, "last.csv"), "--quiet")
    given = run_json("neighbours", os.path.join(where, "last.csv"), "--box", "2", "--radius", "0.6")
    check(given["count"] == said["count"] and given["neighbours"] == sum(counts), "--box for a file that does not keep it", given)
    check(run_json("neighbours", last, "--as-stored", "--radius", "0.6")["neighbours"] < sum(counts), "--as-stored is searched as open space")
    apart = sorted(sum(math.remainder(p - q, 2) ** 2 for p, q in zip(spots[0], y)) for y in spots)
    said = run_json("neighbours", last, "--nearest", "6", "-o", scratch, "--overwrite")
    first = [float(x) for x in open(scratch).read().splitlines()[1].split(",")[2].split()]
    check(all(abs(r - math.sqrt(r2)) < 1e-12 for r, r2 in zip(first, apart[1:7])), "the nearest are nearest images", (first, apart[:7]))
    dense = run_json("density", last)["density"]["mean"], run_json("density", last, "--as-stored")["density"]["mean"]
    check(dense[0] > dense[1], "densities at the faces are not lower", dense)
    said = run_json("groups", last, "--minimum", "1", "--linking-fraction", "0.6")
    check(abs(said["mean_distance"] - 2 / 9) < 1e-12 and said["groups"] < run_json("groups", last, "--as-stored", "--minimum", "1", "--linking-length", said["linking_length"])["groups"],
          "groups continue over the faces", said["groups"])
    refused("a radius of more than half of the box", "neighbours", last, "--radius", "1.01", text="half of the periodic box")
    refused("a linking length of more than half of the box", "groups", last, "--linking-length", "1.01", text="half of the periodic box")
    refused("a search in a box of another side", "neighbours", last, "--radius", "0.1", "--box", "3", text="--box 3, but the file")

    for box in ("-1", "nan", "inf", "1e999", "two"):
        refused(f"--box {box}", "force", *CUBE, "--box", box)
    for words in (["--force", "list"], ["--force", "walk"], ["--mutual", "--force", "fmm"], ["--field", "point:gm=1"]):
        refused(" ".join(words) + " in a box", "force", *CUBE, "--box", "2", *words)
    refused("a softening as large as the box", "force", *CUBE, "--box", "0.05")
    for words in (["--integrator", "hermite4"], ["--stop-pair", "0.1"],
                  ["--expansion", "omega-m=1,h0=1"]):
        refused(" ".join(words) + " in a box", "run", *BOX, "--end", "1", "--step", "0.1", "--output", os.path.join(where, "no"), *words)
    for words in (["--core"], ["--escapers", "3"]):
        refused(" ".join(words) + " in a box", "run", *BOX, "--end", "1", "--step", "0.1", "--output", os.path.join(where, "no"), *words,
                code=3)
    check(not os.path.exists(os.path.join(where, "no")), "nothing is made for a run that is refused")

finish()
