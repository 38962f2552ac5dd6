# What another thread does while a call is at work. It is not a test itself, since it is not executable.
import contextlib
import threading
import time


@contextlib.contextmanager
def pressing(function, *arguments, after=0.05, often=False):
    """Calls function(*arguments) in a thread when the process has used so many seconds of processor time since the `with` block
    began: the call in the block is at work then, however busy the machine is with other programs. `often`: again and again
    until the block ends, for what may come between two calls of the block."""
    begun, over = time.process_time(), []

    def press():
        while not over and time.process_time() < begun + after:
            time.sleep(0.001)
        while not over:
            function(*arguments)
            if not often:
                break
            time.sleep(0.01)
    presser = threading.Thread(target=press)
    presser.start()
    try:
        yield
    finally:
        over.append(True)
        presser.join()
