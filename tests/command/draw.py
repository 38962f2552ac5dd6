#!/usr/bin/env python3
# kyoho draw: sizes, panels, options that change the picture and those that must not, refusals, faults.
import json
import os
import struct
import zlib

from tap import check, finish, folder, run, skip

PRELOAD = os.path.abspath(os.path.join(os.environ.get("BUILD", "build"), "tests/faults/preload.so"))


def chunks(path):
    """The chunks of a PNG file, their checksums tested."""
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


def pictures(top):
    a, b, out = (os.path.join(top, name) for name in ("a.csv", "b.csv", "out.png"))
    run("model", "hernquist", "-n", "3000", "-o", a)
    run("model", "uniform-cube", "-n", "400", "-o", b)

    def draw(*words, code=0, name="out.png", **how):
        return run("draw", *words, "--width", "120", "--overwrite", "-o", os.path.join(top, name), code=code, **how)

    draw(a)
    check(size(out) == (120, 120), "one snapshot, one square")
    plain = pixels(out)
    for threads in ("1", "3"):
        draw(a, env={"OMP_NUM_THREADS": threads})
        check(pixels(out) == plain, f"the same picture with {threads} threads")
    for words in (["--axis", "x"], ["--colours", "ice"], ["--brightness", "log"], ["--region", "3"], ["--centre-y", "1"],
                  ["--smooth", "10"], ["--range", "2"], ["--peak", "1"], ["--title", "Hernquist"], ["--fraction", "0.5"],
                  ["--turn", "20"], ["--tilt", "-30"], ["--show", "components"], ["--show", "velocity"], ["--show", "trails"]):
        draw(a, *words)
        check(pixels(out) != plain, " ".join(words) + " changes it")
    draw(a, b, a)
    wide = size(out)
    check(360 < wide[0] < 370 and wide[1] == 120, "three snapshots side by side")
    draw(a, b, a, "--columns", "2")
    check(size(out) == ((wide[0] - 360) // 2 + 240, (wide[0] - 360) // 2 + 240), "--columns 2 makes two rows")
    text = dict(body.split(b"\0", 1) for kind, body in chunks(out) if kind == b"tEXt")
    check(b"Kyoho" in text[b"Software"] and b"along z" in text[b"Comment"], "the file says what it shows")

    run("run", "--input", b, "--softening", "0.1", "--step", "0.0625", "--end", "0.25", "--every", "0.0625", "--output",
        os.path.join(top, "run"), "--quiet")
    said = json.loads(draw(os.path.join(top, "run"), "--json").stdout)
    check(said["panels"] == 3 and size(out)[0] == wide[0], "a folder: three panels from the first to the last")
    draw(os.path.join(top, "run"), "--show", "trails", "--trails", "7", "--height", "90")
    text = dict(body.split(b"\0", 1) for kind, body in chunks(out) if kind == b"tEXt")
    check(size(out) == (120, 90) and b"7 bodies" in text[b"Comment"], "trails: one panel of the wanted size")
    before = open(out, "rb").read()
    refused = run("draw", a, "-o", out, code=2)
    check(open(out, "rb").read() == before and "overwrit" in refused.stderr, "an existing picture is not replaced unasked")
    draw(a, "--colours", "amber", code=2)
    check(open(out, "rb").read() == before, "nor for a colour map that is not there")
    os.mkdir(os.path.join(top, "empty"))
    check("snapshots" in draw(os.path.join(top, "empty"), code=4).stderr, "an empty folder is refused")
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


if "PNG: yes" not in run("--version").stdout:
    skip("pictures", "this build has no libpng")
else:
    with folder() as top:
        a, out, draw = pictures(top)
        if os.path.exists(PRELOAD):
            faults(top, a, out, draw)
        else:
            skip("faults", "the library that makes calls fail was not built")
finish()
