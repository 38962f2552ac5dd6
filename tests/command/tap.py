# What tests of the command share: running the program, and reports in TAP. It is not a test itself, since it is not executable.
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


def folder():
    return tempfile.TemporaryDirectory(prefix="kyoho-test-")


def finish():
    print(f"1..{count}")
    sys.exit(1 if failed else 0)
