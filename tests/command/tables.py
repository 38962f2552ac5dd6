#!/usr/bin/env python3
"""numpy, pandas and astropy find the names and the numbers of Kyoho's tables, with units and without."""
import json
import os
import subprocess

import wheels
from tap import check, finish, folder, run, skip

# Each prints the names of the columns and the numbers of the column that the second argument names.
READERS = {
    "numpy": r"""
import json, sys, numpy
table = numpy.genfromtxt(sys.argv[1], names=True, delimiter=",")
print(json.dumps([table.dtype.names, numpy.atleast_1d(table[sys.argv[2]]).tolist()]))
""",
    "pandas": r"""
import json, sys, pandas
table = pandas.read_csv(sys.argv[1], comment="#")
print(json.dumps([list(table.columns), table[sys.argv[2]].tolist()]))
""",
    "astropy": r"""
import json, sys
from astropy.io import ascii
table = ascii.read(sys.argv[1])
print(json.dumps([table.colnames, table[sys.argv[2]].tolist()]))
""",
}
BODIES = """id,mass,x,y,z,vx,vy,vz
7,1,0,0,0,0,0.02,0
8,1,1,0,0,0,-0.02,0
9,0.1,3,0,0,9,0,0
"""


def make_tables(place):
    """Writes tables of each kind. Returns {what they are: the file, a column that has no empty cell, 1 where they have units}."""
    tables = {}
    with open(os.path.join(place, "a.csv"), "w", encoding="ascii") as file:
        file.write(BODIES)
    for units in ([], ["--units", "cluster"]):
        name = os.path.join(place, "units" if units else "bare")
        bodies, binaries, path = os.path.join(place, "a.csv"), name + "/binaries.csv", name + "/orbit.csv"
        run("run", "--input", bodies, *units, "--step", "0.0078125", "--steps", "4", "--softening", "0.01", "--follow", "7,9", "--escapers", "2", "--output", name, "--quiet")
        run("binaries", bodies, *units, "-o", binaries)
        run("orbit", "--field", "point:mass=1", *units, "--position", "1,0,0", "--velocity", "0,0.01,0", "--end", "1", "--rows", 9, "-o", path)
        for file, column in ((name + "/energy.csv", "time"), (name + "/escapers.csv", "mass"), (binaries, "period"), (path, "x")):
            tables[os.path.basename(file) + (" with units" if units else "")] = file, column, len(units) > 0
    return tables


def rows_of(file):
    with open(file, encoding="utf-8") as opened:
        return [line.rstrip("\n").split(",") for line in opened if not line.startswith("#")]


with folder() as place:
    tables = make_tables(place)
    for what, (file, _, units) in tables.items():
        first, second = open(file, encoding="utf-8").read().splitlines()[:2]
        check(not first.startswith("#") and second.startswith("# units: ") == units and len(rows_of(file)) > 1,
              f"{what}: names, then units where there are some, and rows", first + "\n" + second)
    for reader, program in READERS.items():
        python, why = wheels.python_of(reader)
        for what, (file, column, _) in tables.items():
            if not python:
                skip(f"{reader} reads {what}", why)
                continue
            done = subprocess.run([python, "-W", "error", "-c", program, file, column], capture_output=True, text=True, timeout=300, check=False)
            names, *rows = rows_of(file)
            wanted = [names, [float(row[names.index(column)]) for row in rows]]
            check(done.returncode == 0 and json.loads(done.stdout) == wanted, f"{reader} reads {what}", f"{done.stdout}{done.stderr[-500:]}not {wanted}")
finish()
