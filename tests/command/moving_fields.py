#!/usr/bin/env python3
"""Fields with tables in time, friction and axes that turn, as a user has them: a cluster beside the Magellanic Cloud, what a run that
goes on needs, and what is refused before a run begins."""
import csv
import math
import os
import shutil

import tap
from tap import check, finish, folder, run, run_json


def table(path):
    with open(path) as file:
        return [{key: float(value) for key, value in row.items() if value}
                for row in csv.DictReader(line for line in file if line[0] != "#")]


def last(name):
    """The last snapshot of a run, as bytes."""
    found = sorted(file for file in os.listdir(name) if file.startswith("snapshot_"))
    with open(f"{name}/{found[-1]}", "rb") as file:
        return file.read()


def refused(what, code, line, *words):
    said = run("run", *words, "--output", "no", "--quiet", code=code).stderr
    check(line in said and said.count("\n") == 1 and not os.path.exists("no"), f"refused without a folder: {what}", said)


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


CLOUD = "plummer:mass=1.5e11Msun,scale=17kpc"
with folder() as there:
    tap.KYOHO = os.path.abspath(tap.KYOHO)
    os.chdir(there)

    # the Cloud, from today back to the time 0, and forwards again
    today = ("--position", "-1kpc,-41kpc,-28kpc", "--velocity", "-57km/s,-226km/s,221km/s")
    run("orbit", "--field", f"mw14 {CLOUD}", "--units", "galaxy", *today, "--start", "1Gyr", "--end", "0", "--rows", "300", "-o", "lmc.csv")
    first = table("lmc.csv")[-1]
    # In the frame of the Galaxy it feels the force that its own field has on the origin: the same orbit.
    begin = ("--position", ",".join(repr(first[c]) for c in ("x", "y", "z")), "--velocity", ",".join(repr(first[c]) for c in ("vx", "vy", "vz")))
    end = run_json("orbit", "--field", f"mw14 {CLOUD},centre=@lmc.csv,reflex=1", "--units", "galaxy", *begin, "--end", "1Gyr",
                   "--rows", 50)["orbit"][-1]
    check(math.dist([end[c] for c in ("x", "y", "z")], [-1, -41, -28]) < 1e-3,
          "in a frame that falls with the Galaxy the Cloud, whose own field is about it, has the orbit of its table", end)

    run("model", "plummer", "-n", "50", "--units", "galaxy", "--mass", "1e5Msun", "--radius", "10pc", "--position", "20kpc,0,10kpc",
        "--velocity", "0,150km/s,0", "-o", "in.hdf5")
    field = f"mw14 {CLOUD},centre=@lmc.csv,reflex=1"
    steps = {"leapfrog": "1e-5", "block": "4e-5", "hermite4": "4e-5"}
    for integrator, step in steps.items():
        options = ("--input", "in.hdf5", "--softening", "0.1pc", "--integrator", integrator, "--step", step, "--every", "4e-4", "--quiet",
                   "--field", field)
        run("run", *options, "--end", "8e-4", "--output", f"{integrator}-whole")
        run("run", *options, "--end", "4e-4", "--output", integrator)
        os.mkdir("elsewhere")
        os.chdir("elsewhere")
        run("run", "--resume", f"../{integrator}", "--end", "8e-4", "--quiet")
        os.chdir("..")
        os.rmdir("elsewhere")
        check(last(integrator) == last(f"{integrator}-whole"), f"{integrator}: a run that goes on, from another folder, has the same bytes")
    said = run("run", "--resume", "leapfrog", "--end", "2", "--quiet", code=2).stderr
    check("lmc.csv has times from" in said and "to 1.02271" in said and said.count("\n") == 1, "a run does not go on past the end of its table", said)
    run("run", "leapfrog/run.json", "--output", "again", "--quiet")
    check(last("again") == last("leapfrog-whole"), "run.json begins the same run")
    shutil.copy("lmc.csv", "kept.csv")
    with open("lmc.csv", "a") as file:
        file.write("-1,0,0,0,0,0,0,0,0\n")
    said = run("run", "--resume", "leapfrog", "--end", "1.2e-3", "--quiet", code=4).stderr
    check("lmc.csv: has changed since the simulation began" in said and said.count("\n") == 1, "a changed table is refused", said)
    os.replace("kept.csv", "lmc.csv")
    run("run", "--resume", "leapfrog", "--end", "1.2e-3", "--quiet")

    # what cannot be used
    plain = ("--model", "plummer", "-n", "20", "--step", "0.125", "--softening", "0.1")
    write("short.csv", "0 1 0 0\n1 2 0 0\n")
    write("cut.csv", "time,x,y,z\n0,1,0,0\n1,2,0")
    write("nan.csv", "0,1,0,0\n# here\n1,2,nan,0\n")
    write("back.csv", "0 1 0 0\n2 2 0 0\n1 2 0 0\n")
    write("one.csv", "0 1 0 0\n")
    write("twice.csv", "time,x,y,z,x\n0,1,0,0,1\n2,1,0,0,2\n")
    write("steep.csv", "0 1e308 0 0\n1 -1e308 0 0\n5 1e308 0 0\n")
    write("near.csv", "0 1e300 0 0\n1e-300 2e300 0 0\n9 1e300 0 0\n")
    write("units.csv", "# units: time Myr, x pc, y pc, z pc\n0 1 0 0\n1 2 0 0\n")
    for name, code, line in (("short", 2, "times from 0 to 1, and the field is needed from 0 to 1.5"), ("cut", 4, "line 3 has no end"),
                             ("nan", 4, "line 3 has 'nan', which is not a finite number"), ("back", 4, "line 3 has the time 1 after 2"),
                             ("one", 4, "has 1 row;"), ("steep", 4, "steep.csv: about the time 0 its rows change faster than numbers hold"),
                             ("near", 4, "near.csv: about the time 0 its rows change faster"), ("twice", 4, "line 1 names the column x twice"), ("units", 2, "give --units"), ("missing", 4, "there is no file missing.csv")):
        for end in (("--end", "1.5"), ("--steps", "12")):
            refused(f"{name}.csv with {end[0]}", code, line, *plain, *end, "--field", f"point:mass=1,centre=@{name}.csv")
    for name, text in (("marked", "0,1,0,0\r\n1,2,0,0\r\n"), ("marked-names", "time,x,y,z\r\n0,1,0,0\r\n1,2,0,0\r\n")):
        write(f"{name}.csv", "\ufeff" + text)
        run("run", *plain, "--end", "1", "--field", f"point:mass=1,eps=1,centre=@{name}.csv", "--dry-run", "--output", "marked",
            name=f"{name}.csv, as spreadsheets write it, with a byte-order mark")
    # units of a table as users write them: all units are read, or the table is refused
    field = ("field", "--units", "galaxy", "--position", "1kpc,0,0", "--time", "100Myr", "--field")
    wanted = run_json(*field, "plummer:mass=1e10Msun,scale=1kpc,x=5")["points"]
    rows = "-1000 5000 0 0\n1000 5000 0 0\n"
    understood = ["# units: time Myr, x pc, y pc, z pc", "# units: time Myr x pc y pc z pc", "# units: time=Myr, x=pc, y=pc, z=pc", "# units: time: Myr, x: pc, y: pc, z: pc",
                  "# Units: Time Myr, X pc, Y pc, Z pc", "# UNITS time [Myr]; x [pc]; y [pc]; z [pc]", "#units=time(Myr),x(pc),y(pc),z(pc)", "# time[Myr] x[pc] y[pc] z[pc]",
                  "# units: id, time 0.001 Gyr, x pc, vx km/s, lz kpc km/s, y pc, z 1e-3 kpc", "time [Myr], x [pc], y [pc], z [pc]", "Time[Myr] X[pc] Y[pc] Z[pc]"]
    for units in understood:
        write("units.csv", units + "\n" + rows)
        found = run_json(*field, "plummer:mass=1e10Msun,scale=1kpc,centre=@units.csv")["points"]
        check(abs(found[0]["ax"] / wanted[0]["ax"] - 1) < 1e-6, f"a table with {units}", found)
    write("units.csv", "# time; x; y; z\n-1;5;0;0\n1;5;0;0\n")
    found = run_json(*field, "plummer:mass=1e10Msun,scale=1kpc,centre=@units.csv")["points"]
    check(abs(found[0]["ax"] / wanted[0]["ax"] - 1) < 1e-12, "semicolons between numbers", found)
    for units, line in (("# units: Myr, pc, pc, pc", "none for time"), ("# units: x pc, y pc, z pc", "none for time"), ("# units: time Myr, x pc, y pc", "none for z"),
                        ("# units: time Myr, x pc, y pc, z", "line 1"), ("# units: time Myr, x pc, y kpc, z pc", "different units for x and y"),
                        ("# units: time Myr, x pc, x kpc, y pc, z pc", "two units for x"), ("# units: time Myr, x pc h-1, y pc, z pc", "'h-1"),
                        ("# units: time Myr, x PC, y PC, z PC", "'PC' is not a unit"), ("# units: time pc, x pc, y pc, z pc", "unit of another kind"),
                        ("# units: [time] Myr", "line 1"), ("time [Myr], x [pc], y, z", "none for y"), ("# units: galaxy", "none for time")):
        write("units.csv", units + "\n" + rows)
        done = run(*field, "plummer:mass=1e10Msun,scale=1kpc,centre=@units.csv", code=4 if "not a unit" not in line and "kind" not in line else 2)
        check("units.csv: line 1" in done.stderr and line in done.stderr and done.stderr.count("\n") == 1, f"{units} is refused: {line}", done.stderr)
    write("grow2.csv", "# units: time Myr\n0 1\n1000 3\n")
    write("grow3.csv", "time [Myr], strength\n0 1\n1000 3\n")
    both = [run_json("field", "--units", "galaxy", "--position", "1kpc,0,0", "--time", "500Myr", "--field", f"plummer:mass=1e10Msun,scale=1kpc,strength=@grow{k}.csv")["points"][0]["ax"] for k in (2, 3)]
    alone = run_json("field", "--units", "galaxy", "--position", "1kpc,0,0", "--field", "plummer:mass=1e10Msun,scale=1kpc")["points"][0]["ax"]
    check(all(abs(one / alone - 2) < 1e-5 for one in both), "and of a table of strengths", (both, alone))
    deep = os.path.join(*["d" * 100] * 3)
    os.makedirs(deep)
    write(os.path.join(deep, "cluster.csv"), "# units: time lightyears, x pc, y pc, z pc\n0 1 0 0\n1 2 0 0\n")
    refused("a unit in a table with a long name", 2, "cluster.csv: line 1: 'lightyears' is not a unit", *plain, "--end", "1", "--field",
            f"point:mass=1,centre=@{deep}/cluster.csv")
    for end in ("3", "0.5"):
        said = run("orbit", "--field", "point:mass=1,centre=@short.csv", "--position", "3,0,0", "--velocity", "0,1,0", "--start", "2", "--end", end, code=2).stderr
        check("times from 0 to 1" in said and ("is needed at 3;" in said or "is needed at 2;" in said), f"an orbit past the end of its table, to {end}", said)
    said = run("run", *plain, "--end", "1.5", "--field", "point:mass=1,centre=@short.csv", "--dry-run", code=2).stderr
    check("times from 0 to 1" in said, "also by a dry run", said)
    refused("an angle for a bar that has one", 2, "bar has no number 'turn'", *plain, "--end", "1", "--field",
            "bar:mass=1,length=1,height=1,turn=1")

    # a halo that grows: the strength is that of the table
    write("grow.csv", "".join(f"{k / 10},{1 + k / 10}\n" for k in range(21)))
    grown = [run_json("orbit", "--field", text, "--position", "1,0,0", "--velocity", "0,1,0", "--end", "2", "--rows", 5)["orbit"]
             for text in ("plummer:mass=1,scale=0.5", "plummer:mass=1,scale=0.5,strength=@grow.csv")]
    check(abs(grown[1][0]["energy"] - grown[0][0]["energy"]) < 1e-12
          and grown[1][-1]["energy"] < grown[0][-1]["energy"] - 0.5 and abs(grown[1][-1]["lz"] - 1) < 1e-9,
          "in a halo that grows the energy falls, the angular momentum does not", grown[1][-1])

    # friction: the decay of a circular orbit, Binney & Tremaine (2008), equation 8.13
    write("pair.csv", "# bodies: 2\nid,mass,x,y,z,vx,vy,vz\n4,1e-9,1,0,0,0,1,0\n9,1e-9,1,0,0.5,0,1,0\n")
    bracket = math.erf(1) - 2 * math.exp(-1) / math.sqrt(math.pi)
    time = 1 / (2 * bracket * 0.01)
    sphere = "logarithmic:speed=1,core=0.001"
    friction = f"friction:body=4,log=2.5,sigma={1 / math.sqrt(2)!r},mass=0.004"
    pair = ("--input", "pair.csv", "--softening", "0.001", "--step", repr(time / 8192), "--quiet")
    run("run", *pair, "--end", repr(time * 0.75), "--every", repr(time / 128), "--energy-every", repr(time / 1024), "--follow", "4",
        "--field", f"{sphere} {friction}", "--output", "decay")
    rows = table("decay/energy.csv")
    radii = [row["x_4"] ** 2 + row["y_4"] ** 2 + row["z_4"] ** 2 for row in rows]
    wrong = max(abs(sum(radii[k - 8:k + 8]) / 16 - (1 - (k - 0.5) / 1024)) for k in range(8, len(rows) - 8, 8))
    print(f"# r² differs from the published decay by up to {wrong:.2g} r₀²")
    check(wrong < 0.01, "a circular orbit in an isothermal sphere decays in the published time", wrong)
    sinks = run_json("orbit", "--field", f"{sphere} {friction.replace('body=4', 'body=0')}", "--position", "1,0,0", "--velocity", "0,1,0",
                     "--end", repr(time / 2), "--rows", 4000)["orbit"]
    wrong = max(abs(sum(row["x"] ** 2 + row["y"] ** 2 for row in sinks[k - 200:k + 200]) / 400 - (1 - (k - 0.5) / 7998))
                for k in range(200, 3800, 50))
    check(wrong < 0.01, "an orbit with friction decays so too", wrong)
    back = run_json("orbit", "--field", f"{sphere} {friction.replace('body=4', 'body=0')}", "--start", repr(time / 2), "--end", "0",
                    "--position", ",".join(repr(sinks[-1][c]) for c in ("x", "y", "z")),
                    "--velocity", ",".join(repr(sinks[-1][c]) for c in ("vx", "vy", "vz")), "--rows", 4000)["orbit"][-1]
    check(math.hypot(back["x"] - 1, back["y"]) < 1e-4, "and backwards comes from where it began", back)
    for more in ("", ",mass=0"):
        said = run("orbit", "--field", f"{sphere} friction:body=0,log=1,sigma=1{more}", "--position", "1,0,0", "--velocity", "0,1,0", "--end", "1", code=2).stderr
        check("give friction:mass=" in said, "the body of an orbit has no mass for friction" + more, said)
    for integrator in ("block", "hermite4"):
        refused(f"friction with {integrator}", 2, "use --integrator leapfrog", *pair[:4], "--step", "0.01", "--end", "1", "--integrator",
                integrator, "--field", friction)
    refused("friction of a body that is not there", 2, "no body has the id 5", *pair[:-1], "--steps", "4", "--field", "friction:body=5,log=1,sigma=1")

    # a halo that turns, seen in its axes: Jacobi's integral of each body, and the places of the inertial run
    turn, p, q = 0.7, 0.9, 0.8
    run("run", "--input", "pair.csv", "--softening", "0.001", "--integrator", "hermite4", "--step", "0.03125", "--end", "8", "--every", "1",
        "--quiet", "--field", f"triaxial-logarithmic:speed=1,core=0.2,p={p},q={q},turn={turn}", "--output", "turning")
    jacobi, worst = [], 0
    for k in range(9):
        run("convert", f"turning/snapshot_{k:04d}.hdf5", "rest.csv", "--overwrite")
        run("convert", f"turning/snapshot_{k:04d}.hdf5", "turned.csv", "--turn", turn, "--overwrite")
        found = []
        for rest, own in zip(table("rest.csv"), table("turned.csv")):
            c, s = math.cos(turn * k), math.sin(turn * k)
            worst = max(worst, math.dist((own["x"], own["y"], own["z"]),
                                         (c * rest["x"] + s * rest["y"], c * rest["y"] - s * rest["x"], rest["z"])))
            m2 = own["x"] ** 2 + (own["y"] / p) ** 2 + (own["z"] / q) ** 2
            found.append(0.5 * (own["vx"] ** 2 + own["vy"] ** 2 + own["vz"] ** 2) + 0.5 * math.log(1 + m2 / 0.04)
                         - 0.5 * turn ** 2 * (own["x"] ** 2 + own["y"] ** 2))
        jacobi.append(found)
    change = max(abs(row[k] / jacobi[0][k] - 1) for row in jacobi for k in range(2))
    check(worst < 1e-12, "places in axes that turn are those at rest, turned", worst)
    check(change < 1e-5, "with velocities in these axes Jacobi's integral is constant", change)
    orbit = run_json("orbit", "--field", f"triaxial-logarithmic:speed=1,core=0.2,p={p},q={q},turn={turn}", "--position", "1,0,0",
                     "--velocity", "0,1,0", "--end", "8", "--rows", 9, "--turn", turn)
    check(orbit["jacobi_change"] < 1e-7 and abs(orbit["orbit"][0]["jacobi"] - jacobi[0][0]) < 1e-12
          and abs(orbit["orbit"][8]["x"] - table("turned.csv")[0]["x"]) < 1e-4, "an orbit in these axes, with Jacobi's integral", orbit["orbit"][8])
finish()
