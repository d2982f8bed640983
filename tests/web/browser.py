#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""browser.py PROGRAM SOURCE [TEST...]: the page of `serve` in a headless Chromium, used as a person uses it.

WINNOW_PICTURES=FOLDER keeps a picture of each view, light, dark and on a phone.
"""
import http.server
import os
import sys
import threading
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from served import TOKEN, Served  # noqa: E402
from webdriver import ESCAPE, ENTER, TAB, Browser  # noqa: E402

PROGRAM = sys.argv[1]
HOSTILE = '<img src=x onerror="document.title=\'owned\'">'
MOMENT = "strftime('%Y-%m-%d %H:%M:%f', 'now', ?)"


class Page(unittest.TestCase):
    """One server and one browser for all of them; each test has objects of its own."""

    @classmethod
    def setUpClass(cls):
        cls.server = Served(PROGRAM, "--organizations", "40", "--deletions", "60")
        cls.addClassCleanup(cls.server.close)
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.browser.go("about:blank")
        self.browser.go(self.server.url)
        self.browser.run("sessionStorage.clear(); sessionStorage.setItem('token', arguments[0])", TOKEN)

    def tearDown(self):
        self.assertEqual(self.browser.errors(), [])
        self.assertNotEqual(self.browser.run("return document.title"), "owned")

    def view(self, fragment):
        self.browser.go("about:blank")
        self.browser.go(self.server.url + "#/" + fragment)
        return self.browser.find("h1")

    def badge(self, number):
        self.view(f"deletion?model=shop.Badge&id={1000000 + number}")

    def press(self, text, within="main "):
        self.browser.find(within + "button", text).click()

    def confirmed(self, title, said, field=None):
        """The dialog names what it is about; saying yes does it, and the page says what came of it."""
        self.browser.find("#ask[open] h2", title)
        if field is not None:
            self.browser.find("#ask-input").type(field)
        self.browser.find("#ask-yes").click()
        self.browser.find("#notice", said)

    def state(self, number):
        found = self.server.get(f"/api/v1/deletions/show?model=shop.Badge&id={1000000 + number}")["deletion"]
        return found and found["state"]

    # deletions

    def test_pause_and_resume_of_one(self):
        self.badge(1)
        self.press("Pause")
        self.confirmed("Pause the deletion of shop.Badge 1000001?", "shop.Badge 1000001: paused")
        self.browser.see("paused by tester")
        self.assertEqual(self.state(1), "paused")
        self.press("Resume")
        self.confirmed("Resume the deletion of shop.Badge 1000001?", "shop.Badge 1000001: resumed")
        self.assertEqual(self.state(1), "scheduled")

    def test_saying_no_changes_nothing(self):
        self.badge(2)
        for leave in (lambda: self.browser.find("#ask-no").click(), lambda: self.browser.keys(ESCAPE), lambda: self.browser.keys(ENTER)):
            self.press("Cancel the deletion")
            self.browser.find("#ask[open] h2", "shop.Badge 1000002")
            leave()
            self.browser.until(lambda: not self.browser.run("return document.getElementById('ask').open"), "the dialog stays")
        self.assertEqual(self.state(2), "scheduled")

    def test_cancel(self):
        self.badge(3)
        self.press("Cancel the deletion")
        self.confirmed("Cancel the deletion of shop.Badge 1000003?", "shop.Badge 1000003: cancelled before it started")
        self.browser.see("no longer scheduled")
        self.assertIsNone(self.state(3))

    def test_retry_of_a_failed_one(self):
        self.server.sql("UPDATE winnow_cell_scheduled_deletion SET state = 'failed', state_detail = ?, last_error = ? WHERE object_id = '1000004'", HOSTILE, HOSTILE)
        self.view("deletions?state=failed")
        self.browser.see(HOSTILE)
        self.press("Retry")
        self.confirmed("Retry the deletion of shop.Badge 1000004?", "shop.Badge 1000004: due again")
        self.browser.see("No such deletion is scheduled.")
        self.assertEqual(self.state(4), "scheduled")

    def test_confirm(self):
        self.server.sql("UPDATE winnow_cell_scheduled_deletion SET state = 'unconfirmed' WHERE object_id = '1000005'")
        self.view("deletions?state=unconfirmed")
        self.press("Confirm")
        self.confirmed("Confirm the deletion of shop.Badge 1000005?", "shop.Badge 1000005: confirmed")
        self.assertTrue(self.server.get("/api/v1/deletions/show?model=shop.Badge&id=1000005")["deletion"]["confirmed"])

    def test_pause_and_resume_of_everything(self):
        self.view("deletions")
        self.press("Pause everything")
        self.confirmed("Pause everything?", "everything: paused")
        self.browser.find(".paused-now", "Everything is paused, by tester")
        self.press("Resume", ".paused-now ")
        self.confirmed("Resume everything?", "everything: resumed")
        self.assertEqual(self.server.get("/api/v1/deletions?limit=1")["pauses"], [])

    def test_pause_and_resume_of_a_model(self):
        self.view("deletions?model=shop.Badge")
        self.press("Pause all of shop.Badge")
        self.confirmed("Pause every deletion of shop.Badge?", "model shop.Badge: paused")
        self.press("Resume", ".paused-now ")
        self.confirmed("Resume the deletions of shop.Badge?", "model shop.Badge: resumed")

    def test_a_batch_with_a_hostile_name(self):
        self.server.cli("schedule", "shop.Organization", "11", "12", "--batch", HOSTILE, "--in", "2d")
        self.view("deletion?model=shop.Organization&id=11")
        self.browser.see(HOSTILE)
        self.press("Pause the batch")
        self.confirmed("Pause the batch " + HOSTILE, "paused")
        self.view("deletions")
        self.browser.find(".paused-now", HOSTILE)
        self.press("Resume", ".paused-now ")
        self.confirmed("Resume the batch " + HOSTILE, "resumed")
        self.view("deletions?model=shop.Organization")
        self.browser.find("td a", HOSTILE).click()
        self.browser.see("Batch " + HOSTILE)
        self.browser.find("td a", "shop.Organization").click()
        self.press("Cancel the batch")
        self.confirmed("Cancel the batch " + HOSTILE, "2 deletions cancelled")
        self.assertEqual(self.server.get("/api/v1/deletions?model=shop.Organization")["deletions"], [])

    def test_find_and_plan(self):
        self.server.cli("schedule", "shop.Organization", "20", "--in", "2d")
        self.view("deletions?model=shop.Organization")
        self.browser.find("input[name=id]").type("20" + ENTER)
        self.browser.find("h1", "shop.Organization 20")
        self.browser.find("#plan").click()
        self.browser.find("h1", "Plan of shop.Organization 20")
        planned = self.server.document("plan", "shop.Organization", "20")
        self.browser.see(f'Deleting it would take {planned["total"]} rows')
        self.browser.find("td", "shop_badge")

    def test_progress_is_shown_and_kept_up_to_date(self):
        self.server.sql("UPDATE winnow_cell_scheduled_deletion SET state = 'running', in_progress = 1, lease_owner = 'here:1', rows_done = 250, rows_total = 1000, "
                        f"started_at = {MOMENT}, lease_expires_at = {MOMENT} WHERE object_id = '1000009'", "-10 seconds", "900 seconds")
        self.badge(9)
        self.browser.see("250 of 1,000 rows")
        bar = self.browser.run("window.held = document.querySelector('main progress'); return [held.value, held.max]")
        self.assertEqual(bar, [250, 1000])
        self.server.sql("UPDATE winnow_cell_scheduled_deletion SET rows_done = 500 WHERE object_id = '1000009'")
        self.browser.see("500 of 1,000 rows")
        self.assertEqual(self.browser.run("return [held.isConnected, held.value]"), [True, 500], "the same element: nothing flickers")
        self.server.sql("UPDATE winnow_cell_scheduled_deletion SET state = 'scheduled', in_progress = 0 WHERE object_id = '1000009'")

    # backfills, outbox, options

    def test_backfill_pause_resume_restart(self):
        self.server.cli("options", "set", "outbox_replication.shop_organization.replication_version", "1")
        self.server.cli("backfill", "run", "shop.Organization", "--rows", "10")
        self.view("backfills")
        self.browser.see("10 done, 30 left")
        row = "tr[data-key^=shop_organization] "
        self.press("Pause", row)
        self.confirmed("Pause the backfill of shop.Organization?", "shop.Organization: paused")
        self.press("Resume", row)
        self.confirmed("Resume the backfill of shop.Organization?", "shop.Organization: goes on")
        self.press("Restart", row)
        self.confirmed("Restart the backfill of shop.Organization?", "begins again from its first row")
        self.browser.see("0 done, 40 left")

    def dead(self, number):
        self.server.sql("INSERT INTO winnow_cell_outbox (shard_scope, shard_identifier, category, object_identifier, dead_at, attempts, last_error) "
                        f"VALUES (0, ?, 0, ?, {MOMENT}, 10, ?)", number, number, "0 seconds", HOSTILE)
        return self.server.sql("SELECT max(id) FROM winnow_cell_outbox")[0][0]

    def test_dead_messages(self):
        first, second, third = self.dead(31), self.dead(32), self.dead(33)
        self.view("outbox")
        self.browser.see(HOSTILE)
        self.press("Replay", f"tr[data-key=cell{first}] ")
        self.confirmed(f"Replay message {first} of the cell outbox?", f"Message {first}: due again")
        self.press("Give up", f"tr[data-key=cell{second}] ")
        self.confirmed(f"Give up message {second} of the cell outbox?", f"Message {second}: given up and deleted")
        self.press("Replay all dead messages")
        self.confirmed("Replay all dead messages?", "1 message is due again")
        self.browser.see("No message is dead.")
        self.assertEqual(self.server.sql("SELECT id FROM winnow_cell_outbox WHERE id IN (?, ?, ?) ORDER BY id", first, second, third), [(first,), (third,)])

    def test_shards(self):
        for _ in range(200):
            self.server.sql("INSERT INTO winnow_cell_outbox (shard_scope, shard_identifier, category, object_identifier) VALUES (0, 38, 0, 38)")
        self.view("outbox")
        self.press("Leave alone", "tr[data-key='organization:38'] ")
        self.confirmed("Leave shard organization:38 alone?", "left alone, from the next turn on")
        self.browser.see("by tester")
        self.press("Go on", "tr[data-key='organization:38'] ")
        self.confirmed("Let shard organization:38 go on?", ": goes on")

    def test_options(self):
        self.view("options")
        row = "tr[data-key='deletion.health_query'] "
        self.press("Change", row)
        self.confirmed("Change deletion.health_query?", "deletion.health_query = SELECT 1 < 2 AND '<b>' <> ''", "SELECT 1 < 2 AND '<b>' <> ''")
        self.browser.find(row + "code", "SELECT 1 < 2")
        self.press("Default", row)
        self.confirmed("Go back to the default of deletion.health_query?", "(the default)")
        self.press("Change", "tr[data-key='deletion.max_rows'] ")
        self.confirmed("Change deletion.max_rows?", "deletion.max_rows", "many")
        self.assertIn("bad", self.browser.run("return document.getElementById('notice').className"))

    def test_models_and_jobs_are_shown(self):
        self.view("models")
        self.browser.find("td", "shop_organization")
        self.view("jobs")
        self.browser.find("h1", "Jobs")

    # the token

    def test_a_wrong_token_changes_nothing_and_is_forgotten(self):
        self.browser.run("sessionStorage.setItem('token', 'wrong-wrong-wrong-wrong')")
        self.badge(15)
        self.press("Pause")
        self.confirmed("Pause the deletion of shop.Badge 1000015?", "The token is wrong.")
        self.assertEqual(self.state(15), "scheduled")
        self.assertIsNone(self.browser.run("return sessionStorage.getItem('token')"))

    def test_without_a_token_it_asks_for_it(self):
        self.browser.run("sessionStorage.clear()")
        self.badge(16)
        self.press("Pause")
        self.browser.find("#ask[open] h2", "Changes need the token")
        self.assertEqual(self.browser.run("return document.getElementById('ask-input').type"), "password")
        self.browser.find("#ask-input").type(TOKEN + ENTER)
        self.confirmed("Pause the deletion of shop.Badge 1000016?", "shop.Badge 1000016: paused")
        self.browser.find("#unlock", "Lock").click()
        self.browser.find("#notice", "the token is forgotten")
        self.assertIsNone(self.browser.run("return sessionStorage.getItem('token')"))
        self.server.cli("deletions", "resume", "shop.Badge", "1000016")

    # reading and using

    def test_it_works_with_the_keyboard_alone(self):
        self.badge(17)
        self.browser.find("main button", "Pause")
        self.browser.run("document.querySelector('.skip').focus()")
        self.browser.keys(ENTER)
        self.assertEqual(self.browser.run("return document.activeElement.id"), "main")
        for _ in range(20):
            self.browser.keys(TAB)
            if self.browser.run("return document.activeElement.dataset.act") == "pause":
                break
        self.browser.keys(ENTER)
        self.browser.find("#ask[open] h2", "shop.Badge 1000017")
        for _ in range(5):
            if self.browser.run("return document.activeElement.id") == "ask-yes":
                break
            self.browser.keys(TAB)
        self.browser.keys(ENTER)
        self.browser.find("#notice", "shop.Badge 1000017: paused")
        self.assertEqual(self.state(17), "paused")
        self.server.cli("deletions", "resume", "shop.Badge", "1000017")

    def test_every_control_has_a_name(self):
        for name in ("deletions", "backfills", "outbox", "options", "models"):
            self.view(name)
            nameless = self.browser.run("""return [...document.querySelectorAll("button, a, input, select")].filter((one) => one.getClientRects().length &&
                !(one.textContent.trim() || one.getAttribute("aria-label") || one.closest("label") && one.closest("label").textContent.trim()))
                .map((one) => one.outerHTML)""")
            self.assertEqual(nameless, [], name)

    def test_nothing_of_a_stale_page_is_lost_when_the_server_is_away(self):
        self.view("deletions")
        self.browser.cdp("Network.enable")
        self.browser.cdp("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)
        try:
            self.browser.find("#trouble", "cannot be reached")
            self.assertTrue(self.browser.run("return document.querySelectorAll('main tr.key').length > 10"))
        finally:
            self.browser.cdp("Network.emulateNetworkConditions", offline=False, latency=0, downloadThroughput=-1, uploadThroughput=-1)
        self.browser.until(lambda: self.browser.run("return document.getElementById('trouble').hidden"), "it never comes back")


FORGED = """<!doctype html><title>elsewhere</title><body><script>
const target = "TARGET", body = JSON.stringify({ model: "shop.Badge", id: "1000030" });
const json = { "Content-Type": "application/json", "X-Winnow-Request": "1", Authorization: "Bearer TOKEN" };
async function attempt() {
  const came = [];
  for (const options of [
    { method: "POST", body, headers: json },
    { method: "POST", body, headers: json, credentials: "include" },
    { method: "POST", body, mode: "no-cors" },
    { method: "POST", body, mode: "no-cors", headers: { "Content-Type": "text/plain" } },
    { method: "POST", body: new URLSearchParams({ model: "shop.Badge", id: "1000030" }), mode: "no-cors" },
    { method: "POST", body: new Blob([body], { type: "application/json" }), mode: "no-cors" },
  ]) {
    try { const answer = await fetch(target + "api/v1/deletions/pause", options); came.push(answer.type + " " + answer.status); }
    catch (problem) { came.push("refused"); }
  }
  came.push(navigator.sendBeacon(target + "api/v1/deletions/pause", new Blob([body], { type: "text/plain" })) ? "beacon" : "no beacon");
  try { const answer = await fetch(target + "api/v1/deletions"); came.push("read " + (await answer.text()).length); } catch (problem) { came.push("unread"); }
  return came;
}
</script><form id="form" method="post" enctype="text/plain" action="TARGETapi/v1/deletions/pause">
<input name='{"model": "shop.Badge", "id": "1000030", "a": "' value='"}'></form>
<iframe id="frame" src="TARGET"></iframe>"""


class OtherSite(unittest.TestCase):
    """A page of another origin tries, even with the token."""

    def test_nothing_gets_through(self):
        with Served(PROGRAM, "--deletions", "40") as server, Browser() as browser:
            class Elsewhere(http.server.BaseHTTPRequestHandler):
                def do_GET(self):
                    text = FORGED.replace("TARGET", server.url).replace("TOKEN", TOKEN).encode()
                    self.send_response(200)
                    self.send_header("Content-Type", "text/html")
                    self.end_headers()
                    self.wfile.write(text)

                def log_message(self, *_):
                    pass
            with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as elsewhere:
                threading.Thread(target=elsewhere.serve_forever, daemon=True).start()
                port = elsewhere.server_address[1]
                for host in ("127.0.0.1", "localhost"):  # another port is the same site, another name is another site
                    browser.go(f"http://{host}:{port}/")
                    came = browser.run_async("const done = arguments[0]; attempt().then(done, (problem) => done([String(problem)]))")
                    self.assertEqual(came[:2], ["refused", "refused"], came)
                    self.assertEqual(came[-1], "unread", came)
                    self.assertFalse(any("200" in one or "basic" in one for one in came), came)
                    self.assertNotIn("Deletions", browser.run(
                        "try { return document.getElementById('frame').contentDocument?.body?.innerText || ''; } catch { return ''; }"))
                    browser.run("document.getElementById('form').submit()")
                    browser.see("The request comes from a page of another site.")
                elsewhere.shutdown()
            self.assertEqual(server.get("/api/v1/deletions/show?model=shop.Badge&id=1000030")["deletion"]["state"], "scheduled")
            self.assertEqual(server.get("/api/v1/deletions/show?model=shop.Badge&id=1000030")["audit"], [])
            self.assertIn("change refused", server.logged())


class Many(unittest.TestCase):
    def test_a_hundred_thousand_deletions(self):
        with Served(PROGRAM, "--deletions", "100000") as server, Browser() as browser:
            server.sql("UPDATE winnow_cell_scheduled_deletion SET state = 'failed' WHERE id = 99999")
            browser.go(server.url)
            browser.find(".chips a", "100,000")
            rows = "return [...document.querySelectorAll('main tr.key .id')].map((one) => one.textContent)"
            self.assertEqual(browser.run(rows), [str(1000000 + n) for n in range(1, 51)])
            for page in range(1, 4):
                browser.find("#next").click()
                browser.until(lambda: browser.run(rows)[:1] == [str(1000001 + 50 * page)], "the next page does not come")
            browser.find("a", "First page").click()
            browser.until(lambda: browser.run(rows)[:1] == ["1000001"], "the first page does not come")
            browser.find(".chips a.alarm", "failed").click()
            browser.until(lambda: browser.run(rows) == ["1099999"], "the failed one does not come")
            took = browser.run_async("""const done = arguments[0], began = performance.now();
                fetch("/api/v1/deletions?limit=50&after=cell:99000").then((one) => one.text()).then(() => done(performance.now() - began))""")
            print(f"a page near the end of 100 000 deletions: {took:.0f} ms", file=sys.stderr)
            self.assertEqual(browser.errors(), [])


@unittest.skipUnless(os.environ.get("WINNOW_PICTURES"), "WINNOW_PICTURES names no folder")
class Pictures(unittest.TestCase):
    def test_take_them(self):
        folder = os.environ["WINNOW_PICTURES"]
        with Served(PROGRAM, "--deletions", "300") as server:
            server.cli("schedule", "shop.Organization", "1", "--in", "2d")
            server.cli("deletions", "pause", "--model", "shop.User")
            server.sql("UPDATE winnow_cell_scheduled_deletion SET state = 'failed', state_detail = 'the hook threw: no route to storage', attempts = 5 WHERE id = 1")
            server.sql("UPDATE winnow_cell_scheduled_deletion SET state = 'running', in_progress = 1, lease_owner = 'worker-3:4711', rows_done = 123456, rows_total = 400000, "
                       f"started_at = {MOMENT}, lease_expires_at = {MOMENT} WHERE id = 2", "-40 seconds", "900 seconds")
            server.cli("options", "set", "outbox_replication.shop_organization.replication_version", "1")
            server.cli("backfill", "run", "shop.Organization", "--rows", "13")
            for look, width, height, dark in (("light", 1280, 900, False), ("dark", 1280, 900, True), ("phone", 390, 844, False)):
                with Browser(width, height, dark) as browser:
                    for name in ("deletions", "deletion?model=shop.Badge&id=1000002", "plan?model=shop.Organization&id=1", "backfills", "outbox", "jobs", "options", "models"):
                        browser.go(server.url + "#/" + name)
                        browser.find("h1", {"deletion": "shop.Badge", "plan": "Plan of"}.get(name.split("?")[0], name[:4].title()))
                        browser.picture(os.path.join(folder, f"{look}_{name.split('?')[0]}.png"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
