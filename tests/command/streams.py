#!/usr/bin/env python3
# Snapshots through pipes, comoving files in every command, tables with blanks, and file names that are long, have newlines or are not UTF-8.
import json
import os
import struct
import subprocess

from tap import KYOHO, check, finish, folder, run, run_json


def pipe(*words, data=b""):
    return subprocess.run([KYOHO, *map(os.fsencode, map(str, words))], input=data, capture_output=True, timeout=60)


with folder() as top:
    def path(name):
        return os.path.join(top, name)

    def read(name):
        with open(path(name), "rb") as file:
            return file.read()

    # "-" is standard input and output
    for form, suffix in (("csv", "csv"), ("tipsy", "tipsy")):
        run("model", "plummer", "-n", "50", "-o", path("whole." + suffix))
        process = pipe("model", "plummer", "-n", 50, "-o", "-", "--format", form)
        check(process.stdout == read("whole." + suffix) and b"50 bodies" in process.stderr,
              f"model -o - --format {form} writes what it writes to a file", process.stderr)
        check(b"50 bodies" in pipe("info", "-", data=process.stdout).stdout, f"info - reads {form}")
    csv = read("whole.csv")
    check(pipe("convert", "-", "-", "--format", "csv", data=csv).stdout == csv, "convert - - gives the same bytes")
    check(b"50 bodies" in pipe("info", "-", data=read("whole.tipsy")).stdout, "info - tells the format by its content")
    process = pipe("run", "-", "--softening", "0.1", "--step", "0.125", "--steps", 1, "--output", path("run"), data=csv)
    check(process.returncode == 0 and os.path.exists(path("run/energy.csv")), "run - starts from standard input", process.stderr)
    for command in (["force", "-", "--softening", "0.1"], ["density", "-", "--neighbours", 8], ["neighbours", "-", "--radius", "0.1"], ["groups", "-"],
                    ["draw", "-", "-o", path("picture.png"), "--width", 64]):
        process = pipe(*command, data=csv)
        check(process.returncode == 0, f"{command[0]} -", process.stderr)
    process = pipe("force", "-", "--softening", "0.1", "-o", "-", "--format", "csv", data=csv)
    check(b"potential" in process.stdout and b"50 bodies" in pipe("info", "-", data=process.stdout).stdout, "force - -o -", process.stderr)
    process = pipe("merge", path("whole.csv"), "-", "--separation", 10, "--pericentre", 1, "-o", "-", "--format", "csv", data=csv)
    check(b"100 bodies" in pipe("info", "-", data=process.stdout).stdout, "merge A - -o -", process.stderr)
    for name, words, code, says in (
            ("no format", ["model", "plummer", "-n", 9, "-o", "-"], 2, b"--format csv"),
            ("HDF5", ["model", "plummer", "-n", 9, "-o", "-", "--format", "hdf5"], 2, b"standard output"),
            ("--json", ["model", "plummer", "-n", 9, "-o", "-", "--format", "csv", "--json"], 2, b"--json"),
            ("ids of TIPSY", ["convert", "-", "-", "--format", "tipsy"], 2, b".iord"),
            ("nothing", ["info", "-"], 4, b"standard input: is empty")):
        data = b"" if name == "nothing" else b"id,m,x,y,z,vx,vy,vz\n7,1,0,0,0,0,0,0\n"
        process = pipe(*words, data=data)
        lines = process.stderr.splitlines()
        check(process.returncode == code and len(lines) == 1 and says in lines[0], f"code {code}: {name} through a pipe", process.stderr)
    run("convert", path("whole.csv"), path("x.csv"), "--format", "gadget2", code=2, name="gadget2 is not offered for writing")

    process = run("a\nb", code=2)
    check(len(process.stderr.splitlines()) == 1, "an unknown command is one line", process.stderr)

    # convert and info say what they have read
    process = run("convert", path("whole.csv"), path("said.csv"))
    check("50 stars; N-body units, G = 1; softening" in process.stdout, "convert says types, units and softening", process.stdout)
    said = run_json("convert", path("whole.csv"), path("again.csv"))
    check(said["types"]["stars"] == 50 and said["units"]["g"] == 1 and not said["space"]["comoving"], "JSON of convert has types, units and space", said)
    check(run_json("info", path("whole.csv"))["space"]["box"] == 0, "info describes the space")

    # a GADGET file with redshift and h, without a box (comoving.py has files with one): the header, which has the masses, then POS, VEL and ID of two bodies
    def record(data):
        return struct.pack("<i", len(data)) + data + struct.pack("<i", len(data))

    header = struct.pack("<6i6d2d2i6i2i4d", 0, 2, 0, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.25, 3, 0, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0.3, 0.7, 0.7)
    with open(path("cosmic"), "wb") as file:
        file.write(record(header.ljust(256, b"\0")) + record(struct.pack("<6f", 0, 0, 0, 7, 0, 0))
                   + record(struct.pack("<6f", 0, 0, 0, 0, 2, 0)) + record(struct.pack("<2i", 1, 2)))
    for words in (["run", "--softening", 1, "--steps", 1, "--step", 1, "--output", path("never")], ["force"], ["density"], ["neighbours", "--radius", 1], ["groups"],
                  ["convert", "-o", path("never.csv")], ["merge", path("whole.csv"), "--separation", 9, "--pericentre", 1, "-o", path("never.csv")]):
        process = run(words[0], path("cosmic"), *words[1:], code=4, name=f"{words[0]}: a comoving file is refused")
        check(all(word in process.stderr for word in ("redshift 3", "h = 0.7", "--physical")), f"{words[0]} says what it is",
              process.stderr)
    process = run("info", path("cosmic"))
    check("comoving (redshift 3)" in process.stdout and "--physical" in process.stdout, "info describes it", process.stdout)
    run("draw", path("cosmic"), "-o", path("cosmic.png"), "--width", "64")
    run("convert", path("cosmic"), path("no-units.csv"), "--physical", code=4, name="the Hubble flow needs units")
    process = run("convert", path("cosmic"), path("refused.csv"), code=4)
    check("--physical" in process.stderr and "force" not in process.stderr, "convert refuses a comoving file without a word of forces", process.stderr)
    process = run("convert", path("cosmic"), path("physical.csv"), "--physical", "--units", "galaxy")
    check("converted to physical" in process.stdout, "convert --physical says so", process.stdout)
    process = run("convert", path("whole.csv"), path("never.csv"), "--units", "galaxy", code=2)
    check("velocities belong to N-body units" in process.stderr, "convert compares units as run does", process.stderr)
    x = read("physical.csv").decode().splitlines()[-1].split(",")[3]
    check(abs(float(x) - 7 * 0.25 / 0.7) < 1e-12, "lengths are multiplied by a/h", x)
    run("convert", path("cosmic"), path("stored.csv"), "--as-stored")
    x = read("stored.csv").decode().splitlines()[-1].split(",")[3]
    check(float(x) == 7 and "comoving" not in run("info", path("cosmic"), "--as-stored").stdout, "--as-stored leaves the numbers as they are", x)
    run("convert", path("cosmic"), path("never.csv"), "--as-stored", "--physical", code=2, name="--as-stored and --physical")
    process = run("force", path("cosmic"), "--physical", "--units", "galaxy", "--softening", "0.1", "--types", "1", "--renumber")
    check("--physical" not in process.stderr, "force --physical", process.stderr)
    run("force", path("cosmic"), "--physical", "--types", "1,x", code=2, name="--types 1,x")
    run("force", "--model", "plummer", "-n", "9", "--softening", "1", "--physical", code=2, name="--physical belongs to a file")

    process = run("convert", path("whole.csv"), path("same.csv"), "--physical")
    check("nothing is converted" in process.stderr and read("same.csv").splitlines()[-1] == csv.splitlines()[-1],
          "--physical says that an ordinary file is left as it is", process.stderr)

    # cells between blanks or tabs
    rows = [line for line in csv.decode().splitlines() if not line.startswith("#")]
    for name, separator in (("tabs", "\t"), ("blanks", "   ")):
        with open(path(name), "w") as file:
            file.write("".join("  " + row.replace(",", separator) + " \n" for row in rows))
        run("convert", path(name), path(name + ".csv"))
        check(rows == [line for line in read(name + ".csv").decode().splitlines() if not line.startswith("#")], f"cells between {name}")
    with open(path("mixed"), "w") as file:
        file.write("id x y z vx vy vz mass\n1 0 0 0 0 0 0\n")
    process = run("info", path("mixed"), code=4)
    check("line 2 has 7 cells" in process.stderr, "a short line between blanks", process.stderr)

    # a last line that may have lost digits; units in words; tables and pictures to standard output
    with open(path("cut.csv"), "w") as file:
        file.write("m,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0.25")
    process = run("info", path("cut.csv"))
    check("line 2, the last, has no newline" in process.stderr, "a last line without an end is remarked", process.stderr)
    with open(path("kpc.csv"), "w") as file:
        file.write("# units: kpc, 1e10 Msun, km/s\nm,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n1,1,0,0,0,0,0\n")
    process = run("force", path("kpc.csv"), "--softening", "0.1", code=4)
    check("line 1 has '# units: kpc" in process.stderr and "--units" in process.stderr, "units in words are refused", process.stderr)
    process = run("force", path("kpc.csv"), "--softening", "0.1", "--units", "galaxy")
    check(process.stderr.count("--units") == 1 and "line 1" in process.stderr, "units in words are accepted with --units, with one remark", process.stderr)
    for words in (["density", path("kpc.csv"), "--units", "galaxy"], ["neighbours", path("kpc.csv"), "--radius", "1"], ["groups", path("kpc.csv")]):
        process = run(*words, "-o", "-", code=2)
        check("not written to standard output" in process.stderr, f"{words[0]} -o -", process.stderr)

    # names of up to 255 bytes, with newlines, and not in UTF-8
    for length in (250, 251, 255):
        name = "n" * (length - 4) + ".csv"
        run("model", "plummer", "-n", "9", "-o", path(name))
        check(os.path.exists(path(name)), f"a name of {length} bytes")
    os.mkdir(path("odd"))
    odd = os.fsencode(path("odd")) + b"/a\nb\xff.csv"
    subprocess.run([KYOHO, "model", "plummer", "-n", "9", "-o", odd, "--quiet"], check=False)
    check(os.listdir(os.fsencode(path("odd"))) == [b"a\nb\xff.csv"], "a name with a newline that is not UTF-8", os.listdir(path("odd")))
    process = subprocess.run([KYOHO, "info", odd, "--json"], capture_output=True, check=False)
    check(json.loads(process.stdout)["file"].endswith("a\nb\ufffd.csv"), "its JSON is valid", process.stdout)
    process = subprocess.run([KYOHO, "info", odd + b"x", "--json"], capture_output=True, check=False)
    line = process.stderr.decode()
    check(line.count("\n") == 1 and "a?b?.csvx" in json.loads(process.stdout)["error"], "its error is one line of UTF-8", process.stderr)
    check(not [n for n in os.listdir(top) if ".part" in n], "no temporary files are left")
finish()
