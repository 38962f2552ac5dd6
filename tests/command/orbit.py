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

    # friction brings a heavy body to the centre of the Galaxy, where it stays. The number of rows
    # and the step of a run do not matter
    sinking = ["mw14 friction:body=0,log=3,sigma=120km/s,mass=1e10Msun" + more for more in ("", ",core=1kpc")]
    for end, text, low, high in ((3, sinking[0], 0.04, 0.08), (1, sinking[1], 0.15, 0.25)):
        ends = [run_json("orbit", "--field", text, "--units", "galaxy", "--position", "30,0,10", "--velocity", "0,100,0", "--end", f"{end}Gyr",
                         "--rows", rows)["orbit"][-1] for rows in (2, 2000)]
        radius = math.sqrt(sum(ends[1][c] ** 2 for c in "xyz"))
        check(low < radius < high and max(abs(ends[0][c] - ends[1][c]) for c in "xyz") < 1e-4 * radius,
              f"a body that has sunk is near the centre after {end} Gyr, with any number of rows", ends)
    with open("sinking.csv", "w") as file:
        file.write("# length_cm: 3.085678e21\n# mass_g: 1.989e43\n# velocity_cm_s: 1e5\n# g: 43009\nid,mass,x,y,z,vx,vy,vz\n0,1,30,0,10,0,100,0\n")
    places = []
    for step in ("1Myr", "8Myr"):
        run("run", "--input", "sinking.csv", "--softening", "1pc", "--step", step, "--end", "1.024Gyr", "--every", "1.024Gyr", "--energy-every", "1.024Gyr",
            "--field", sinking[1], "--output", "run" + step, "--quiet")
        run("convert", f"run{step}/snapshot_0001.hdf5", f"run{step}.csv")
        places.append(table(f"run{step}.csv")[0])
    alone = run_json("orbit", "--field", sinking[1], "--units", "galaxy", "--position", "30,0,10", "--velocity", "0,100,0", "--end", "1.024Gyr",
                     "--rows", 2)["orbit"][-1]
    check(max(abs(place[c] - alone[c]) for place in places for c in "xyz") < 1e-4, "a run takes it to the same place, with any step",
          (places, alone))

    # an orbit into a point mass, and an orbit past it
    fall = ("orbit", "--position", "1,0,0", "--end", "3", "--field")
    said = run(*fall, "point:mass=1", "--velocity", "0,0,0", code=4).stderr
    check("falls into the centre of a field" in said and "eps=" in said and said.count("\n") == 1, "an orbit into a point mass is refused", said)
    past = run_json(*fall, "point:mass=1", "--velocity", "0,0.01,0")
    check(past["energy_change"] < 1e-6 and 0.9 < past["apocentre"] <= 1, "one that passes it closely keeps its energy", past["energy_change"])
    past = run_json(*fall, "point:mass=1,eps=0.001", "--velocity", "0,0,0")
    check(past["energy_change"] < 1e-6, "and one into a softened point mass", past["energy_change"])

    # fields at points, without bodies
    galaxy = ("field", "--field", "mw14", "--units", "galaxy", "--position")
    found = run_json(*galaxy, "8kpc,0,0 0,-8000pc,0", "-o", "field.csv")["points"]
    check(len(found) == 2 and table("field.csv") == found and abs(found[0]["ax"] / (-220 ** 2 / 8) - 1) < 1e-6
          and abs(found[1]["ay"] / (220 ** 2 / 8) - 1) < 1e-6 and found[0]["potential"] < -1e5, "the circular speed of the Galaxy at 8 kpc, from the field", found)
    turned = run_json("field", "--field", "triaxial-logarithmic:speed=1,core=0.1,p=0.8,q=0.7,turn=1", "--position", "1,0,0", "--time", repr(math.pi / 2))["points"]
    check(abs(turned[0]["ax"] + 1 / 0.64 / (0.01 + 1 / 0.64)) < 1e-9, "a field that has turned", turned)
    for words_, line in ((galaxy[:-1], "give --position"), ((*galaxy, " "), "give --position"), ((*galaxy, "1,0"), "three numbers"),
                         (("field", "--position", "1,0,0"), "give --field"), ((*galaxy, "1,0,0", "-o", "f.png"), "end in .csv"),
                         ((*galaxy, "1,0,0", "-o", "field.csv"), "--overwrite")):
        done = run(*words_, code=2)
        check(line in done.stderr and done.stderr.count("\n") == 1, f"{' '.join(words_)}: {line}", done.stderr)

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
