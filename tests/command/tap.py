# What tests of the command share: running the program, and reports in TAP. It is not a test itself, since it is not executable.
import csv
import glob
import json
import os
import subprocess
import sys
import tempfile
import time

KYOHO = os.environ.get("KYOHO", "build/kyoho")
count = 0
failed = 0


def check(condition, name, detail=""):
    """Prints one TAP line, and `detail` if the test failed."""
    global count, failed
    count += 1
    if condition:
        print(f"ok {count} - {name}", flush=True)
    else:
        failed += 1
        for line in str(detail).splitlines():
            print(f"# {line}")
        print(f"not ok {count} - {name}", flush=True)
    return bool(condition)


def skip(name, reason):
    global count
    count += 1
    print(f"ok {count} - {name} # SKIP {reason}", flush=True)


def run(*words, code=0, cwd=None, env=None, timeout=600, name=None):
    """Runs kyoho, and checks its exit code unless `code` is None. Returns the finished process."""
    environment = dict(os.environ, **(env or {}))
    process = subprocess.run([KYOHO, *map(str, words)], cwd=cwd, env=environment, timeout=timeout,
                             stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if code is not None and process.returncode != code:
        check(False, name or "kyoho " + " ".join(map(str, words)) + f" exits with {code}",
              f"exit code {process.returncode}\nstdout: {process.stdout}\nstderr: {process.stderr}")
    return process


def run_json(*words, **options):
    process = run(*words, "--json", **options)
    return json.loads(process.stdout)


def wait_for(condition, what, seconds=60):
    """Waits until the condition is true. Returns whether it became true in time, and prints a TAP line if not."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return check(False, what, f"did not happen within {seconds} s")
        time.sleep(0.01)
    return True


def table(path):
    """The rows of a CSV file by the names of its columns, without comments."""
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if line[0] != "#"))


class Folder(tempfile.TemporaryDirectory):
    """A folder of a test, and its files by their names within it."""

    def path(self, name):
        return os.path.join(self.name, name)

    def text(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def table(self, name):
        return table(self.path(name))

    def write_bodies(self, name, rows):
        """A row for each body; all have radii, or none."""
        columns = "id,mass,x,y,z,vx,vy,vz,radius".split(",")[:len(rows[0])]
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.writelines(",".join(row) + "\n" for row in (columns, *(map(repr, row) for row in rows)))

    def convert(self, name, which=-1):
        """Converts a snapshot of a run, the last one unless told otherwise, to last.csv. Returns this name."""
        run("convert", sorted(glob.glob(self.path(name) + "/snapshot*"))[which], self.path("last.csv"), "--overwrite", "--quiet")
        return "last.csv"


def folder():
    return Folder(prefix="kyoho-test-")


def finish():
    print(f"1..{count}")
    sys.exit(1 if failed else 0)
