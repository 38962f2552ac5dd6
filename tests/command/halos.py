#!/usr/bin/env python3
# Catalogues during a run in a comoving box, and kyoho haloes.
import os
import re

from tap import check, finish, folder, run, run_json


def rows(name):
    with open(name, encoding="utf-8") as file:
        lines = [line.rstrip("\n").split(",") for line in file if not line.startswith("#")]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def refused(name, *words, text):
    process = run(*words, code=None)
    check(process.returncode == 2 and text in process.stderr, name, f"{process.returncode}\n{process.stderr}")


with folder() as where:
    def path(*names):
        return os.path.join(where, *names)

    run("model", "cosmic-box", "-n", "512", "--side", "16", "--seed", "3", "--quiet", "-o", path("box.hdf5"))
    own = ["--at-z", "20", "--groups-every", "2", "--groups-minimum", "2", "--linking-fraction", "0.9", "--restart-every", "0.001", "--quiet"]
    run("run", path("box.hdf5"), "--end-z", "12", *own, "--output", path("a"))
    names = sorted(name for name in os.listdir(path("a")) if name.startswith("groups"))
    check(names == ["groups_0000.csv", "groups_0002.csv"], "every second snapshot has a catalogue", names)
    text = open(path("a", "groups_0002.csv")).read()
    found = rows(path("a", "groups_0002.csv"))
    words = [path("a", "snapshot_0002.hdf5"), "--minimum", "2", "--linking-fraction", "0.9"]
    said = run_json("groups", *words, "-o", path("g.csv"))
    again = rows(path("g.csv"))
    keys = ("mass", "x", "y", "z", "vx", "radius", "x_peak", "m200m", "r200m", "m200c", "r200c")
    check(len(found) == len(again) == said["groups"] > 9 and all(abs(float(a[k]) - float(b[k])) <= 1e-9 * abs(float(b[k])) for a, b in zip(found, again) for k in keys),
          "the catalogue of a run is that of its snapshot", (found[:1], again[:1]))
    check("# box: " in text and "# comoving: scale factor 0.0769" in text and "# minimum: 2\n" in text, "it says what it is", text[:500])
    group, largest = found[0], said["largest"][0]
    check(float(group["m200c"]) == largest["m200c"] and 0 < largest["m200c"] <= largest["m200m"] and len(largest["peak"]) == 3, "JSON has the spheres", largest)

    run("run", path("box.hdf5"), "--end-z", "12", *own, "--max-wall", "0", "--output", path("b"), code=None)
    check(sorted(name for name in os.listdir(path("b")) if name.startswith("groups")) == names[:1], "a run that stops has the first catalogue", sorted(os.listdir(path("b"))))
    run("run", "--resume", path("b"), "--quiet")
    check(all(open(path("b", name)).read() == open(path("a", name)).read() for name in names), "when it is resumed it writes the others", sorted(os.listdir(path("b"))))
    run("run", path("box.hdf5"), "--end-z", "45", "--quiet", "--overwrite", "--output", path("b"))
    check(not [name for name in os.listdir(path("b")) if name.startswith("groups")], "--overwrite removes them", sorted(os.listdir(path("b"))))
    refused("a linking length without catalogues", "run", path("box.hdf5"), "--end-z", "20", "--linking-length", "100kpc", "--output", path("c"), text="--groups-every")
    refused("a smallest number without catalogues", "run", path("box.hdf5"), "--end-z", "20", "--groups-minimum", "2", "--output", path("c"), text="--groups-every")
    refused("a linking length and a fraction", "run", path("box.hdf5"), "--end-z", "20", "--groups-every", "1", "--linking-length", "100kpc", "--linking-fraction", "0.3", "--output", path("c"),
            text="leave out --linking-fraction")
    run("verify", path("a"))
    refused("a linking length of more than half of the box", "run", path("box.hdf5"), "--end-z", "20", "--groups-every", "1", "--linking-length", "20Mpc", "--output", path("c"),
            text="half of the periodic box")

    run("model", "plummer", "-n", "200", "--seed", "1", "-o", path("p.csv"))
    run("run", path("p.csv"), "--steps", "2", "--step", "0.01", "--groups-every", "1", "--linking-length", "0.4", "--quiet", "--output", path("p"))
    run("groups", path("p.csv"), "--linking-length", "0.4", "-o", path("p.groups.csv"), "--quiet")
    check(rows(path("p", "groups_0000.csv")) == rows(path("p.groups.csv")) != [], "catalogues of bodies in open space")

    bins = run_json("haloes", *words, "-o", path("m.csv"))["bins"]
    table = rows(path("m.csv"))
    counted = sum(bin["fof_groups"] for bin in bins)
    check(counted == said["groups"] and [int(row["fof_groups"]) for row in table] == [bin["fof_groups"] for bin in bins], "all groups are in a bin", (counted, said["groups"]))
    width = 2.302585092994046 / 5
    check(all(abs(bin["fof_h3_per_mpc3"] * width * 16 ** 3 - bin["fof_groups"]) < 1e-6 * counted for bin in bins) and all(0 < bin["tinker"] < 10 for bin in bins),
          "numbers are for the volume of the box and ln M", bins[:1])
    other = run_json("haloes", *words, "--sigma8", "0.6", "--bins", "2")["bins"]
    check(other[-1]["tinker"] < bins[-1]["tinker"] and len(other) < len(bins), "--sigma8 and --bins", (other[-1], bins[-1]))
    picture = run("haloes", *words, "-o", path("m.png"), "--quiet", code=None)
    check(picture.returncode == 0 and open(path("m.png"), "rb").read(4) == b"\x89PNG" or "cairo" in picture.stderr, "a plot", picture.stderr)
    with open(path("a", "snapshot_0002.hdf5"), "rb") as file:
        zeros = re.sub(rb"(.{6}[^\0]{2})\1{511}", bytes(8 * 512), file.read(), count=1, flags=re.DOTALL)
    with open(path("massless.hdf5"), "wb") as file:
        file.write(zeros)
    process = run("haloes", path("massless.hdf5"), *words[1:], code=4)
    check("no body has mass" in process.stderr, "groups without mass are in no bin", process.stderr)
    refused("bodies in open space", "haloes", path("p.csv"), text="comoving box")
finish()
