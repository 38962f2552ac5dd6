"""Calls of the library that Ctrl-C ends: they run in a thread of their own, so that Ctrl-C reaches the calling thread."""
import threading

from ._library import call, ffi


def aside(work, stop):
    """What work() returns, which runs in a thread of its own. On Ctrl-C stop() is called, which makes work() end, and Ctrl-C
    is raised after its end."""
    if threading.current_thread() is not threading.main_thread():
        return work()  # Ctrl-C goes to the main thread
    done, result = threading.Event(), []

    def run():
        try:
            result.append((work(), None))
        except BaseException as why:
            result.append((None, why))
        done.set()
    threading.Thread(target=run, daemon=True).start()
    try:
        done.wait()
    except KeyboardInterrupt:
        stop()
        done.wait()
        raise
    found, why = result[0]
    if why:
        raise why
    return found


def call_aside(values, function, *arguments):
    """Calls a function of the library, which heeds the flag `stop` of these parameters, so that Ctrl-C ends it."""
    values.stop = flag = ffi.new("int *")

    def stop():
        flag[0] = 1
    try:
        aside(lambda: call(function, *arguments), stop)
    finally:
        values.stop = ffi.NULL
