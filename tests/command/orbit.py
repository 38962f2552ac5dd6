#!/usr/bin/env python3
"""kyoho orbit: the path of a body in fields alone, forwards and backwards, its table and its picture."""
import csv
import math
import os

import tap
from tap import check, finish, folder, run, run_json, skip


def table(path):
    with open(path) as file:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(line for line in file if line[0] != "#")]


def words(start, end, place, speed, *field):
    return ("orbit", "--field", *field, "--start", repr(start), "--end", repr(end), "--position", ",".join(map(repr, place)),
            "--velocity", ",".join(map(repr, speed)))


with folder() as there:
    tap.KYOHO = os.path.abspath(tap.KYOHO)
    os.chdir(there)
    # Kepler's ellipse of a = 1 and e = 0.5 with G mass = 1, from the apocentre
    kepler = words(0, 4 * math.pi, [1.5, 0, 0], [0, math.sqrt(1 / 3), 0], "point:mass=1")
    said = run_json(*kepler, "--rows", 401, "-o", "kepler.csv")
    rows = table("kepler.csv")
    check(len(rows) == 401 and rows == said["orbit"] and abs(said["pericentre"] - 0.5) < 1e-4 and abs(said["apocentre"] - 1.5) < 1e-9
          and abs(said["eccentricity"] - 0.5) < 1e-4 and said["height"] == 0 and said["energy_change"] < 1e-8,
          "pericentre and apocentre of an ellipse, the same rows in the file", {key: said[key] for key in said if key != "orbit"})
    for k, x in ((100, -0.5), (200, 1.5), (300, -0.5), (400, 1.5)):
        check(math.hypot(rows[k]["x"] - x, rows[k]["y"]) < 1e-6, f"after {k // 100} half revolutions it is at x = {x}", rows[k])
    check(abs(rows[0]["energy"] + 0.5) < 1e-12 and abs(rows[57]["lz"] - math.sqrt(0.75)) < 1e-8, "energy and angular momentum of a unit of mass")

    # in the Galaxy with a bar: back to where it came from
    field = "mw14 bar:mass=1e10Msun,length=4kpc,height=0.5kpc,speed=40km/s/kpc"
    galaxy = ("--units", "galaxy", "--rows", 100)
    run(*words(0.5, 1.5, [8., 0., 1.], [20., 150., 60.], field), *galaxy, "-o", "there.csv")
    end = table("there.csv")[-1]
    run(*words(1.5, 0.5, [end[c] for c in ("x", "y", "z")], [end[c] for c in ("vx", "vy", "vz")], field), *galaxy, "-o", "back.csv")
    back = table("back.csv")[-1]
    check(max(abs(back[c] - table("there.csv")[0][c]) for c in ("time", "x", "y", "z")) < 1e-4, "backwards it returns to its start", back)
    both = [run_json("orbit", "--field", "mw14", "--units", units, "--position", "8kpc,0,0", "--velocity", "0,220km/s,0", "--end", "1Gyr",
                     "--rows", 50) for units in ("galaxy", "cluster")]
    check(abs(both[0]["pericentre"] - 8) < 1e-6 and abs(both[1]["apocentre"] - 8000) < 1e-3, "a circle at 8 kpc, in all units",
          [one["pericentre"] for one in both])
    text = run(*words(0, 1, [8., 0, 0], [0, 200., 0], "mw14"), *galaxy).stdout
    check("kpc to 8 kpc from the origin" in text and text.count("\n") == 1, "a line says what it is like", text)

    if "PNG: yes" in run("--version").stdout:
        run(*kepler, "-o", "kepler.png", "--width", 300, "--height", 560, "--title", "Kepler", "--quiet")
        with open("kepler.png", "rb") as file:
            check(file.read(8) == b"\x89PNG\r\n\x1a\n", "a picture")
    else:
        skip("a picture", "no PNG here")
    wrong = [
        (["--field", "mw14", "--units", "galaxy", "--position", "8,0,0", "--velocity", "0,1,0"], 2, "give --end TIME"),
        (["--position", "8,0,0", "--velocity", "0,1,0", "--end", "1"], 2, "give --field"),
        (["--field", "point:mass=1", "--velocity", "0,1,0", "--end", "1"], 2, "give --position"),
        (["--field", "point:mass=1", "--position", "1,0,0", "--end", "1"], 2, "give --velocity"),
        (["--field", "point:mass=1", "--position", "1,0,0", "--velocity", "0,1,0", "--end", "0"], 2, "ends at its start"),
        (["--field", "point:mass=1", "--position", "1,0", "--velocity", "0,1,0", "--end", "1"], 2, "three numbers"),
        (["--field", "mw14", "--position", "1,0,0", "--velocity", "0,1,0", "--end", "1"], 2, "sizes in kpc"),
        (["--field", "point:mass=1", "--position", "1kpc,0,0", "--velocity", "0,1,0", "--end", "1"], 2, "N-body units"),
        (["--field", "point:mass=1", "--position", "1,0,0", "--velocity", "0,1,0", "--end", "1", "--title", "no"], 2, "-o FILE"),
        (["--field", "point:mass=1", "--position", "1,0,0", "--velocity", "0,1,0", "--end", "1", "-o", "kepler.csv"], 2, "--overwrite"),
    ]
    for options, code, line in wrong:
        done = run("orbit", *options, code=code)
        check(line in done.stderr and done.stderr.count("\n") == 1, f"orbit {' '.join(options)}: {line}", done.stderr)
finish()
