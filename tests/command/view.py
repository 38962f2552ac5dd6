#!/usr/bin/env python3
# The view of a run and of a folder: who may come in, what the buttons do, and pages that are slow, broken or gone.
import json
import math
import os
import re
import signal
import socket
import threading
import time

from tap import check, finish, folder, run, skip
from viewing import View

MODEL = ["--model", "plummer", "-n", "600", "--softening", "0.05", "--step", "0.0078125", "--every", "2", "--energy-every", "0.0625",
         "--threads", "1"]
LONG = ["--steps", "100000000"]
EVERY = 256  # steps from one snapshot to the next; a divisor of those of LONG


def doors(view, top):
    """Everything that is kept out."""
    token = view.token
    other = ("0" if token[0] != "0" else "1") + token[1:]
    host = f"127.0.0.1:{view.port}"
    wrong = [
        ("no token", view.code("/", token=False)),
        ("no token for a frame", view.code("/frame?from=0", token=False)),
        ("no token for an order", view.code("/pause", "POST", token=False)),
        ("no token for a path that is not there", view.code("/else", token=False)),
        ("a wrong token", view.code("/?token=" + other, token=False)),
        ("a wrong token in the field", view.code("/frame?from=0", token=False, X_Kyoho_Token=other)),
        ("a part of the token", view.code("/?token=" + token[:31], token=False)),
        ("the token and more", view.code("/?token=" + token + "0", token=False)),
        ("an empty token", view.code("/?token=", token=False)),
        ("the token in the address of a frame", view.code("/frame?token=" + token, token=False)),
        ("the token in the address of an order", view.code("/stop?token=" + token, "POST", token=False)),
        ("a foreign Host", view.code("/", Host="evil.example")),
        ("a foreign Host with this port", view.code("/", Host=f"evil.example:{view.port}")),
        ("a Host that begins like this one", view.code("/", Host="127.0.0.1.evil.example")),
        ("another Host that begins like this one", view.code("/", Host="localhost:80@evil.example")),
        ("no Host", view.code("/", Host=None)),
        ("a foreign Origin", view.code("/pause", "POST", Origin="http://evil.example")),
        ("another port as Origin", view.code("/pause", "POST", Origin="http://127.0.0.1:1")),
        ("https as Origin", view.code("/pause", "POST", Origin="https://" + host)),
        ("the Origin null", view.code("/frame?from=0", Origin="null")),
    ]
    for what, code in wrong:
        check(code == 403, f"403: {what}", code)
    right = [
        ("the address that was printed", view.code("/?token=" + token, token=False)),
        ("this Origin", view.code("/energy?from=0", Origin="http://" + host)),
        ("the name localhost and the port of a tunnel", view.code("/energy?from=0", Host="localhost:9000", Origin="http://localhost:9000")),
        ("the host without a port", view.code("/energy?from=0", Host="localhost")),
    ]
    for what, code in right:
        check(code == 200, f"200: {what}", code)
    others = [
        *[(405, path, "GET") for path in ("/pause", "/step", "/resume", "/snapshot", "/stop")],
        (405, "/", "POST"), (405, "/frame?from=0", "POST"), (405, "/pause", "PUT"), (405, "/pause", "HEAD"), (404, "/else", "GET"),
        (404, "/else", "POST"), (404, "/pause/", "POST"), (404, "/../etc/passwd", "GET"), (400, "/frame", "GET"), (400, "/frame?from=", "GET"),
        (400, "/frame?from=-1", "GET"), (400, "/frame?from=1x", "GET"), (400, "/frame?from=18446744073709551615", "GET"),
        (400, "/energy?from=99999999999999999999", "GET"), (416, "/energy?from=18446744073709551614", "GET")]
    for expected, path, method in others:
        code, fields, _ = view.ask(path, method)
        check(code == expected and (code != 405 or fields["Allow"] in ("GET", "POST")), f"{expected}: {method} {path}", code)
    check(not view.until(lambda text: True)[0]["paused"], "none of them has paused the run")
    _, fields, body = view.ask("/?token=" + token, token=False)
    policy = fields["Content-Security-Policy"]
    nonce = re.search(r"script-src 'nonce-([0-9a-f]{32})'", policy)
    check(policy.startswith("default-src 'none';") and "unsafe" not in policy and nonce and body.decode().count(f'nonce="{nonce[1]}"') == 2,
          "the page has a policy that allows its own script and style alone", policy)
    again = view.ask("/?token=" + token, token=False)[1]["Content-Security-Policy"]
    check(again != policy, "which are allowed by a number of this answer")
    check(fields["X-Frame-Options"] == "DENY" and fields["Referrer-Policy"] == "no-referrer" and fields["Cache-Control"] == "no-store",
          "the page is in no frame, tells nobody its address and is not kept", fields)
    check("frame-ancestors 'none'" in policy, "its policy says so too", policy)
    check(not re.search(r"(?:src|href)=|https?://(?!www\.w3\.org)", body.decode().replace('href="data:,"', "")), "the page loads nothing from elsewhere")
    for name in (os.path.join(top, "run.log"), os.path.join(top, "run.json")):
        check(token not in open(name).read(), f"the token is not in {os.path.basename(name)}")


