"""Long calls of C, which Ctrl-C stops."""
import signal
import threading

from ._library import ffi


def run_stoppable(work, clean_up):
    """Calls work(tick) and then clean_up(), and returns what work returned.

    They run in a thread of their own, so that Python handles Ctrl-C and other signals meanwhile.
    The thread owns everything that it uses: if the wait is interrupted, the tick, a function of C,
    tells C to stop, and the exception is raised when the thread has ended.
    """
    # stop is a list: one call of C appends to it, so that no second signal can come in between.
    stop, finished, results, errors = [], threading.Event(), [], []
    tick = ffi.callback("bool(void *, uint64_t, uint64_t)", lambda *progress: bool(stop))

    def run():
        try:
            results.append(work(tick))
        except BaseException as error:
            errors.append(error)
        finally:
            clean_up()
            finished.set()

    # Signals are blocked while the thread starts, so that it runs or does not run; and it inherits
    # the block, so that it handles none.
    thread = threading.Thread(target=run)
    signals = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        thread.start()
    except BaseException:
        clean_up()
        raise
    finally:
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, signals)
        except BaseException:
            stop.append(True)
            raise
    try:
        finished.wait()
    except BaseException:
        stop.append(True)
        finished.wait()
        raise
    if errors:
        raise errors[0]
    return results[0]
