#!/usr/bin/env python3
# kyoho draw: sizes, panels, options that change the picture and options that must not, films, plots, errors, faults.
import json
import os
import shutil
import struct
import subprocess
import zlib

from tap import KYOHO, check, finish, folder, run, skip

PRELOAD = os.path.abspath(os.path.join(os.environ.get("BUILD", "build"), "tests/faults/preload.so"))


def chunks(path):
    """The chunks of a PNG file, after a test of their checksums."""
    data = open(path, "rb").read()
    found, at = [], 8
    assert data[:8] == b"\x89PNG\r\n\x1a\n", path
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0], path
        found.append((kind, body))
        at += 12 + length
    return found


def size(path):
    return struct.unpack(">II", dict(chunks(path))[b"IHDR"][:8])


def pixels(path):
    return zlib.decompress(b"".join(body for kind, body in chunks(path) if kind == b"IDAT"))


def image(path):
    """The rows of a picture, with three bytes a pixel."""
    across, up = size(path)
    data, rows, before = pixels(path), [], bytes(3 * across)
    for y in range(up):
        kind, *row = data[y * (3 * across + 1):(y + 1) * (3 * across + 1)]
        for x, value in enumerate(row):
            a, b, c = row[x - 3] if x > 2 else 0, before[x], before[x - 3] if x > 2 else 0
            nearest = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
            row[x] = value + (0, a, b, (a + b) // 2, nearest)[kind] & 255
        rows.append(bytes(row))
        before = rows[-1]
    return rows


def pictures(top):
    a, b, out = (os.path.join(top, name) for name in ("a.csv", "b.csv", "out.png"))
    run("model", "hernquist", "-n", "3000", "-o", a)
    run("model", "uniform-cube", "-n", "400", "-o", b)

    def draw(*words, code=0, name="out.png", **how):
        return run("draw", *words, "--width", "120", "--rim", "scale", "--overwrite", "-o", os.path.join(top, name), code=code, **how)

    draw(a, "--show", "density")
    check(size(out) == (120, 120), "one snapshot gives one square")
    plain = pixels(out)
    for threads in ("1", "3"):
        draw(a, "--show", "density", env={"OMP_NUM_THREADS": threads})
        check(pixels(out) == plain, f"the same picture with {threads} threads")
    for words in (["--axis", "x"], ["--colours", "ice"], ["--brightness", "log"], ["--region", "3"], ["--centre-y", "1"],
                  ["--smooth", "10"], ["--range", "2"], ["--peak", "1"], ["--title", "Hernquist"], ["--fraction", "0.5"],
                  ["--turn", "20"], ["--tilt", "-30"], ["--show", "components"], ["--show", "velocity"], [b, "--show", "trails"]):
        draw(a, *words, *([] if "--show" in words else ["--show", "density"]))
        check(pixels(out) != plain, " ".join(words) + " changes it")
    for words in (["--speed", "1"], ["--trails", "3"], ["--show", "velocity", "--colours", "ice"], ["--show", "trails", "--peak", "1"],
                  ["--region", "3", "--fraction", "0.5"], ["--divide", "3"]):
        draw(a, *words, code=2)
    draw(a)
    stars = pixels(out)
    draw(a, "--show", "stars")
    check(pixels(out) == stars != plain, "few bodies are stars unless told otherwise")
    draw(a, "--smooth", "200")
    check(pixels(out) == plain, "few bodies are not stars if an option is about densities")
    draw(a, "--show", "stars", "--peak", "1", code=2)
    run("draw", a, "--width", "120", "--overwrite", "-o", out)
    axes = size(out)
    check(140 < axes[0] < 200 and 140 < axes[1] < 200, "axes stand around the picture", axes)
    run("draw", a, "--width", "120", "--show", "density", "--overwrite", "-o", out)
    check(size(out)[0] > axes[0] + 20 and size(out)[1] == axes[1], "a bar of colours stands beside a density", size(out))
    groups = os.path.join(top, "groups.csv")
    run("groups", a, "--linking-fraction", "0.4", "--minimum", "10", "-o", groups, "--quiet")
    draw(a, "--groups", groups)
    check(pixels(out) != stars, "--groups draws circles")
    check("no group is in" in draw(a, "--groups", groups, "--region", "1", "--centre-x", "2", "--centre-y", "2").stderr
          and "no group is in" not in draw(a, "--groups", groups).stderr, "a picture without the groups that it marks is a warning")
    if "HDF5: no" not in run("--version").stdout:
        for units in ("nbody", "cluster"):  # as the numbers are, and converted to kpc
            there, catalogue = (os.path.join(top, f"g-{units}.{ending}") for ending in ("csv", "hdf5"))
            if units == "nbody":
                run("convert", a, there, "--quiet")
            else:
                run("model", "plummer", "-n", "400", "--units", units, "-o", there, "--quiet")
            run("groups", there, "--linking-fraction", "0.8", "--minimum", "10", "-o", catalogue, "--quiet")
            draw(there)
            bare = pixels(out)
            draw(there, "--groups", catalogue)
            by_catalogue = pixels(out)
            check(by_catalogue != bare, f"a catalogue in HDF5 draws circles, {units}")
            run("groups", there, "--linking-fraction", "0.8", "--minimum", "10", "-o", groups, "--overwrite", "--quiet")
            draw(there, "--groups", groups)
            check(pixels(out) == by_catalogue, f"they are the circles of the table, {units}")
        draw(a, "--groups", os.path.join(top, "none.hdf5"), code=4)
        snapshot = os.path.join(top, "no-catalogue.hdf5")
        run("convert", a, snapshot, "--quiet")
        check("not a catalogue" in draw(a, "--groups", snapshot, code=4).stderr, "a snapshot is no catalogue")
    for words, code in (([b, "--groups", groups], 2), (["--groups", out], 2), (["--groups", os.path.join(top, "g.csv")], 4),
                        (["--groups", a], 4)):
        draw(a, *words, code=code)
    check("than exist" in draw(a, "--panels", "5").stderr, "more panels than snapshots: a warning")
    draw(a, b, a)
    wide = size(out)
    check(360 < wide[0] < 370 and wide[1] == 120, "three snapshots side by side")
    draw(a, b, a, "--columns", "2")
    check(size(out) == ((wide[0] - 360) // 2 + 240, (wide[0] - 360) // 2 + 240), "--columns 2 makes two rows")
    run("draw", b, b, b, b, "--columns", "2", "--width", "100", "--region", "2", "--centre-x", "0", "--centre-y", "0", "--overwrite", "-o", out)
    rows, gap = image(out), 1
    left = next(x for x in range(90) if max(rows[60][3 * x:3 * x + 3]) < 64 and max(rows[61][3 * x:3 * x + 3]) < 64)
    high = next(y for y in range(90) if max(rows[y][3 * left + 90:3 * left + 93]) < 250)
    below = [[row[3 * (x - 6):3 * (x + 9)] for row in rows[high + 205:high + 213]] for x in (left, left + 100 + gap)]
    beside = [[row[:3 * left] for row in rows[y - 5:y + 3]] for y in (high + 100, high + 200 + gap)]
    check(below[0] == below[1] and beside[0] == beside[1], "numbers of two panels do not touch")
    draw(a, b, a, "--columns", "2")
    text = dict(body.split(b"\0", 1) for kind, body in chunks(out) if kind == b"tEXt")
    check(b"Kyoho" in text[b"Software"] and b"along z" in text[b"Comment"], "the file says what it shows")

    run("run", "--input", b, "--softening", "0.1", "--step", "0.0625", "--end", "0.25", "--every", "0.0625", "--output",
        os.path.join(top, "run"), "--quiet")
    said = json.loads(draw(os.path.join(top, "run"), "--json").stdout)
    check(said["panels"] == 3 and size(out)[0] == wide[0], "a folder: three panels from the first to the last")
    draw(os.path.join(top, "run"), "--show", "trails", "--trails", "7", "--height", "90")
    text = dict(body.split(b"\0", 1) for kind, body in chunks(out) if kind == b"tEXt")
    check(size(out) == (120, 90) and b"7 bodies" in text[b"Comment"], "trails: one panel of the wanted size")
    check("two snapshots" in draw(a, "--show", "trails", code=2).stderr, "trails of one snapshot are refused")
    before = open(out, "rb").read()
    refused = run("draw", a, "-o", out, code=2)
    check(open(out, "rb").read() == before and "overwrit" in refused.stderr, "an existing picture is not replaced unasked")
    draw(a, "--colours", "amber", code=2)
    check(open(out, "rb").read() == before, "an unknown colour map leaves the existing picture")
    os.mkdir(os.path.join(top, "empty"))
    check("snapshots" in draw(os.path.join(top, "empty"), code=4).stderr, "an empty folder is refused")
    check("--divide" in draw(a, "--divide", "9", code=2).stderr, "--divide without components is refused")
    check("--height" in draw(a, "--height", "3", code=2).stderr, "a height of 3 pixels is refused")
    return a, out, draw


def faults(top, a, out, draw):
    before = open(out, "rb").read()
    draw(a, "--axis", "x")
    new = open(out, "rb").read()
    open(out, "wb").write(before)
    for kind, code in (("ALLOCATION", 1), ("WRITE", 7)):
        n, bad = 1, ""
        while not bad:
            done = draw(a, "--axis", "x", code=None, env={"LD_PRELOAD": PRELOAD, f"KYOHO_FAIL_{kind}": str(n), "OMP_NUM_THREADS": "1"})
            if "fault injected" not in done.stderr:
                break
            lines = [line for line in done.stderr.splitlines() if line != "fault injected"]
            kept = open(out, "rb").read()
            if done.returncode not in (0, code) or len(lines) != (done.returncode != 0):
                bad = f"{kind} {n}: exit code {done.returncode}, {lines}"
            elif done.returncode and kept not in (before, new):  # new: its folder could not be flushed
                bad = f"{kind} {n}: the picture that was there is not whole"
            elif any(name.endswith(".part") for name in os.listdir(top)):
                bad = f"{kind} {n}: left {os.listdir(top)}"
            open(out, "wb").write(before)
            n += 1
        check(not bad and n > 2, f"{n - 1} faults, one {kind.lower()} at a time: one line, and a whole picture stays", bad)


STUB = """#!/bin/sh
for last; do :; done
printf '%s\\n' "$@" >"$0.arguments"
[ -z "$FILM_EMPTY" ] || { cat >/dev/null; [ "$FILM_EMPTY" = kept ] || rm "${last#file:}"; exit 0; }
[ -z "$FILM_FAILS" ] || { echo "no such encoder" >&2; exit 3; }
cat >"${last#file:}"
"""


def film(top):
    """Films, with a stub in place of ffmpeg that keeps the frames. One body is in the middle, one on the right."""
    width, height = 101, 60
    side, out = height / 10, os.path.join(top, "film.mp4")
    bodies = os.path.join(top, "two.csv")
    with open(bodies, "w") as file:
        file.write("id,mass,x,y,z,vx,vy,vz\n0,1,0,0,0,0,0,0\n1,1,2,0,0,0,0,0\n")
    os.mkdir(os.path.join(top, "bin"))
    stub = os.path.join(top, "bin", "ffmpeg")
    with open(stub, "w") as file:
        file.write(STUB)
    os.chmod(stub, 0o755)
    path = os.path.dirname(stub) + os.pathsep + os.environ["PATH"]

    def draw(*words, code=0, **env):
        return run("draw", *words, "-o", out, "--width", width, "--height", height, "--overwrite", code=code,
                   env={"PATH": path, **env})

    def frames():
        raw = open(out, "rb").read()
        size = width * height * 3
        return [raw[k:k + size] for k in range(0, len(raw), size)]

    def light(frame, x, y=height / 2):
        return sum(frame[3 * (int(y) * width + int(x)):][:3])

    still = ["--region", "10", "--title", ""] + [word for axis in "xyz" for word in (f"--centre-{axis}", "0")]
    said = draw(bodies, *still, "--frames", "5", "--turn-to", "180", "--region-to", "5", "--rate", "30")
    seen = frames()
    check(len(seen) == 5 and len(seen[-1]) == width * height * 3, "ffmpeg gets five frames of the wanted size")
    words = open(stub + ".arguments").read().split("\n")
    given = dict(zip(words, words[1:]))
    check(given["-video_size"] == f"{width}x{height}" and given["-framerate"] == "30" and given["-pix_fmt"] == "yuv420p"
          and words[-2] == f"file:{out}.part", "ffmpeg gets arguments that fit the frames", words)
    check("frame 5 of 5" in said.stderr, "progress is printed", said.stderr)
    middle = width / 2
    check(all(light(frame, middle) > 300 for frame in seen), "the body in the middle stays there")
    check(light(seen[0], middle + 2 * side) > 300 > 60 > light(seen[0], middle - 2 * side), "the other one begins on the right")
    check(light(seen[4], middle - 4 * side) > 300 > 60 > light(seen[4], middle + 4 * side),
          "half a turn and a zoom later it is on the left, twice as far out")
    check(not any(name.endswith(".part") for name in os.listdir(top)), "no temporary file stays")
    draw(os.path.join(top, "run"), "--frames", "9", "--tilt-to", "40", "--at-once", "1")
    one = open(out, "rb").read()
    draw(os.path.join(top, "run"), "--frames", "9", "--tilt-to", "40", "--at-once", "3", "--show", "auto")
    check(one == open(out, "rb").read(), "frames that are drawn at the same time are the same")
    lost = draw(bodies, "--frames", "3", "--region", "5", "--centre-x", "70").stderr
    check("3 of 3 frames show no body" in lost and "(1, 0, 0)" in lost, "frames without a body are a warning", lost)
    draw(os.path.join(top, "run"))
    check(len(frames()) == 5, "a folder has one frame a snapshot")

    before = open(out, "rb").read()
    failed = draw(bodies, "--frames", "40", code=7, FILM_FAILS="1")
    check("no such encoder" in failed.stderr and open(out, "rb").read() == before, "where ffmpeg fails the old film stays")
    for empty in ("kept", "removed"):
        said = draw(bodies, "--frames", "2", code=7, FILM_EMPTY=empty).stderr
        check("no film" in said and open(out, "rb").read() == before and not os.path.exists(out + ".part"),
              f"an empty film ({empty}) is an error, and the old one stays", said)
    check("--frames" in draw(bodies, code=2).stderr, "a film of one snapshot without --frames is refused")
    check("trails" in draw(os.path.join(top, "run"), "--show", "trails", code=2).stderr, "a film of trails is refused")
    check("ffmpeg" in draw(os.path.join(top, "run"), code=3, PATH=top).stderr, "without ffmpeg one line says so")
    refused = run("draw", bodies, "-o", out, "--frames", "3", code=2, env={"PATH": path})
    check("overwrit" in refused.stderr, "an existing film is not replaced unasked")
    check("film" in run("draw", bodies, "-o", os.path.join(top, "x.png"), "--frames", "3", code=2).stderr,
          "a picture has no frames")
    empty = os.path.join(top, "none.csv")
    with open(empty, "w") as file:
        file.write("id,mass,x,y,z,vx,vy,vz\n")
    draw(empty, "--frames", "2", code=4)
    with open(empty, "w") as file:
        file.write("id,mass,x,y,z,vx,vy,vz\n0,1,nan,0,0,0,0,0\n")
    draw(empty, "--frames", "2", code=4)
    check(open(out, "rb").read() == before, "a film of files without bodies, or with NaN, leaves the existing film")


def live(top):
    """--live follows a run while it goes on, and ends with it."""
    target, out = os.path.join(top, "going"), os.path.join(top, "live.png")
    going = subprocess.Popen([KYOHO, "run", "--model", "plummer", "-n", "300", "--step", "0.0009765625", "--end", "0.5", "--every", "0.125",
                              "--output", target, "--quiet"], stdin=subprocess.DEVNULL)
    os.makedirs(target, exist_ok=True)
    said = json.loads(run("draw", target, "--live", "--look-every", "0.02", "--width", "64", "-o", out, "--json").stdout)
    check(going.wait(60) == 0 and 1 <= said["pictures"] <= 5, f"--live ends with the run, after {said['pictures']} pictures")
    last = open(out, "rb").read()
    run("draw", os.path.join(target, "snapshot_0004.hdf5" if os.path.exists(os.path.join(target, "snapshot_0004.hdf5"))
                             else "snapshot_0004.tipsy"), "--about", "density", "--width", "64", "-o", out, "--overwrite")
    check(open(out, "rb").read() == last, "the last picture of --live shows the end of the run")
    os.mkdir(os.path.join(top, "nothing"))
    gave = run("draw", os.path.join(top, "nothing"), "--live", "--patience", "0.1", "--look-every", "0.05", "-o",
               os.path.join(top, "no.png"))
    check("no new snapshot" in gave.stderr and not os.path.exists(os.path.join(top, "no.png")), "--patience gives up")
    run("draw", os.path.join(top, "a.csv"), "--live", "-o", out, "--overwrite", code=2, name="--live needs a folder")


def columns(plot, ranges, table, out):
    """Plots of any columns of any table."""
    with open(table, "w") as file:
        file.write("N,seconds a step,of none,word\n10,1,,a\n1000,100,,b\n100000,,,c\n")
    plot("table", table, "--x", "N", "--y", "seconds a step")
    check(list(ranges()) == ["N", "seconds a step"] and ranges()["seconds a step"] == (-1.97, 103), "columns of a table", ranges())
    plot("table", table, "--x", "N", "--y", "seconds a step, N", "--logarithmic", "both", "--label", "seconds")
    low, high = ranges()["seconds"]
    check(0.5 < low < 1 and 1e5 < high < 2e5, "two columns on logarithmic axes", ranges())
    for code, words in ((4, ["--x", "M", "--y", "N"]), (4, ["--x", "N", "--y", "of none"]), (4, ["--x", "N", "--y", "word"]),
                        (2, ["--x", "N"]), (2, ["--x", "N", "--y", "N,"]), (2, ["--x", "N", "--y", "N" + ",N" * 20]),
                        (4, ["--x", "N", "--y", "N" * 70]), (2, [table, "--x", "N", "--y", "N"])):
        plot("table", table, *words, code=code)
    plot("energy", table, "--x", "N", code=2)
    plot("table", table, "--x", "N", "--y", "N", "--types", "1", code=2)
    with open(table, "w", newline="") as file:  # as kyoho writes tables, and as other programs do
        file.write("# kyoho\n# bodies: 3\r\nN, t ,u\r\n1, 2 ,7\r\n2,4s,\r\n3, 5,inf\r\n")
    plot("table", table, "--x", "N", "--y", "t")
    check(ranges() == {"N": (0.94, 3.06), "t": (1.91, 5.09)}, "remarks, blanks and ends of lines; a text is not a number", ranges())
    check("'N, t ,u'" in plot("table", table, "--x", "N", "--y", "v", code=4).stderr, "a table without the column: its names")
    for words in (["--divide", "3"], ["--smooth", "9"], ["--centre-x", "1"]):
        plot("table", table, "--x", "N", "--y", "t", *words, code=2)
    with open(table, "w") as file:
        file.write('x,"seconds, ""wall""",c\n1,10,5\n\n# a remark\n2,"20",word\n3\n4,,7\n')
    said = plot("table", table, "--x", "x", "--y", '"seconds, ""wall"""')
    check(ranges() == {"x": (0.97, 2.03), 'seconds, "wall"': (9.7, 20.3)}, "a name with a comma stands in quotes", ranges())
    check("1 of 4 rows" in said.stderr and "line 6 ends before" in said.stderr, "too few cells: a warning", said.stderr)
    plot("table", table, "--x", '"seconds, ""wall"""', "--y", "x")
    check(ranges()["x"] == (0.97, 2.03), "--x takes a name in quotes too", ranges())
    said = plot("table", table, "--x", "x", "--y", "c").stderr
    check(ranges()["c"] == (4.94, 7.06) and "2 of 4 rows" in said and "line 5 has 'word' in column 'c'" in said,
          "a word in place of a number: a warning", f"{ranges()} {said}")
    seen = {}
    for units in ("# units: time 1 Myr, mass Msun\n", "# units: timed Myr\n", "# others: time 1 Myr\n", ""):
        with open(table, "w") as file:
            file.write(units + "time,mass\n1,2\n2,3\n")
        plot("table", table, "--x", "time", "--y", "mass")
        seen[units[:14]] = pixels(out)
    check(seen["# units: time "] != seen[""] == seen["# units: timed"] == seen["# others: time"], "axes have the units that a remark tells")
    with open(table, "w") as file:
        file.write("time,mass\n# units: mass Msun; time 1 Myr\n1,2\n2,3\n")
    plot("table", table, "--x", "time", "--y", "mass")
    check(pixels(out) == seen["# units: time "], "the remark may come after the names, with semicolons")
    with open(table, "w") as file:
        file.write("N" + ",c" * 9999 + ",last\n" + "".join(f"{k}" + ",100" * 9999 + f",{k}\n" for k in (1, 2, 3)))
    plot("table", table, "--x", "N", "--y", "last")
    check(ranges() == {"N": (0.94, 3.06), "last": (0.94, 3.06)}, "lines of 40,000 characters", ranges())


def vector(top, plot):
    """Plots in PDF and SVG, if the build has cairo."""
    cairo = "cairo: yes" in run("--version").stdout
    for ending, begin, end in (("pdf", b"%PDF", b"%%EOF"), ("svg", b"<?xml", b"</svg>")):
        out = os.path.join(top, f"plot.{ending}")
        said = plot("-o", out, code=0 if cairo else 3)
        if cairo:
            data = open(out, "rb").read().strip()
            check(data.startswith(begin) and data.endswith(end) and b"/Image" not in data and b"<image" not in data, f"a plot as {ending}, without pixels")
            check("overwrit" in plot("-o", out, code=2).stderr, f"an existing {ending} is not replaced unasked")
        else:
            check("cairo" in said.stderr and not os.path.exists(out), f"a build without cairo writes no {ending}", said.stderr)
    plot("-o", os.path.join(top, "plot.eps"), code=2)


def follows(top):
    """With --about a cluster that goes far away stays in the picture."""
    out, near, far = (os.path.join(top, name) for name in ("about.png", "a.csv", "far.csv"))
    with open(near) as file, open(far, "w") as moved:
        for line in file:
            cells = line.split(",")
            if cells[0].isdigit():
                cells[2] = str(float(cells[2]) + 4096)
            moved.write(",".join(cells))

    def draw(*words, code=0):
        return run("draw", near, far, *words, "--width", "64", "--title", "", "--overwrite", "-o", out, code=code).stderr

    lost = draw("--region", "6", "--centre-x", "0")
    check("no body in the picture" in lost and "(4096, " in lost, "a panel without a body is a warning that says where they are", lost)
    for about in ("density", "mass", "12"):
        said = draw("--region", "6", "--about", about)
        check(not said, f"--about {about}: both panels show the cluster", said)
    check("--centre-x" in draw("--about", "mass", "--centre-x", "0", code=2), "--about and a fixed place contradict each other")
    check("density, mass" in draw("--about", "centre", code=2), "--about takes no other word")
    check("999999" in draw("--about", "999999", code=4), "--about refuses an id that no body has")
    draw("--show", "trails", "--about", "mass", code=2)
    other = os.path.join(top, "units.hdf5")
    run("model", "plummer", "-n", "9", "--units", "cluster", "-o", other)
    check("without a common scale" in draw(other, code=4) and "without a common scale" in draw(other, "--show", "trails", code=4),
          "snapshots in different units share no picture")
    check("no body" in draw("--show", "trails", "--region", "1", "--centre-x", "-700"), "trails outside of the picture: a warning")


def escaped(top):
    """A run whose bodies have all escaped before its end."""
    if "HDF5: yes" not in run("--version").stdout:
        return skip("a run without bodies at its end", "this build has no HDF5")
    start, went, out = (os.path.join(top, name) for name in ("apart.csv", "escaped", "escaped.png"))
    with open(start, "w") as file:
        file.write("id,mass,x,y,z,vx,vy,vz\n1,1,1,0,0,9,0,0\n2,1,-1,0,0,-9,0,0\n")
    run("run", start, "--softening", "0.1", "--step", "0.25", "--end", "1", "--every", "0.5", "--escape-radius", "3", "--output", went,
        "--engine", "cpu", "--quiet")
    last = sorted(name for name in os.listdir(went) if name.startswith("snapshot_"))[-1]
    how = ["-o", out, "--width", "240", "--overwrite"]
    for words in ([], ["--show", "density"], ["--show", "trails"], ["--about", "mass"]):
        said = run("draw", went, *words, *how).stderr
        check(f"{last}: holds no bodies" in said if "trails" in words else "no bodies at t = 1" in said and "no bodies at t = 0:" not in said,
              f"a run without bodies at its end is drawn, with a warning: {words}", said)
    said = run("draw", "--plot", "radii", went, *how).stderr
    check(f"{last}: holds no bodies" in said, "Lagrangian radii of a run without bodies at its end are plotted", said)
    said = run("binaries", went)
    check(f"{last}: holds no bodies" in said.stderr and "0 binaries of 0 bodies" in said.stdout, "binaries of a run without bodies at its end are listed", said.stderr)
    check("holds no bodies" in run("draw", os.path.join(went, last), *how, code=4).stderr, "a single file without bodies is refused")


def boxes(top):
    """Pictures of a file with a periodic box and of a run in it: whole, cut, moved and about a group."""
    if "HDF5: yes" not in run("--version").stdout:
        return skip("pictures of periodic boxes", "this build has no HDF5")
    box, groups, out, went = (os.path.join(top, name) for name in ("box.hdf5", "groups.csv", "box.png", "went"))
    run("model", "cosmic-box", "-n", "512", "--side", "20", "--seed", "3", "-o", box, "--quiet")
    with open(groups, "w") as file:
        file.write("x,y,z,radius\n5000,10000,10000,900\n10000,0,20000,900\n")

    def draw(*words, what=box, code=0):
        said = run("draw", what, *words, "--width", "96", "--rim", "none", "--overwrite", "--show", "density", "-o", out, code=code).stderr
        return said if code else image(out)

    whole = draw()
    check(len(whole) == len(whole[0]) // 3 == 96, "the picture of a box is square")
    bare, beside = draw("--title", ""), draw("--centre-x", "0", "--title", "")
    check([row[144:] + row[:144] for row in bare] == beside != bare, "the camera sees images of the box's bodies")
    check(draw("--region", "20000", "--title", "") == bare and draw("--slab", "20000", "--title", "") == bare,
          "a box without options is shown whole, and as thick as it is wide")
    slab = draw("--slab", "5Mpc", "--title", "")
    check(slab != bare and draw("--slab", "5Mpc", "--centre-z", "30000", "--title", "") == slab != draw("--slab", "5Mpc", "--centre-z", "0", "--title", ""),
          "a slab is a part of the box at the middle of the picture")
    about = ["--title", "", "--groups", groups]
    check(draw("--about", "group:1", *about) == draw("--centre-x", "10000", "--centre-y", "0", "--centre-z", "20000", *about) != draw(*about),
          "a group of a catalogue is the middle")
    circles = []
    found = os.path.join(top, "found.csv")
    for name in (found, os.path.join(top, "found.hdf5")):
        run("groups", box, "--linking-fraction", "1", "--minimum", "2", "-o", name, "--quiet")
        circles.append(draw("--groups", name, "--about", "group:0", "--region", "9Mpc"))
    first = dict(zip("xyz", next(line for line in open(found) if line.startswith("0,")).split(",")[3:6]))
    centre = [word for axis, value in first.items() for word in (f"--centre-{axis}", value + "kpc")]
    check(draw("--groups", found, *centre, "--region", "9Mpc") == circles[0] == circles[1] != draw("--region", "9Mpc", *centre),
          "circles of catalogues without factors of h, and with them in HDF5, are about the groups of a box in kpc/h")
    rows = [line.strip().split(",") for line in open(found) if not line.startswith("#")]
    columns = [rows[0].index(name) for name in ("x", "y", "z", "radius")]
    own = os.path.join(top, "own.csv")
    for reading, factor in (("--physical", 1 / 50), ("--as-stored", 0.6766)):  # z = 49, and h
        with open(own, "w") as file:
            file.write("x,y,z,radius\n" + "".join(",".join(repr(float(row[k]) * factor) for k in columns) + "\n" for row in rows[1:]))
        pictures = [draw("--groups", name, "--about", "group:0", reading, "--region", f"{9000 * factor}kpc")
                    for name in (own, found, os.path.join(top, "found.hdf5"))]
        check(pictures[0] == pictures[1] == pictures[2], f"with {reading} circles of catalogues in the box are about the same groups")
        run("groups", box, reading, "--linking-fraction", "1", "--minimum", "2", "-o", os.path.join(top, "open.csv"), "--quiet", "--overwrite")
        run("groups", box, reading, "--linking-fraction", "1", "--minimum", "2", "-o", os.path.join(top, "open.hdf5"), "--quiet", "--overwrite")
        pictures = [draw("--groups", os.path.join(top, name), "--about", "group:0", reading) for name in ("open.csv", "open.hdf5")]
        check(pictures[0] == pictures[1], f"{reading}: circles of catalogues that were made so are not converted")
    check("there are 2 groups" in draw("--about", "group:2", *about, code=2), "a group that is not there is refused")
    check("--groups" in draw("--about", "group:0", code=2), "a group without a catalogue is refused")
    check("group:K" in draw("--about", "group:x", code=2), "a group without a number is refused")
    check("periodic box" in draw("--about", "density", code=3) and "periodic box" in draw("--about", "mass", code=3), "boxes have no centre")
    check("too many images" in draw("--region", "1e9", code=2), "a picture of countless images is refused")
    check(draw("--as-stored", "--title", "") != bare and draw("--physical", "--title", "") != bare, "in open space there are no images")
    run("run", box, "--end-z", "24", "--force", "direct", "--quiet", "--output", went)
    last = os.path.join(went, "snapshot_0001.hdf5")
    check(draw("--panels", "1", what=went) == draw(what=last) != draw("--about", "3", what=last), "a run in a box is not followed, but a body is")
    run("draw", went, "--show", "trails", "--overwrite", "-o", out, "--width", "96")


def plots(top):
    """Plots by the ranges of their axes, which are in the file. Each range goes 3 % beyond what is shown."""
    out, went = os.path.join(top, "plot.png"), os.path.join(top, "run")

    def plot(what, *words, code=0):
        return run("draw", "--plot", what, *words, "-o", out, "--width", "240", "--height", "200", "--overwrite", code=code)

    def ranges():
        comment = dict(body.split(b"\0", 1) for kind, body in chunks(out) if kind == b"tEXt")[b"Comment"].decode()
        found = {}
        for part in comment.split("; "):
            words = part.split()
            found[" ".join(words[:-3])] = (float(words[-3]), float(words[-1]))
        return found

    table, other = os.path.join(top, "energy.csv"), os.path.join(top, "other.csv")
    with open(table, "w") as file:
        file.write("time,kinetic,potential,energy,de,more\n0,1,-3,-2,0,5\n10,2,-4,-2.5,0.25,\n")
    plot("energy", table)
    check(size(out) == (240, 200) and ranges() == {"time": (-0.3, 10.3), "energy": (-4.18, 2.18),
                                                   "relative change of energy": (-0.0075, 0.2575)}, "energies: the axes", ranges())
    with open(table, "w") as file:
        file.write("time,kinetic,potential,energy,de\n0,1,-3,-2,\n10,2,-4,-2.5,\n")
    plot("energy", table)
    bare = pixels(out)
    with open(table, "w") as file:
        file.write("# units: time 0.977792 Myr, energy Msun km²/s²\ntime,kinetic,potential,energy,de\n0,1,-3,-2,\n10,2,-4,-2.5,\n")
    plot("energy", table)
    check(pixels(out) != bare, "a table of energies with units has them on its axes")
    shutil.copy(table, other)
    plot("energy", table, other)
    with open(other, "a+") as file:
        file.seek(0)
        lines = file.read().replace("Msun", "1e+10 Msun")
        file.truncate(0)
        file.write(lines)
    check("different units" in plot("energy", table, other, code=4).stderr, "two tables of energies need the same units")
    with open(table, "w") as file:
        file.write("time,kinetic,potential,energy,de\n0,1,-3,98,\n10,2,-4,98,\n")
    plot("energy", table)
    check(ranges()["energy"][1] > 103, "energy in external fields has a line", ranges())
    check(list(ranges()) == ["time", "energy"], "a change that is not defined is not plotted")
    plot("energy", went)
    check(ranges()["time"][0] < 0 and ranges()["time"][1] > 0.25, "energies of a folder")
    with open(table, "w") as file:
        file.write("\ufefftime,kinetic,potential,energy,de\n0,1,-3,-2,\n10,2,-4,-2.5,\n")
    plot("energy", table)
    check(pixels(out) == bare, "a byte-order mark before a table is no part of its first column")
    with open(table, "w") as file:
        file.write("time,kinetic\n0,1\n")
    check("potential" in plot("energy", table, code=4).stderr, "a column that is missing is named")
    columns(plot, ranges, table, out)
    plot("energy", os.path.join(top, "empty"), code=4)
    plot("radii", os.path.join(top, "empty"), code=4)
    plot("radii", went)
    radii = json.loads(run("info", os.path.join(top, "b.csv"), "--json").stdout)["lagrangian_radii"]
    name = "radius that contains this fraction of the mass"
    check(ranges()[name][0] < radii[0] and ranges()[name][1] > radii[-1], "Lagrangian radii lie on their axis", f"{ranges()} {radii}")
    seen, some = [], sorted(name for name in os.listdir(went) if name.startswith("snapshot"))[:3]
    for order in ((0, 1, 2), (2, 0, 1)):
        plot("radii", *[os.path.join(went, some[k]) for k in order])
        seen.append(pixels(out))
    check(seen[0] == seen[1], "snapshots in any order are one line over the time")
    plot("radii", os.path.join(top, "b.csv"))
    check(ranges()["time"] == (-1.06, 1.06), "one snapshot gives a plot", ranges())
    for code, words in ((2, ["--panels", "2"]), (2, ["--show", "velocity"]), (2, ["--frames", "2"]), (2, ["--live"])):
        plot("radii", went, *words, code=code)
    slow = os.path.join(top, "slow")
    run("run", "--input", os.path.join(top, "b.csv"), "--softening", "0.3", "--step", "0.0625", "--end", "0.5", "--every", "0.125", "--output", slow,
        "--quiet")
    for what, axis in (("energy", "time"), ("radii", "time")):
        plot(what, went)
        one, before = ranges(), pixels(out)
        plot(what, went, slow)
        check(one[axis][1] < 0.3 and 0.5 < ranges()[axis][1] < 0.6 and pixels(out) != before, f"{what} of two runs share their axes", ranges())
    check("at most 6 runs" in plot("radii", *[went] * 7, code=2).stderr + plot("energy", *[went] * 7, code=2).stderr,
          "more runs than kinds of dashes are refused")
    plot("radii", went, slow, "--title", "softenings")
    plot("energy", *[went] * 17, code=2)
    units = os.path.join(top, "units")
    run("run", "--model", "plummer", "-n", "100", "--units", "cluster", "--mass", "100", "--radius", "1", "--end", "0.25", "--step", "0.0625", "--output",
        units, "--quiet")
    check("no common axes" in plot("energy", went, units, code=4).stderr, "runs with and without units have no common plot")
    plot("radii", went, units, code=4)
    files = [os.path.join(run_, "snapshot_0000.hdf5") for run_ in (went, units)]
    check("without a common scale" in plot("radii", *files, code=4).stderr, "files in different units have no common plot")
    vector(top, lambda *words, **how: run("draw", "--plot", "radii", units, "--width", "240", "--height", "200", *words, **how))
    plot("errors", os.path.join(top, "b.csv"), code=2)
    plot("errors", os.path.join(top, "b.csv"), os.path.join(top, "b.csv"), code=4)
    if "HDF5: yes" not in run("--version").stdout:
        return skip("errors of forces", "this build has no HDF5")
    exact, near = os.path.join(top, "exact.hdf5"), os.path.join(top, "near.hdf5")
    run("force", os.path.join(top, "a.csv"), "--softening", "0.01", "--force", "direct", "--precision", "double", "-o", exact)
    said = json.loads(run("force", os.path.join(top, "a.csv"), "--softening", "0.01", "--theta", "0.6", "--opening", "geometric",
                          "--check", "3000", "-o", near, "--json").stdout)
    plot("errors", exact, near)
    high = ranges()["relative error of the acceleration"][1]
    low = ranges()["fraction with a larger error"][0]
    check(said["error"]["max"] < high < 3 * said["error"]["max"] and 1 / 6000 < low < 1 / 3000,
          "the axis of errors ends at the largest, that of fractions at one body", f"{ranges()} {said['error']}")


if "PNG: yes" not in run("--version").stdout:
    skip("pictures", "this build has no libpng")
else:
    with folder() as top:
        a, out, draw = pictures(top)
        film(top)
        live(top)
        follows(top)
        plots(top)
        escaped(top)
        boxes(top)
        if os.path.exists(PRELOAD):
            faults(top, a, out, draw)
        else:
            skip("faults", "the library that makes calls fail was not built")
finish()