def outer_addresses():
    """Addresses of this machine other than the loopback."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing
            return {probe.getsockname()[0]} - {"127.0.0.1", "0.0.0.0"}
        except OSError:
            return set()


def broken(view):
    """Requests that are cut, too long or not HTTP, and pages that go or are slow. The server lives on, and so does the run."""
    token = view.token.encode()
    begin = b"GET /frame?from=0 HTTP/1.1\r\nHost: localhost\r\nX-Kyoho-Token: " + token + b"\r\n"
    for cut in (1, 4, 20, len(begin) - 1, len(begin)):  # and the connection ends
        view.raw(begin[:cut]).close()

    def first_line(data):
        connection = view.raw()
        got = b""
        try:
            connection.sendall(data)
            while b"\r\n" not in got:
                more = connection.recv(1000)
                if not more:
                    break
                got += more
        except (ConnectionResetError, BrokenPipeError):
            pass
        connection.close()
        return got.split(b"\r\n")[0].decode()

    for what, data, expected in [
            ("a head of 4,096 bytes", begin + b"X-Long: " + b"a" * 5000 + b"\r\n\r\n", "431"),
            ("a head without end", b"a" * 5000, "431"),
            ("no version", b"GET /\r\n\r\n", "400"), ("HTTP/2", b"GET / HTTP/2\r\n\r\n", "400"),
            ("a whole address", b"GET http://localhost/ HTTP/1.1\r\n\r\n", "400"),
            ("nothing but an end", b"\r\n\r\n", "400"), ("a zero byte", begin[:-2] + b"\0\r\n\r\n", "400"),
            ("two hosts", begin + b"Host: evil.example\r\n\r\n", "400"), ("two tokens", begin + b"x-kyoho-TOKEN: " + token + b"\r\n\r\n", "400"),
            ("a folded field", begin + b" more\r\n\r\n", "400"), ("a field without a name", begin + b": x\r\n\r\n", "400"),
            ("a blank before the colon", begin + b"Origin : http://localhost\r\n\r\n", "400"),
            ("a field without a colon", begin + b"Origin\r\n\r\n", "400"),
            ("a body", begin.replace(b"GET /frame?from=0", b"POST /pause") + b"Content-Length: 5\r\n\r\nabcde", "413"),
            ("a body in parts", begin.replace(b"GET /frame?from=0", b"POST /pause") + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "413")]:
        line = first_line(data)
        check(line.startswith(f"HTTP/1.1 {expected} "), f"{expected}: {what}", line)

    line = first_line(b"GET /" + b"a" * 1000000)
    check(line == "" or line.startswith("HTTP/1.1 431 "), "a megabyte is not read", line)

    # two requests at once, and one in two parts
    connection = view.raw(begin.replace(b"/frame", b"/energy") + b"\r\n" + begin.replace(b"/frame", b"/else") + b"Connection: close\r\n\r\n")
    got = b""
    while more := connection.recv(100000):
        got += more
    check(got.count(b"HTTP/1.1 200 OK") == 1 and got.count(b"HTTP/1.1 404 ") == 1, "two requests in one piece have two answers", got[:200])
    connection = view.raw(begin[:30])
    time.sleep(0.1)
    connection.sendall(begin[30:] + b"\r\n")
    check(connection.recv(12) == b"HTTP/1.1 200", "a request in two pieces has an answer")
    connection.close()  # in mid-frame
    slow = view.raw(begin + b"\r\n")
    many = [view.raw(begin.replace(b"from=0", b"from=99999999") + b"\r\n") for _ in range(20)]  # they wait for what never comes
    first = view.frame()[0]["number"]
    later = view.until(lambda text: text["number"] > first + 3, first)[0]["number"]
    check(later > first, "a page that reads nothing, and twenty that wait, keep no other waiting")
    got = b""
    while b"\r\n\r\n" not in got or len(got) < 2000:
        got += slow.recv(10)
    check(got.startswith(b"HTTP/1.1 200"), "the slow page gets its frame")
    slow.close()
    for connection in many:
        connection.close()
    crowd = [view.raw() for _ in range(100)]  # more than there are places
    check(view.code("/energy?from=0") == 200, "a hundred idle connections keep nobody out")
    for connection in crowd:
        connection.close()
    # strangers that send a byte now and then: a waiting page stays connected, and other pages can connect
    page = view.raw(begin + b"\r\n")
    strangers = [view.raw(b"GET /") for _ in range(100)]
    for stranger in strangers[60:]:
        stranger.sendall(b"a")
    check(view.code("/energy?from=0") == 200 and page.recv(12) == b"HTTP/1.1 200", "a hundred slow requests without a token keep nobody out")
    page.close()
    for stranger in strangers[:-1]:
        stranger.close()
    view.code("/pause", "POST")  # so that the run takes no processor meanwhile
    closed = 0
    for _ in range(60):  # the server gives a request 20 s
        try:
            strangers[-1].sendall(b"a")
        except OSError:
            closed = 1
            break
        time.sleep(1)
    view.code("/resume", "POST")
    check(closed, "a request that never ends is closed, though its bytes come")


def between_snapshots(view, text):
    """The frame of a paused run, a step later if the schedule has a snapshot of its time: then one that is ordered is not written."""
    if text["steps"] % EVERY:
        return text
    assert view.code("/step", "POST") == 200
    return view.until(lambda new: new["steps"] > text["steps"], text["number"])[0]


def rows_of(where):
    with open(os.path.join(where, "energy.csv")) as file:
        return [line.rsplit(",", 1)[0] for line in file.read().splitlines()]  # without seconds


def bodies_of(snapshot, scratch):
    run("convert", snapshot, scratch, "--overwrite", "--quiet")
    with open(scratch) as file:
        return [line for line in file.read().splitlines() if not line.startswith("#|")]


ENDING = ".hdf5" if "HDF5: yes" in run("--version").stdout else ".tipsy"

with folder() as top:
    def path(name):
        return os.path.join(top, name)

    # a run of its own, since the run that is watched below is repeated to where it got
    view = View("run", *MODEL, *LONG, "--output", path("doors"), "--view")
    view.frame()
    doors(view, path("doors"))
    for address in sorted(outer_addresses()) or [None]:
        if address is None:
            skip("the machine's outer address is refused", "the machine has none")
            continue
        try:
            socket.create_connection((address, view.port), timeout=10).close()
            check(False, "the machine's outer address is refused", address)
        except ConnectionRefusedError:
            check(True, "the machine's outer address is refused")
    broken(view)
    view.code("/stop", "POST")
    check(view.end() == 6, "the run that outlived all this is stopped")

    # a run that is watched, paused, advanced, photographed and stopped
    view = View("run", *MODEL, *LONG, "--output", path("seen"), "--view")
    text, rows, types = view.frame()
    check(text["run"] and text["bodies"] == text["shown"] == 600 and not text["types"] and text["outcome"] is None and text["title"] == path("seen"),
          "a frame of the run", text)
    radii = sorted(math.dist((0, 0, 0), row[:3]) for row in rows)
    check(0.4 < radii[300] < 1.2 and all(row[3] > 0 for row in rows), "with its bodies and their speeds", radii[300])
    view.until(lambda text: text["steps"] > 2 * EVERY, text["number"])
    paused = view.pause()
    time.sleep(0.5)
    other = view.pause(paused["number"])
    check(other["steps"] == paused["steps"] > 0 and other["number"] > paused["number"], "a run that is paused makes no steps", (paused, other))
    check(view.code("/step", "POST") == 200, "a step is ordered")
    stepped = view.until(lambda text: text["steps"] > paused["steps"], other["number"])[0]
    time.sleep(0.3)
    check(stepped["steps"] == view.frame()[0]["steps"] == paused["steps"] + 1 and stepped["paused"], "it makes one step, and waits again", stepped)
    for _ in range(3):
        view.code("/step", "POST")
    stepped = view.until(lambda text: text["steps"] == paused["steps"] + 4, stepped["number"])[0]
    check(stepped["paused"], "three orders are three steps")
    between_snapshots(view, stepped)

    # a page of energy.csv, whole and in parts
    energy = open(path("seen/energy.csv"), "rb").read()
    check(view.energies() == energy and energy.endswith(b"\n"), "the energies shown are those of energy.csv")
    half = energy.index(b"\n", len(energy) // 2) + 1
    check(view.energies(half) == energy[half:] and view.ask(f"/energy?from={len(energy)}")[2] == b"", "also the last part of them")
    row = dict(zip(energy.decode().splitlines()[0].split(","), energy.decode().splitlines()[-1].split(",")))
    check(view.frame()[0]["energy_change"] == float(row["de"]), "dE/E of the frame is that of the last row")

    count = len([name for name in os.listdir(path("seen")) if name.startswith("snapshot_")])
    check(view.frame()[0]["snapshots"] == count, "the frame has the number of snapshots")
    view.code("/snapshot", "POST")
    view.until(lambda text: text["snapshots"] == count + 1, view.frame()[0]["number"])
    view.code("/snapshot", "POST")  # of the same time
    now = view.frame(view.frame()[0]["number"])[0]  # which that order has brought
    extra = f"snapshot_{count:04d}{ENDING}"
    check(sorted(name for name in os.listdir(path("seen")) if name.startswith("snapshot_"))[count:] == [extra] and now["snapshots"] == count + 1,
          "a snapshot that is ordered is written, once for a time", (os.listdir(path("seen")), count))
    facts = json.loads(run("info", path("seen/" + extra), "--json").stdout)
    check(facts["time"] == now["time"], "it is of the time that is shown", (facts["time"], now["time"]))

    # two pages at once see the same, and orders of one reach the other
    got = []
    pages = [threading.Thread(target=lambda: got.append(view.frame(now["number"]))) for _ in range(2)]
    for page in pages:
        page.start()
    time.sleep(0.3)
    check(not got, "pages wait while nothing changes")
    view.code("/step", "POST")
    for page in pages:
        page.join(60)
    check(len(got) == 2 and got[0] == got[1], "two pages get the same frame", [frame[0] for frame in got])
    view.code("/resume", "POST")
    moving = view.until(lambda text: not text["paused"], got[0][0]["number"])[0]
    check(view.until(lambda text: text["steps"] > moving["steps"] + 2, moving["number"])[0]["steps"] > moving["steps"], "resume goes on")

    # the last frame comes while a page waits
    last = []
    page = threading.Thread(target=lambda: last.append(view.until(lambda text: text["outcome"] is not None)))
    page.start()
    check(view.code("/stop", "POST") == 200, "a stop is ordered")
    code = view.end()
    page.join(60)
    check(code == 6 and "stopped by the view at time" in view.said and "--resume" in view.said, "it ends the run with code 6 and says how to go on", (code, view.said))
    check(last and last[0][0]["outcome"] == "stopped early", "the page learns that the run has stopped", last and last[0][0])
    steps = last[0][0]["steps"] if last else int(json.load(open(path("seen/run.json")))["steps"])
    check("paused by the view at time" in open(path("seen/run.log")).read(), "run.log tells of the pause")

    # resumed, it is the run that nobody has seen, but for the snapshot that was ordered
    total = (steps // EVERY + 2) * EVERY
    run("run", "--resume", path("seen"), "--steps", total, "--quiet")
    run("run", *MODEL, "--steps", total, "--output", path("unseen"), "--quiet")
    check(rows_of(path("seen")) == rows_of(path("unseen")), "energy.csv of the resumed run is that of a run that was never viewed")
    names = {where: sorted(name for name in os.listdir(path(where)) if name.startswith("snapshot_")) for where in ("seen", "unseen")}
    scheduled = [name for name in names["seen"] if name != extra]
    scratch = path("scratch.csv")
    check(len(scheduled) == len(names["unseen"]) and all(
        bodies_of(path("seen/" + a), scratch) == bodies_of(path("unseen/" + b), scratch) for a, b in zip(scheduled, names["unseen"])),
        "so are its snapshots, bit for bit", names)

    # signals and files end a run that waits
    longest = 0  # until a run waits
    for what in ("a signal", "a file named stop", "--max-wall"):
        begun = time.monotonic()
        view = View("run", *MODEL, *LONG, "--output", path(what), "--view", *(["--max-wall", max(1, 10 * longest)] if what == "--max-wall" else []))
        view.frame()
        view.pause()
        longest = max(longest, time.monotonic() - begun)
        if what == "a file named stop":
            open(path(what + "/stop"), "w").close()
        check(view.end(signal.SIGTERM if what == "a signal" else None) == 6 and f"stopped by {what}" in view.said, f"{what} ends a run that is paused", view.said)
    # a run that is killed after an ordered snapshot has a restart file that knows of it
    view = View("run", *MODEL, *LONG, "--output", path("killed"), "--view", "--quiet")
    text = between_snapshots(view, view.pause(view.frame()[0]["number"]))
    view.code("/snapshot", "POST")
    view.until(lambda new: new["snapshots"] > text["snapshots"], text["number"])
    view.end(signal.SIGKILL)
    further = (text["steps"] // EVERY + 2) * EVERY
    run("run", "--resume", path("killed"), "--steps", further, "--quiet")
    times = [json.loads(run("info", path("killed/" + name), "--json").stdout)["time"]
             for name in sorted(os.listdir(path("killed"))) if name.startswith("snapshot_")]
    check(times == sorted(times) and len(times) == further // EVERY + 2 and text["time"] in times,
          "a run that is killed after an ordered snapshot goes on counting behind it", (times, text))

    # a run that was ordered to stop goes on with a view, and ends by itself
    view = View("run", "--resume", path("a signal"), *LONG, "--view", "--quiet")
    view.frame()
    view.code("/stop", "POST")
    check(view.end() == 6, "--resume takes --view")
    view = View("run", *MODEL, "--steps", 8 * EVERY, "--output", path("short"), "--view", "--quiet")
    text = view.until(lambda text: text["outcome"] is not None)[0]
    check(view.end() == 0 and text["outcome"] == "done" and text["steps"] == text["steps_at_end"] == 8 * EVERY, "a run that ends tells its pages", text)

    # a sample of many bodies, the same in each frame; types
    view = View("run", "--model", "plummer", "-n", "30000", *LONG, "--step", "1e-5", "--softening", "0.1", "--output", path("many"), "--view",
                "--view-bodies", "1000", "--quiet")
    one = view.frame()
    two = view.frame(one[0]["number"])
    check(one[0]["bodies"] == 30000 and 500 <= one[0]["shown"] <= 1000 and one[0]["shown"] == two[0]["shown"], "a sample of many bodies", one[0])
    check(all(math.dist(a[:3], b[:3]) < 0.01 for a, b in zip(one[1], two[1])), "has the same bodies in each frame")
    view.code("/stop", "POST")
    view.end()

    # what is refused before work begins
    taken = socket.create_server(("127.0.0.1", 0))
    port = taken.getsockname()[1]
    for words, code, expected in [
            (["run", *MODEL, *LONG, "--output", path("none"), "--view", "--view-port", port], 3, f"port {port}"),
            (["run", *MODEL, *LONG, "--output", path("none"), "--view", "--view-port", "65536"], 2, "--view-port"),
            (["run", *MODEL, *LONG, "--output", path("none"), "--view", "--view-bodies", "0"], 2, "--view-bodies"),
            (["run", *MODEL, *LONG, "--output", path("none"), "--view-port", "0"], 2, "without --view"),
            (["run", *MODEL, *LONG, "--output", path("none"), "--view-frame"], 2, "without --view"),
            (["run", *MODEL, *LONG, "--view", "--dry-run"], 2, "--dry-run"),
            (["view", path("unseen"), "--view-port", port], 3, f"port {port}"),
            (["view", path("nothing")], 4, "nothing"), (["view", path("seen/run.log")], 4, "run.log"), (["view", top], 4, "snapshots"), (["view"], 2, ""),
            (["view", "-"], 2, "standard input")]:
        process = run(*words, code=None)
        check(process.returncode == code and expected in process.stderr, "refused: kyoho " + " ".join(map(str, words[:1] + words[-3:])).replace(top, "…"),
              f"{process.returncode} {process.stderr}")
    check(not os.path.exists(path("none")), "they make no folder")
    taken.close()
    for _ in range(10):  # until no other program takes the port before the view
        try:
            view = View("view", path("unseen"), "--view-port", port)
            break
        except RuntimeError:
            with socket.create_server(("127.0.0.1", 0)) as another:
                port = another.getsockname()[1]
    check(view.port == port, "--view-port chooses the port")
    view.end(signal.SIGINT)

    # a folder
    view = View("view", path("seen"))
    text, rows, _ = view.frame()
    check(not text["run"] and text["number"] == 1 and text["snapshots"] == len(names["seen"]) and text["time"] == 0 and len(rows) == 600,
          "the first snapshot of a folder", text)
    text = view.frame(len(names["seen"]) - 1)[0]
    check(text["number"] == len(names["seen"]) and math.isclose(text["time"], total * 0.0078125), "and the last one", text)
    check(view.frame(1)[0]["number"] == 2 and view.frame(0)[0]["number"] == 1, "and any in between")
    text = view.frame(10**6)[0]
    check(text["failure"] == "there is no such snapshot" and text["shown"] == 0, "one that is not there is told", text)
    open(path("seen/" + names["seen"][2]), "r+b").truncate(500)
    text = view.frame(2)[0]
    check(names["seen"][2] in text["failure"] and view.frame(0)[0]["failure"] is None, "so is one that is damaged", text)
    check(view.energies() == open(path("seen/energy.csv"), "rb").read(), "the energies of a folder")
    file = View("view", path("seen/" + names["seen"][1]), "--view-frame")
    _, fields, _ = file.ask("/?token=" + file.token, token=False)
    here = "frame-ancestors http://127.0.0.1:* http://localhost:* https://127.0.0.1:* https://localhost:*;"
    check("X-Frame-Options" not in fields and here in fields["Content-Security-Policy"] and "default-src 'none';" in fields["Content-Security-Policy"],
          "--view-frame lets pages of this machine show the page in a frame", fields)
    check(file.ask("/frame?from=0")[1]["X-Frame-Options"] == "DENY" and file.code("/", token=False) == 403
          and file.code("/pause", "POST", Origin="http://localhost:8888") == 403, "but nothing else, and not without the token")
    text, rows, _ = file.frame()
    check(text["number"] == text["snapshots"] == 1 and text["time"] > 0 and len(rows) == 600 and file.energies() == b"", "a file is one snapshot", text)
    file.end(signal.SIGINT)
    check(text["comoving"] is False and text["box"] == 0, "in open space there is no box", text)
    run("model", "cosmic-box", "-n", "512", "--side", "20", "-o", path("box.hdf5"), "--quiet")
    file = View("view", path("box.hdf5"))
    text = file.frame()[0]
    factor = text["length_unit"]["factor"] / {"kpc": 1, "Mpc": 1e-3}[text["length_unit"]["name"]]
    check(text["comoving"] and math.isclose(text["time"], 0.02) and math.isclose(text["box"], 20000) and math.isclose(factor, 1 / 0.6766, rel_tol=1e-5),
          "a comoving box has its scale factor and its side, in kpc without h", text)
    file.end(signal.SIGINT)
    live = View("run", path("box.hdf5"), "--end-z", "9", "--force", "direct", "--output", path("boxed"), "--view", "--quiet")
    text = live.frame()[0]
    check(text["comoving"] and 0.02 <= text["time"] <= text["end"] and math.isclose(text["end"], 0.1) and math.isclose(text["box"], 20000 / 0.6766, rel_tol=1e-5), "so has a run in it", text)
    live.end(signal.SIGINT)
    check([view.code(order, "POST") for order in ("/pause", "/step", "/resume", "/snapshot", "/stop")] == [409] * 5, "409: there is no run to steer")
    check(view.end(signal.SIGINT) == 0, "a signal ends it")
    begin = time.monotonic()
    run("view", path("unseen"), "--max-wall", "0.5", "--json")
    check(0.5 <= time.monotonic() - begin, "--max-wall ends it")

finish()
