#!/usr/bin/env python3
# kyoho few: many systems from a table: the bits of the integrator few, ends, progress, signals, refusals. unit/few_systems.c tests the numbers.
import glob
import json
import math
import os
import signal
import subprocess

from tap import KYOHO, check, finish, folder, run, run_json, table, wait_for

TIPSY = "HDF5: yes" not in run("--version").stdout  # which holds 32 bits
HEAD = "system,mass,x,y,z,vx,vy,vz"


def pair(system, apart, speed, radius=""):
    return "".join(f"{system},0.5,{sign * apart / 2!r},0,0,0,{sign * speed / 2!r},0{radius}\n" for sign in (1, -1))


with folder() as where:
    def path(name):
        return os.path.join(where, name)

    def write(name, text):
        with open(path(name), "w") as file:
            file.write(text)
        return path(name)

    # a circular pair, one that parts, and one that falls; their numbers have gaps
    three = write("three.csv", HEAD + "\n" + pair(2, 1.0, 1.0) + pair(3, 1.0, 2.0) + pair(11, 1.0, 0.1))
    said = run_json("few", three, "--end", "6", "--every", "2", "--stop-escape", "3", "-o", path("out.csv"))
    rows = table(path("out.csv"))
    check(said["systems"] == 3 and said["bodies"] == 2 and said["to_end"] == 2 and said["escaped"] == 1 and said["lost"] == 0 and said["energy_change"] < 1e-9,
          "the ends of systems are counted", said)
    check([row["system"] for row in rows] == ["2", "2", "3", "3", "11", "11"] * 3 and [float(row["time"]) for row in rows[:2] + rows[12:14]] == [2, 2, 6, 6],
          "a row for each body of each system at each time", rows)
    last = [row for row in rows[12:] if row["system"] == "3"]
    apart = math.hypot(*(float(last[0][c]) - float(last[1][c]) for c in "xyz"))
    check([row["end"] for row in last] == ["1", "1"] and 3 < apart < 6 and 1 < float(last[0]["time"]) < 6, "a system that has come apart stays at its end", last)
    x, y = (float(rows[0][c]) for c in "xy")
    check(abs(x - 0.5 * math.cos(2)) < 1e-8 and abs(y - 0.5 * math.sin(2)) < 1e-8, "the circle is one", (x, y))

    # the integrator few with the same bodies, from a table without the column
    one = write("one.csv", HEAD.replace("system,", "") + "\n" + pair("", 1.0, 0.1).replace("\n,", "\n")[1:])
    run("few", one, "--end", "6", "-o", path("one-out.csv"))
    run("run", one, "--integrator", "few", "--softening", "0", "--end", "6", "--step", "6", "-o", path("one"))
    run("convert", *glob.glob(path("one/snapshot_0001.*")), "-o", path("one-run.csv"))
    ours, theirs = table(path("one-out.csv")), table(path("one-run.csv"))
    names = HEAD.split(",")[1:]
    check(len(ours) == 2 and (TIPSY or [[float(row[c]) for c in names] for row in ours] == [[float(row[c]) for c in names] for row in theirs])
          and [row[c] for row in rows[16:] for c in names] == [row[c] for row in ours for c in names], "the bits of the integrator few, also in a table of one system", (ours, theirs))

    write("again.csv", open(path("out.csv")).read())
    run("few", three, "--end", "6", "--every", "2", "--stop-escape", "3", "--threads", "3", "-o", path("out.csv"), "--overwrite")
    check(open(path("again.csv")).read() == open(path("out.csv")).read(), "the same table with three threads")

    for words in (["--isa", "plain"], ["--engine", "cpu"]):
        run("few", three, "--end", "6", "--every", "2", "--stop-escape", "3", *words, "-o", path("out.csv"), "--overwrite")
        check(open(path("again.csv")).read() == open(path("out.csv")).read(), f"the same table with {' '.join(words)}")
    for device in [one["engine"] for one in run_json("devices")["devices"] if one["usable"] and one["engine"] in ("cuda:0", "opencl:0")]:
        run("few", three, "--end", "6", "--every", "2", "--stop-escape", "3", "--engine", device, "-o", path("out.csv"), "--overwrite")
        check(open(path("again.csv")).read() == open(path("out.csv")).read(), f"the same table on {device}")
        for engine in "cpu", device:
            run("few", three, "--end", "-3", "--stop-collision", "--body-radius", "0.1", "--engine", engine, "-o", path(engine[:3] + ".csv"), "--overwrite")
        touch = open(path("cpu.csv")).read()
        check(touch == open(path(device[:3] + ".csv")).read() and ",2," in touch, f"the same contact on {device}")

    sizes = write("sizes.csv", HEAD + ",radius\n" + pair(0, 1.0, 0.1, ",0.1") + pair(1, 1.0, 1.0, ",0.1"))
    said = run_json("few", sizes, "--end", "3", "--stop-collision")
    check(said["collided"] == 1 and said["to_end"] == 1, "radii of the table", said)
    check(run_json("few", three, "--end", "3", "--stop-collision", "--body-radius", "0.6")["collided"] == 0, "bodies that touch at the beginning do not collide")
    check(run_json("few", three, "--end", "-3", "--stop-collision", "--body-radius", "0.1")["collided"] == 1, "backwards")
    years = run_json("few", write("sun.csv", "mass,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n3e-6,1,0,0,0,6.2832,0\n"), "--units", "planets", "--end", "1yr", "-o", path("sun-out.csv"))
    sun = table(path("sun-out.csv"))
    check(years["steps"] > 10 and "# units: " in open(path("sun-out.csv")).read() and abs(float(sun[1]["x"]) - 1) < 0.01, "units of planets", (years, sun))

    still = run_json("few", write("still.csv", HEAD + "\n" + "0,0,0,0,0,0,0,0\n0,0,1,0,0,1,0,0\n"), "--end", "10")
    check(still["to_end"] == 1 and still["energy_change"] == 0, "bodies without mass move on straight lines", still)

    # a body without mass about one with mass, from which another one takes it: the pair is nearly parabolic for a while
    taken = write("taken.csv", HEAD + "\n0,0,0.5,0,0,0,-0.7,0\n0,1,-0.5,0,0,0,0.7,0\n"
                  "0,1,-6.704668285048115,4.003246059027713,0.8472136319561008,0.9363470340171964,-0.2405584945824758,0\n")
    places = []
    for tolerance in "1e-9", "1e-12":
        run("few", taken, "--end", "30", "--tolerance", tolerance, "-o", path("taken-out.csv"), "--overwrite", timeout=60)
        places.append([float(row[name]) for row in table(path("taken-out.csv")) for name in "xyz"])
    check(max(abs(a - b) for a, b in zip(*places)) < 1e-8, "a pair that is nearly parabolic does not stop the others", places)

    for words, code, text in (
            ([write("negative.csv", HEAD + "\n" + pair(-1, 1.0, 1.0)), "--end", "1"], 4, "row 1 has system -1"),
            ([write("nan.csv", HEAD + "\n" + pair("nan", 1.0, 1.0)), "--end", "1"], 4, "row 1 has system nan"),
            ([write("empty.csv", HEAD + "\n"), "--end", "1"], 4, "holds no bodies"),
            ([three, "--end", "1e9", "-o", path("none/x.csv")], 7, "none/x.csv"),
            ([three], 2, "--end"), ([], 2, "FILE"), ([path("none.csv"), "--end", "1"], 4, "none.csv"),
            ([three, "--end", "1", "-o", path("out.csv")], 2, "--overwrite"), ([three, "--end", "1", "-o", three], 2, "three.csv"),
            ([three, "--end", "1", "-o", path("x.hdf5")], 2, ".csv"), ([three, "--end", "1", "--stop-collision"], 4, "radius"),
            ([three, "--end", "1", "--tolerance", "1"], 2, "tolerance"), ([three, "--end", "1", "--every", "1e-12"], 2, "--every"),
            ([three, "--end", "1", "--engine", "abacus"], 2, "abacus"), ([three, "--end", "1", "--isa", "abacus"], 2, "isa"),
            ([three, "--end", "1", "--step", "1"], 2, "step"), ([path("sun-out.csv"), "--end", "1"], 2, "--units"),
            ([write("mixed.csv", HEAD + "\n" + pair(0, 1.0, 1.0) + pair(1, 1.0, 1.0) + "1,1,5,5,5,0,0,0\n"), "--end", "1"], 4, "as many bodies"),
            ([write("order.csv", HEAD + "\n" + pair(1, 1.0, 1.0) + pair(0, 1.0, 1.0)), "--end", "1"], 4, "sort"),
            ([write("gap.csv", HEAD + "\n0,1,0,0,0,0,0,\n"), "--end", "1"], 4, "gap.csv"),
            ([write("same.csv", HEAD + "\n" + pair(0, 1.0, 1.0) + pair(5, 0.0, 1.0)), "--end", "1"], 4, "system 5")):
        done = run("few", *words, code=None)
        check(done.returncode == code and text in done.stderr and done.stderr.count("\n") == 1, f"refused: {' '.join(os.path.basename(word) for word in words)}", done)

    # a long one: a signal leaves the old table, and there is nothing to resume
    old = open(path("out.csv")).read()
    long = subprocess.Popen([KYOHO, "few", three, "--end", "1e9", "-o", path("out.csv"), "--overwrite", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: os.path.exists(f"/proc/{long.pid}/stat") and float(open(f"/proc/{long.pid}/stat").read().split()[13]) > 5, "it has computed for a while")
    long.send_signal(signal.SIGINT)
    answer, text = long.communicate(timeout=60)
    check(long.returncode == 6 and "stopped by a signal" in text and open(path("out.csv")).read() == old and not [name for name in os.listdir(where) if "tmp" in name],
          "a signal ends the call and leaves the table", (long.returncode, text))
    check(json.loads(answer)["status"] == "stopped early", "the object says so, and nothing of a resumption", answer)
finish()
