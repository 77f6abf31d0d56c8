"""browser.py - Chromium without a window, for the tests of the page.

SPDX-License-Identifier: Apache-2.0
"""
import contextlib
import json
import os
import pathlib
import tempfile

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD", ROOT / "build")).resolve()
PROGRAM = str(pathlib.Path(os.environ.get("RECALLMODEL", BUILD / "recallmodel")).resolve())
PAGE = BUILD / "page"

# Waits for recallmodel.ready, and answers with what a promise becomes or with its error.
SETTLE = """
const args = Array.from(arguments), done = args.pop();
(async () => { await window.recallmodel.ready; %s })().then(
    (value) => done({value}),
    (error) => done({error: String(error.message || error), cancelled: !!error.cancelled}));
"""

# Waits until a condition in JavaScript holds.
WAIT = """
const end = performance.now() + 30000;
while (!(%s)) {
    if (performance.now() > end)
        throw new Error('it did not come');
    await new Promise((resolve) => setTimeout(resolve, 10));
}
"""


class Browser:
    """A page in Chromium. `driver` is Selenium's."""

    def __init__(self, profile, limit_s=60):
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
                         "--disable-dev-shm-usage", "--disable-background-networking",
                         "--disable-component-update", "--disable-sync", "--hide-scrollbars",
                         "--allow-pre-commit-input", f"--user-data-dir={profile}"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        self.driver.set_page_load_timeout(limit_s)
        self.driver.set_script_timeout(limit_s)

    def open(self, name, hash_=""):
        """Opens a file of build/page from disk."""
        self.driver.get(f"{(PAGE / name).as_uri()}{'#' if hash_ else ''}{hash_}")

    def settle(self, script, *arguments):
        """What the body of an async function returns; the arguments are args[0], .. in it."""
        answer = self.driver.execute_async_script(SETTLE % script, *arguments)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["value"]

    def wait(self, condition):
        """Until an expression of JavaScript is true; an error after half a minute."""
        try:
            self.settle(WAIT % condition)
        except RuntimeError as error:
            raise AssertionError(f"{error}: {condition}") from None

    def command(self, name, **settings):
        """A command of the DevTools."""
        return self.driver.execute_cdp_cmd(name, settings)

    def run(self, args, files=None):
        """engine.run() with files of text; {status, stdout, stderr, ms}."""
        return self.settle("return await window.recallmodel.engine.run(args[0], {files: args[1]});",
                           list(args), files or {})

    def requests(self):
        """The addresses that were asked for since the last call, by the log of the browser; not
        those that the policy stopped."""
        asked = {}
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            about = message["params"]
            if message["method"] == "Network.requestWillBeSent":
                asked[about["requestId"]] = about["request"]["url"]
            elif message["method"] == "Network.loadingFailed" and \
                    about.get("blockedReason") == "csp":
                asked.pop(about["requestId"], None)
        return list(asked.values())

    def complaints(self):
        """What the console was told: errors of scripts, breaches of the policy."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def check_quiet(self):
        said = self.complaints()
        assert not said, said


@contextlib.contextmanager
def browser(**settings):
    with tempfile.TemporaryDirectory() as profile:
        opened = Browser(profile, **settings)
        try:
            yield opened
        finally:
            opened.driver.quit()
