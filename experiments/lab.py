"""What the experiments share: their command line, runs of kyoho, results that are kept, tables and plots.

An experiment is a script run.py with parts that are run in their order. What a part measures is kept in results.json of the
output folder as soon as it is known, so that a script that was stopped goes on where it was: start it again with the same words.
"""
import argparse
import array
import csv
import json
import math
import os
import re
import struct
import subprocess
import sys
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STOPPED_EARLY, NOT_HERE = 6, 3  # exit codes: a run that can be resumed; what this build or machine has not
FLOPS = 38  # operations of one interaction with potential, as the papers count
# The methods whose errors and costs are compared, and the columns of the table.
METHODS = {"tree, monopoles": ["--force", "tree", "--multipole", 1], "tree, quadrupoles": ["--force", "tree", "--multipole", 2],
           **{f"fmm, order {order}": ["--force", "fmm", "--order", order] for order in range(2, 7)}}
METHOD_COLUMNS = ["method", "alpha", "median", "99 %", "potential 99 %", "interactions a body", "seconds", "bodies/s"]


class Lab:
    """One call of an experiment's script.

    here: the folder of the experiment. out: where results go. engine: value of --engine. small: true for the version that
    takes seconds on a CPU. processor: engine and device, as kyoho force tells them.
    """

    def __init__(self, file, text, parts, options):
        self.here = os.path.dirname(os.path.abspath(file))
        name = os.path.basename(self.here)
        parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter,
                                         allow_abbrev=False)
        parser.add_argument("parts", nargs="*", metavar="PART", help="one of " + ", ".join(parts) + " (default: all)")
        parser.add_argument("--engine", default="auto", help="as for kyoho run: auto, cpu, cuda, opencl (default auto)")
        parser.add_argument("--small", action="store_true", help="few bodies and steps: seconds on a CPU")
        parser.add_argument("--output", default=os.path.join("results", name), metavar="FOLDER",
                            help=f"where results go (default results/{name}); those that are there are kept")
        parser.add_argument("--wall", type=float, metavar="SECONDS",
                            help="stop after about this time; the same call goes on")
        for name, about in options:
            parser.add_argument(name, **about)
        words = self.words = parser.parse_args()
        for part in words.parts:
            if part not in parts:
                parser.error(f"unknown part '{part}': choose from {', '.join(parts)}")
        self.parts = [parts[part] for part in words.parts or parts]
        self.engine, self.small, self.out = words.engine, words.small, words.output
        self.end = time.monotonic() + words.wall if words.wall else None
        self.program = os.environ.get("KYOHO", os.path.join(TOP, "build", "kyoho"))
        if not os.access(self.program, os.X_OK):
            sys.exit(f"{self.program}: not there; build it by make, or set KYOHO to the command")
        os.makedirs(self.out, exist_ok=True)
        self.kept = self.read_kept()
        told = self.keep("processor", lambda: self.force("--model", "plummer", "-n", 4096, "--force", "direct"))
        self.processor, self.on_cpu = told["device"], told["engine"] == "cpu"

    # ---- results that are kept ----

    def read_kept(self):
        """The results of earlier calls. Ends the script if they were made in another way."""
        path = os.path.join(self.out, "results.json")
        asked = {"engine": self.engine, "small": self.small}
        kept = {"asked": asked}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                kept = json.load(file)
        if kept["asked"] != asked:
            sys.exit(f"{path}: has results of {kept['asked']}, not of {asked}; choose another --output, or remove the folder")
        return kept

    def keep(self, name, make):
        """The result of that name; made by make() the first time, then kept."""
        if name not in self.kept:
            self.stop_if_late()
            if name != "processor":
                print(f"  {name}", file=sys.stderr, flush=True)
            self.kept[name] = make()
            path = os.path.join(self.out, "results.json")
            with open(path + ".new", "w", encoding="utf-8") as file:
                json.dump(self.kept, file, indent=1)
            os.replace(path + ".new", path)
        return self.kept[name]

    def left(self):
        """Seconds of --wall that are left; None without --wall."""
        return None if self.end is None else self.end - time.monotonic()

    def stop_if_late(self):
        if self.end is not None and self.left() < 1:
            print("stopped after --wall; the same call goes on", file=sys.stderr)
            sys.exit(STOPPED_EARLY)

    # ---- kyoho ----

    def call(self, *words, codes=(0,)):
        """Runs the command kyoho; returns the finished process. Ends the script for exit codes that are not in `codes`."""
        words = [str(word) for word in words]
        done = subprocess.run([self.program, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode not in codes:
            sys.exit(f"kyoho {' '.join(words)}\nfailed with exit code {done.returncode}:\n{done.stderr}")
        return done

    def kyoho(self, *words):
        """The same with --json; returns the object."""
        return json.loads(self.call(*words, "--json").stdout)

    def force(self, *words):
        """One evaluation of forces by the engine: the object of kyoho force."""
        return self.kyoho("force", *words, "--engine", self.engine)

    def run(self, folder, *words, engine=None):
        """Makes the run of these words in out/folder, or goes on with it until it is done; returns its run.json, with "loop_s",
        the seconds from the first row of energy.csv to the last: without opening a device and the first forces."""
        path = os.path.join(self.out, folder)
        state = os.path.join(path, "run.json")
        if os.path.exists(os.path.join(path, "restart.kyo")):
            words = ["--resume", path]
        else:
            words = [*words, "--engine", engine or self.engine, "--output", path, "--overwrite"]
        if self.end is not None:
            words += ["--max-wall", max(1, round(self.left()))]
        self.call("run", *words, "--quiet", codes=(0, STOPPED_EARLY))
        with open(state, encoding="utf-8") as file:
            told = json.load(file)
        if told["outcome"] != "done" and not (told["reason"] or "").startswith("core collapse"):
            print(f"{path} is at {told['time']:g} of {told['end']:g}; the same call goes on", file=sys.stderr)
            sys.exit(STOPPED_EARLY)
        walls = [float(row["wall_s"]) for row in self.energies(folder)]
        told["loop_s"] = walls[-1] - walls[0]
        return told

    def energies(self, folder):
        """The rows of energy.csv in out/folder, each a dict of texts. A remark tells the units where there are any."""
        with open(os.path.join(self.out, folder, "energy.csv"), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(line for line in file if not line.startswith("#")))

    # ---- tables and plots ----

    def table(self, name, columns, rows):
        """Writes out/name.csv and prints the table in Markdown."""
        self.table_file(name, columns, rows)
        print(f"\n{name}, {self.processor}\n\n| " + " | ".join(columns) + " |\n|" + "---|" * len(columns))
        for row in rows:
            print("| " + " | ".join(show(cell) for cell in row) + " |")
        sys.stdout.flush()

    def table_file(self, name, columns, rows):
        """Writes out/name.csv. None is an empty cell."""
        with open(os.path.join(self.out, name + ".csv"), "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(columns)
            writer.writerows([["" if cell is None else cell for cell in row] for row in rows])

    def draw(self, name, *words):
        """Draws out/name.png, or says why it cannot: a build without libpng."""
        done = self.call("draw", *words, "--overwrite", "-o", os.path.join(self.out, name + ".png"), codes=(0, NOT_HERE))
        if done.returncode:
            print(f"no {name}.png: {done.stderr.strip()}", file=sys.stderr)

    def plot(self, name, x, ys, label, logarithmic="both", table=None):
        """Plots columns of out/table.csv (out/name.csv) as out/name.png."""
        self.draw(name, "--plot", "table", os.path.join(self.out, (table or name) + ".csv"), "--x", x, "--y", ",".join(ys),
                  "--label", label, "--logarithmic", logarithmic, "--width", 720, "--height", 440)

    def methods(self, name, *words):
        """Table and plot of errors and costs of each method against alpha, out/name.csv and out/name.png. The words are those of
        kyoho force, with --check."""
        alphas = [1e-5, 1e-3] if self.small else [1e-6, 1e-5, 1e-4, 1e-3, 1e-2]
        rows, curves = [], [[alpha] for alpha in alphas]
        for method, how in METHODS.items():
            for alpha, curve in zip(alphas, curves):
                told = self.keep(f"{name}/{method}/{alpha}", lambda: self.force(*words, *how, "--alpha", alpha))
                curve.append(told["error"]["p99"])
                rows.append([method, alpha, told["error"]["median"], told["error"]["p99"], told["error_potential"]["p99"],
                             sum(told["interactions"].values()), told["seconds"]["total"], told["particles_per_s"]])
        self.table(name, METHOD_COLUMNS, rows)
        names = [method.replace(",", "") for method in METHODS]
        self.table_file(name + "-plot", ["alpha", *names], curves)
        self.plot(name, "alpha", names, "relative error of 99 % of the accelerations", table=name + "-plot")

    def picture(self, name, folder, *words):
        """Draws the first and the last snapshot of a run as out/name.png."""
        self.draw(name, os.path.join(self.out, folder), "--panels", 2, *words)


def main(file, text, parts, options=()):
    """What the script of an experiment does: the parts that its command line names. parts: functions of a lab. options:
    names and arguments for argparse of options of its own, whose values are in lab.words."""
    lab = Lab(file, text, {part.__name__: part for part in parts}, options)
    for part in lab.parts:
        part(lab)


def read_tipsy(lab, file, most=None):
    """Places and velocities of the bodies of a snapshot, x, y, z one after the other, and their masses. With `most`, about so
    many bodies at most, evenly over the file. The snapshot goes through TIPSY, which can be read without a library."""
    path = os.path.join(lab.out, "bodies.tipsy")
    lab.call("convert", file, path, "--overwrite")
    with open(path, "rb") as tipsy:
        data = tipsy.read()
    os.remove(path)
    root = 1.0  # in the file G is 1
    if os.path.exists(path + ".param"):
        with open(path + ".param", encoding="utf-8") as param:
            root = math.sqrt(float(re.search(r"kyoho_g = (\S+)", param.read()).group(1)))
        os.remove(path + ".param")
    _, n, _, gas, dark, stars = struct.unpack_from(">d5i", data)
    take = max(1, -(-n // most)) if most else 1
    start, records = 32, []
    for count, size in ((gas, 48), (dark, 36), (stars, 44)):
        records += [start + size * k for k in range(count)]
        start += size * count
    mass, place, speed = array.array("d"), array.array("d"), array.array("d")
    for at in records[::take]:
        one = struct.unpack_from(">7f", data, at)
        mass.append(one[0])
        place.extend(one[1:4])
        speed.extend(root * v for v in one[4:7])
    return place, speed, mass


def show(cell):
    """A cell of a table as text: numbers with three digits."""
    if cell is None:
        return ""
    if isinstance(cell, float):
        return f"{cell:.3g}"
    return f"{cell:,}" if isinstance(cell, int) else str(cell)


def gflops(interactions, seconds):
    """10^9 operations a second, with the papers' 38 operations an interaction."""
    return FLOPS * interactions / seconds / 1e9
