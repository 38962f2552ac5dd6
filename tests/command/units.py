#!/usr/bin/env python3
# Numbers with units on the command line, in parameter files and in the output.
import csv
import json
import os
import re

import tap
from tap import KYOHO, check, finish, folder, run, run_json

MYR = 1 / 0.9777922  # 1 Myr in pc/(km/s)


def options(name):
    with open(f"{name}/run.json") as file:
        return json.load(file)["options"]


with folder() as there:
    tap.KYOHO = os.path.abspath(KYOHO)
    os.chdir(there)
    shown = run("help", "units").stdout
    check("time 0.977792 Myr" in shown and "time 0.977792 Gyr" in shown and "AU, pc, kpc, Mpc" in shown and "no scale" in shown,
          "kyoho help units names the presets with their times, and the units", shown)
    run("model", "plummer", "-n", "100", "--units", "cluster", "--mass", "1e2Msun", "--radius", "0.5pc", "--softening", "1e-4kpc",
        "-o", "a.hdf5")
    run("model", "plummer", "-n", "100", "--units", "cluster", "--mass", "100", "--radius", "0.5", "--softening", "0.1", "-o", "b.hdf5")
    run("convert", "a.hdf5", "a.csv")
    run("convert", "b.hdf5", "b.csv")
    with open("a.csv") as a, open("b.csv") as b:
        check(a.read() == b.read(), "numbers with units make the same model as the numbers in its units")
    run("model", "plummer", "-n", "100", "-o", "bare.hdf5")
    text = run("info", "a.hdf5").stdout
    check("length pc, mass Msun, velocity km/s, time 0.977792 Myr" in text and re.search(r"softening +0\.1 pc", text)
          and re.search(r"mass +100 Msun", text) and re.search(r"crossing time +[\d.]+ [kM]yr", text), "info has units", text)
    with open("a.csv") as whole, open("foreign.csv", "w") as plain:
        plain.write("".join(line for line in whole if not line.startswith("#")))
    check("is assumed" in run("info", "foreign.csv").stdout, "info says where G = 1 is taken")
    check(re.search(r"mass +100 Msun", run("info", "foreign.csv", "--units", "cluster").stdout), "info takes --units")
    said = run("run", "foreign.csv", "--units", "cluster", "--steps", "1", "--output", "no", code=2).stderr
    check(re.search(r"give --softening \([\d.]+pc is recommended", said), "a softening is recommended as the option takes it", said)
    check("contradicts" in run("info", "a.hdf5", "--units", "galaxy", code=2).stderr, "info refuses units that contradict the file")

    wrong = {("--end", "3pc"): "it takes s, yr, kyr, Myr, Gyr", ("--end", "1Mry"): "it takes s, yr",
             ("--every", "0.1", "Myr"): "blank", ("--at", "0.1Myr,1pc"): "another kind", ("--theta", "1pc"): "a number without a unit",
             ("--field", "tidal:xx=1/Myr2,yy=-1/Myr2,zz=0"): "", ("--field", "lambda:omega=0.7,h0=0.07/Gyr"): "",
             ("--field", "plummer:mass=1pc,scale=1pc"): "another kind", ("--field", "plummer:mass=1Msun,scale=1"): "",
             ("--expansion", "omega-m=0.3,h0=70Myr"): "another kind", ("--max-wall", "1pc"): "it takes s"}
    for words, error in wrong.items():
        done = run("run", "a.hdf5", "--output", "no", "--dry-run", "--steps", "4", *words, code=2 if error else 0)
        check(error in done.stderr and done.stderr.count("\n") <= (1 if error else 9), f"{' '.join(words)}: {error or 'taken'}", done.stderr)
    check("N-body units" in run("run", "bare.hdf5", "--output", "no", "--end", "1Myr", code=2).stderr,
          "bodies without a scale take no units")

    with open("p.ini", "w") as file:
        file.write("[run]\nend = 400 kyr\nevery = 0.2Myr\nat = 0.05Myr,0.1Myr\n[force]\nfield = plummer:mass=1e3Msun,scale=2pc\n")
    done = run("run", "p.ini", "--input", "a.hdf5", "--step", "12.5kyr", "--output", "r", "--softening", "0.05pc", "--max-wall", "1h")
    told = options("r")
    check(abs(told["end"] - 0.4 * MYR) < 1e-6 and abs(told["step"] - 0.0125 * MYR) < 1e-7 and told["softening"] == 0.05
          and re.match(r"plummer:mass=1000,scale=2,x=0", told["field"])
          and abs(float(told["at"].split(",")[1]) - 0.1 * MYR) < 1e-6, "a run takes them from line and file", str(told))
    run("run", "r/run.json", "--output", "again", "--quiet")
    same = [open(f"{name}/snapshot_0003.hdf5", "rb").read() for name in ("r", "again")]
    check(same[0] == same[1], "run.json, which has numbers, repeats it")
    head = open("r/energy.csv").read().splitlines()[1]
    check(head == "# units: time 0.977792 Myr; length pc; mass Msun; velocity km/s; energy Msun km²/s²; momentum Msun km/s; "
          "angular momentum Msun pc km/s", "the second line of energy.csv tells its units", head)
    row = re.search(r"time ([\d.]+) kyr after (\d+) steps", run("info", "r").stdout)
    check(row and row.group(2) == "32" and abs(float(row.group(1)) - 400) < 1e-3, "info reads energy.csv with units", str(row))
    done = run("run", "a.hdf5", "--output", "no", "--step", "10kyr", "--end", "25kyr", code=2)
    check("no step ends at 25 kyr (steps of 10 kyr from 0 Myr); the nearest are 20 kyr and 30 kyr" in done.stderr,
          "errors have units", done.stderr)
    run("run", "a.hdf5", "--step", "10kyr", "--steps", "4", "--every", "0", "--restart-every", "0", "--output", "rows", "--quiet")
    check("time 40 kyr after" in run("info", "rows").stdout, "info has units for a run without snapshots")
    said = run("draw", "r", "--live", "-o", "live.png", "--width", "64").stdout
    check("snapshot_0004.hdf5, time 400 kyr" in said, "draw --live has units", said)
    check(re.search(r"centre of mass +\S+ \S+ \S+ pc", run("info", "a.hdf5").stdout), "a centre of mass near the origin is not given in centimetres")
    said = run("model", "plummer", "-n", "1", "--mass-function", "kroupa", "--units", "cluster", "-o", "one.hdf5")
    check("1 stars" not in said.stdout + said.stderr and "1 bodies" not in said.stdout + said.stderr, "one star is not written as a plural", said.stdout + said.stderr)
    run("run", "--resume", "r", "--end", "0.6Myr", "--quiet")
    with open("r/energy.csv") as file:
        last = list(csv.DictReader(line for line in file if not line.startswith("#")))[-1]
    check(abs(float(last["time"]) - 0.6 * MYR) < 1e-6, "a resumed run takes its end in Myr", str(last))

    run("draw", "a.hdf5", "-o", "a.png", "--region", "0.003kpc", "--centre-x", "0.1pc", "--width", "64")
    check("another kind" in run("draw", "a.hdf5", "-o", "c.png", "--region", "3Myr", "--width", "64", code=2).stderr, "draw takes units")
    pairs = [run("binaries", *source, "--softening", softening).stdout.splitlines()[1:] for source in
             (("a.hdf5",), ("--model", "plummer", "-n", "100", "--units", "cluster"))
             for softening in ("0.1pc", "1e-4kpc", "0.1")]
    check(pairs[0] == pairs[1] == pairs[2] and pairs[3] == pairs[4] == pairs[5], "binaries takes the unit of --softening")
    check("N-body units" in run("bench", "direct", "--softening", "1pc", code=2).stderr, "bench takes no units")
    said = run("force", "a.hdf5", "--softening", "0.2pc")
    check("softening 0.2 pc replaces 0.1 pc" in said.stderr and "Msun km²/s²; virial" in said.stdout, "remarks have units", str(said))
    for words, length in {("groups", "a.hdf5", "--linking-length", "1e-4kpc"): "linking length 0.1 pc\n",
                          ("density", "a.hdf5"): " pc\n"}.items():
        check(length in run(*words).stdout, f"{words[0]} prints units")
    run("model", "cosmic", "-n", "30", "--sphere-radius", "3000kpc", "-o", "kpc.hdf5")
    run("model", "cosmic", "-n", "30", "--sphere-radius", "3", "-o", "mpc.hdf5")
    check(run("info", "kpc.hdf5").stdout.splitlines()[1:] == run("info", "mpc.hdf5").stdout.splitlines()[1:], "an option in Mpc takes units")
    check("a number without a unit" in run("model", "galaxy", "-n", "9", "--halo-mass", "1Msun", "-o", "no.hdf5", code=2).stderr
          and "a number without a unit" in run("convert", "a.hdf5", "no.hdf5", "--orientation", "30deg,0,0", code=2).stderr,
          "an option without a dimension takes no unit")
    near = [run_json("neighbours", "a.hdf5", "--radius", radius)["neighbours"] for radius in ("0.2pc", "0.2")]
    check(near[0] == near[1], "neighbours takes a unit", str(near))
    run("merge", "a.hdf5", "b.hdf5", "--separation", "10pc", "--pericentre", "1e-3kpc", "-o", "m.hdf5")

    run("convert", "a.hdf5", "moved.csv", "--position", "1kpc,0,-2", "--velocity", "0,10km/s,0", "--orientation", "90,0,0")
    check(os.path.exists("moved.csv"), "convert places a system")
    with open("a.csv") as a, open("moved.csv") as b:
        one, other = ([float(x) for x in list(csv.reader(f))[-1]] for f in (a, b))
    names = next(line for line in open("a.csv") if not line.startswith("#")).strip().split(",")
    old, new = dict(zip(names, one)), dict(zip(names, other))
    check(abs(new["x"] - old["x"] - 1000) < 1e-9 and abs(new["y"] + old["z"]) < 1e-9 and abs(new["z"] - old["y"] + 2) < 1e-9
          and abs(new["vy"] + old["vz"] - 10) < 1e-9, "the system is in the right place", f"{old} {new}")

    run("run", "--model", "king", "--units", "cluster", "--mass-function", "kroupa", "--mass", "60Msun", "--radius", "1pc", "--steps", "1",
        "--output", "stars", "--quiet")
    few, many = (run("model", "plummer", "--units", "cluster", "--mass-function", "kroupa", "--mass", mass, "--quiet", "-o", "few.hdf5",
                     "--overwrite").stderr for mass in ("0.01Msun", "1e3Msun"))
    check("1 star of " in few and not many, "a mass that no number of stars has is a warning", few + many)
    run("run", "stars/run.json", "--output", "stars2", "--quiet")
    check("bodies" not in options("stars") or options("stars")["bodies"] is None, "the number of stars is not an option of the run", str(options("stars")))
    run("model", "galaxy", "-n", "2000", "--units", "galaxy", "--mass", "6e11Msun", "--radius", "6kpc", "-o", "g.hdf5")
    disk = run_json("info", "g.hdf5", "--types", "2")
    check(abs(disk["half_mass_radius"] - 6) < 0.5, "--radius scales a galaxy", str(disk["half_mass_radius"]))
finish()
