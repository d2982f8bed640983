# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, driven through chromedriver with nothing but the standard library."""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
ENTER, ESCAPE, TAB = "\ue007", "\ue00c", "\ue004"


class Failed(Exception):
    """What the browser could not do."""


class Element:
    def __init__(self, browser, name):
        self.browser, self.name = browser, name

    def click(self):
        # Not at the very edge, where the head of the page stands over it.
        self.browser.run("arguments[0].scrollIntoView({ block: 'center' })", {ELEMENT: self.name})
        self.browser.call("POST", f"/element/{self.name}/click", {})

    def type(self, text, clear=True):
        if clear:
            self.browser.call("POST", f"/element/{self.name}/clear", {})
        self.browser.call("POST", f"/element/{self.name}/value", {"text": text})

    @property
    def text(self):
        return self.browser.call("GET", f"/element/{self.name}/text")


class Browser:
    """One session. Close it, or use it in a `with`."""

    def __init__(self, width=1280, height=900, dark=False):
        self.profile = tempfile.mkdtemp(prefix="winnow-browser-")
        self.driver = subprocess.Popen([shutil.which("chromedriver") or "/usr/bin/chromedriver", "--port=0"],
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.session = None
        try:
            for line in self.driver.stdout:
                if "started successfully on port" in line:
                    self.base = "http://127.0.0.1:" + line.rsplit(" ", 1)[1].strip().rstrip(".")
                    break
            arguments = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                         f"--window-size={width},{height}", f"--user-data-dir={self.profile}"]
            if os.geteuid() == 0:
                arguments.append("--no-sandbox")
            if dark:
                arguments.append("--blink-settings=preferredColorScheme=0")
            wanted = {"browserName": "chrome", "goog:loggingPrefs": {"browser": "ALL"},
                      "goog:chromeOptions": {"args": arguments, "binary": shutil.which("chromium") or "/usr/bin/chromium"}}
            made = self.request("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
            self.session = "/session/" + made["sessionId"]
            if width < 600:  # narrower than a window can be
                self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=2, mobile=True)
        except BaseException:
            self.close()
            raise

    def request(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        asked = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(asked, timeout=90) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as problem:
            value = json.load(problem)["value"]
            raise Failed(f'{value["error"]}: {value["message"].splitlines()[0]}') from None

    def call(self, method, path, body=None):
        return self.request(method, self.session + path, body)

    def cdp(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def go(self, url):
        self.call("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def run_async(self, script, *arguments):
        """The script calls its last argument with the result."""
        return self.call("POST", "/execute/async", {"script": script, "args": list(arguments)})

    def find(self, css, containing=""):
        """The first visible element that holds a text; waits for it."""
        script = """
            return [...document.querySelectorAll(arguments[0])].find((one) =>
                one.getClientRects().length && one.textContent.includes(arguments[1])) || null;"""
        return self.until(lambda: self.run(script, css, containing),
                          f"nothing matches {css} with the text {containing!r}", Element)

    def until(self, ask, what, make=None, seconds=30):
        end = time.monotonic() + seconds
        while True:
            try:
                found = ask()
            except Failed as problem:
                if "stale" not in str(problem):
                    raise
                found = None
            if found:
                return make(self, found[ELEMENT]) if make else found
            if time.monotonic() > end:
                raise Failed(what + ". The page says: " + str(self.run("return document.body.innerText"))[:1500])
            time.sleep(0.05)

    def see(self, text):
        """Waits until the page shows a text."""
        self.until(lambda: text in self.run("return document.body.innerText"), f"the page never says {text!r}")

    @property
    def text(self):
        return self.run("return document.body.innerText")

    def keys(self, text):
        actions = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def errors(self):
        """What the console complained about since it was last asked; requests that were refused on purpose are left out."""
        log = self.call("POST", "/se/log", {"type": "browser"})
        return [one["message"] for one in log if one["level"] == "SEVERE" and "Failed to load resource" not in one["message"]]

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("GET", "/screenshot")))

    def close(self):
        if self.session:
            try:
                self.request("DELETE", self.session)
            except (OSError, Failed):
                pass
        self.driver.terminate()
        try:
            self.driver.wait(10)
        except subprocess.TimeoutExpired:
            self.driver.kill()
            self.driver.wait()
        self.driver.stdout.close()
        shutil.rmtree(self.profile, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
