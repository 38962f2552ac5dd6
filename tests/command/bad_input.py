#!/usr/bin/env python3
# Bad input, and output that cannot be written, give one line with file, place and remedy and the right exit code. Nothing is
# written or changed.
import os
import resource
import subprocess

from tap import KYOHO, check, finish, folder, run

HEADER = "id,mass,x,y,z,vx,vy,vz\n"


def refused(name, words, code, says, present=None, **options):
    """Tests that the command fails with one line that has every word of `says`, and leaves the files of `present` as they are."""
    before = listing(present) if present else None
    process = run(*words, code=None, **options)
    lines = [line for line in process.stderr.strip().splitlines() if not line.startswith("warning: ")]
    good = process.returncode == code and len(lines) == 1 and all(word in lines[0] for word in says)
    if present:
        good = good and listing(present) == before
    check(good, f"code {code}: {name}", f"exit code {process.returncode}\n{process.stderr}\nbefore {before}")


def listing(where):
    return {name: (os.path.getsize(os.path.join(where, name)), os.path.getmtime(os.path.join(where, name)))
            for name in os.listdir(where)}


with folder() as top:
    def path(name):
        return os.path.join(top, name)

    def write(name, text):
        with open(path(name), "wb" if isinstance(text, bytes) else "w") as file:
            file.write(text)
        return path(name)

    outputs = path("outputs")
    os.mkdir(outputs)
    body = "{},1,0,0,0,0,0,0\n"
    cases = [
        ("a missing file", path("none.csv"), ["none.csv"]),
        ("an empty file", write("empty.csv", ""), ["empty"]),
        ("a foreign text", write("poem.txt", "Two roads diverged in a yellow wood,\n"), ["poem.txt"]),
        ("a foreign binary", write("noise.bin", bytes(range(256)) * 40), ["noise.bin"]),
        ("a header alone", write("header.csv", HEADER), ["header.csv"]),
        ("NaN", write("nan.csv", HEADER + body.format(1) + "2,1,nan,0,0,0,0,0\n"), ["nan.csv"]),
        ("infinity", write("inf.csv", HEADER + "1,1,0,0,0,inf,0,0\n"), ["inf.csv"]),
        ("a negative mass", write("negative.csv", HEADER + "1,-1,0,0,0,0,0,0\n"), ["negative.csv", "mass"]),
        ("a duplicate id", write("twice.csv", HEADER + body.format(7) * 2), ["twice.csv", "7"]),
        ("a short line", write("short.csv", HEADER + body.format(1) + "2,1,0\n"), ["short.csv", "3"]),
        ("a word for a number", write("word.csv", HEADER + "1,one,0,0,0,0,0,0\n"), ["word.csv", "2"]),
        ("an unknown column", write("column.csv", "id,mass,x,y,z,vx,vy,vz,colour\n" + "1,1,0,0,0,0,0,0,3\n"), ["column.csv", "colour"]),
        ("a missing column", write("missing.csv", "id,mass,x,y,vx,vy,vz\n1,1,0,0,0,0,0\n"), ["missing.csv", "z"]),
        ("a time that is not a number", write("time.csv", "# time: abc\n" + HEADER + body.format(1)), ["time.csv", "line 1", "time is 'abc'"]),
        ("a time that is not finite", write("late.csv", "# time: inf\n" + HEADER + body.format(1)), ["late.csv", "line 1", "'inf'"]),
        ("a count that is not a number", write("count.csv", "# bodies: 1x\n" + HEADER + body.format(1)), ["count.csv", "line 1", "'1x'"]),
        ("a lying TIPSY header", write("lie.tipsy", b"\0" * 8 + (2 ** 30).to_bytes(4, "big") + (3).to_bytes(4, "big") + b"\0" * 16), ["lie.tipsy"]),
    ]
    for name, file, says in cases:
        for words in (["run", file, "--step", "0.1", "--end", "1", "--output", path("outputs/run")], ["info", file],
                      ["convert", file, path("outputs/x.csv")], ["force", file], ["draw", file, "-o", path("outputs/x.png")]):
            if name == "a header alone" and words[0] in ("info", "convert", "draw"):
                continue
            refused(f"{words[0]}: {name}", words, 4, says, present=outputs)
    refused("a folder without snapshots", ["info", outputs], 4, ["snapshot"])
    refused("a folder as a file", ["force", outputs], 4, ["outputs"])

    # results that are not finite
    far = write("far.csv", HEADER + "".join(f"{k},1,{x},{y},0,0,0,0\n" for k, (x, y) in enumerate([(0, 0), (1, 0), (0, 1), ("1e300", 0)])))
    refused("density: one body at 1e300", ["density", far, "--quiet", "--neighbours", 2, "-o", path("outputs/d.csv")], 4, ["body 3", "1e+300"], present=outputs)
    same = write("same.csv", HEADER + "".join(f"{k},1,{x},0,0,0,0,0\n" for k, x in enumerate([3, 0, 0, 0, 1])))
    refused("density: three bodies in one place", ["density", same, "--quiet", "--neighbours", 2], 4, ["body 1", "2 nearest neighbours", "same position"])
    check(run("density", same, "--neighbours", "3", code=None).returncode == 0, "density: with more neighbours than lie in one place")
    for option in ("--g", "--eccentricity"):
        refused(f"merge {option} 1e308", ["merge", same, same, "--separation", 10, "--pericentre", 1, option, "1e308", "-o", path("outputs/m.csv")],
                4, ["1e+308", "must be finite"], present=outputs)

    # files that are cut anywhere
    run("model", "plummer", "-n", "40", "-o", path("whole.hdf5"))
    run("model", "plummer", "-n", "40", "-o", path("whole.tipsy"))
    for name in ("whole.hdf5", "whole.tipsy"):
        data = open(path(name), "rb").read()
        codes = set()
        for part in range(1, 20):
            cut = write("cut" + name[5:], data[:len(data) * part // 20])
            codes.add(run("info", cut, code=None).returncode)
        check(codes == {4}, f"code 4: {name} cut short", codes)

    # output that cannot be written: no new file stays, and no old one changes
    write("file", "not a folder")
    refused("a folder below a file", ["run", "--model", "two-body", "--step", "0.1", "--end", "1", "--output", path("file/run")], 7, ["file"])
    refused("a snapshot below a file", ["model", "plummer", "-n", "10", "-o", path("file/x.csv")], 7, ["file"])
    refused("a snapshot in no folder", ["model", "plummer", "-n", "10", "-o", path("nowhere/x.csv")], 7, ["nowhere"])
    refused("a picture in no folder", ["draw", path("whole.hdf5"), "-o", path("nowhere/x.png")], 7, ["nowhere"])

    def full(*words, limit):
        """Runs with files of at most `limit` bytes, which is like a full disk for the program."""
        return subprocess.run([KYOHO, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))

    # LLVM's OpenMP, which clang links, ends a program that cannot have 1,024 bytes of shared memory.
    with open(KYOHO, "rb") as file:
        least = 1024 if b"libomp.so" in file.read() else 0
    for name in ("x.csv", "x.tipsy", "x.hdf5"):
        for limit in (least, 5000):
            process = full("model", "plummer", "-n", "2000", "-o", path("outputs/" + name), limit=limit)
            check(process.returncode == 7 and len(process.stderr.strip().splitlines()) == 1 and not os.listdir(outputs),
                  f"code 7: {name} on a disk with {limit} bytes", f"{process.returncode} {process.stderr} {os.listdir(outputs)}")
    run("model", "plummer", "-n", "100", "-o", path("outputs/x.hdf5"))
    kept = open(path("outputs/x.hdf5"), "rb").read()
    process = full("model", "plummer", "-n", "2000", "-o", path("outputs/x.hdf5"), "--overwrite", limit=5000)
    check(process.returncode == 7 and open(path("outputs/x.hdf5"), "rb").read() == kept, "a full disk leaves the file that was there",
          process.stderr)
    for limit in (least, least + 200, 3000, 90000):
        process = full("run", "--model", "plummer", "-n", "1000", "--softening", "0.1", "--step", "0.125", "--end", "1", "--every", "0.125",
                       "--output", path(f"full{limit}"), "--quiet", limit=limit)
        check(process.returncode == 7, f"code 7: a run on a disk with {limit} bytes", f"{process.returncode} {process.stderr}")
        left = os.listdir(path(f"full{limit}")) if os.path.exists(path(f"full{limit}")) else []
        check(not [n for n in left if n.endswith(".part")], "a run on a full disk leaves no temporary files", left)
    output = open("/dev/full", "w")
    for words in (["devices"], ["--help"], ["--version"]):
        process = subprocess.run([KYOHO, *words], stdout=output, stderr=subprocess.PIPE, text=True)
        check(process.returncode == 7, f"code 7: {words[0]} on a full disk", process.stderr)

    # with closed standard streams remarks are lost, and do not go into the results
    command = f"exec '{KYOHO}' run --model plummer -n 50 --softening 0.1 --end 1 --output '{path('closed')}' <&- >&- 2>&-"
    code = subprocess.run(["sh", "-c", command]).returncode
    rows = open(path("closed/energy.csv")).read().splitlines()
    check(code == 0 and all(row.count(",") == 22 for row in rows), "closed standard streams leave energy.csv alone", f"{code} {rows[:3]}")
    for words in ("info same.csv", "info same.csv --json", "devices", "--help", "--version", "help run", "force same.csv --softening 0.1",
                  "model plummer -n 9 -o -  --format csv", "convert same.csv closed.csv --json"):
        process = subprocess.run(["sh", "-c", f"exec '{os.path.abspath(KYOHO)}' {words} >&-"], cwd=top, stderr=subprocess.PIPE, text=True)
        check(process.returncode == 7 and "cannot be written" in process.stderr, f"code 7: {words} without a standard output", process.stderr)

    # for a system without a size neither a softening nor a step is recommended
    write("alone.csv", HEADER + "1,1,0,0,0,0,0,0\n")
    shown = run("info", path("alone.csv")).stdout + run("force", path("alone.csv"), code=2).stderr
    check("--step 0" not in shown and "recommended" not in shown, "nothing is recommended for one body", shown)

    # bodies without forces have no virial ratio
    write("massless.csv", HEADER + "1,0,0,0,0,0,0,0\n2,0,1,0,0,0,0,0\n")
    shown = run("force", path("massless.csv"), "--softening", "0.1").stdout
    run("run", path("massless.csv"), "--softening", "0.1", "--step", "0.5", "--end", "1", "--output", path("massless"), "--quiet")
    shown += run("info", path("massless")).stdout
    check("dE/E not defined" in shown, "bodies without mass have no relative change of energy", shown)
    check("virial ratio undefined" in shown and "nan" not in shown, "bodies without mass have no virial ratio", shown)

    # numbers that leave the range of double end the run
    write("heavy.csv", HEADER + "1,1e200,0,0,0,0,0,0\n2,1e200,1,0,0,0,0,0\n")
    refused("a run whose energy is not finite", ["run", path("heavy.csv"), "--softening", "0.1", "--step", "1", "--steps", "3", "--output", path("heavy"), "--quiet"], 4, ["at time 0", "finite"])
finish()
