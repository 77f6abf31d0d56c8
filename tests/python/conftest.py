"""No test takes longer than LIMIT_S.

A longer one fails; if it cannot even fail, the whole run ends and says where.
"""
import faulthandler
import signal
import threading

import pytest

LIMIT_S = 120


@pytest.fixture(autouse=True)
def limit():
    def late(*more):
        pytest.fail(f"longer than {LIMIT_S} s")

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(LIMIT_S)
    faulthandler.dump_traceback_later(LIMIT_S + 30, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)
