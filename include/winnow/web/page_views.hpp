// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace winnow::inline v0::web {

/// The views of the page, and what its buttons do.
inline constexpr std::string_view page_views = R"page("use strict";
import { el, get, link, place } from "/page.js";

const number = new Intl.NumberFormat("en");
const count = (n) => (n === null || n === undefined ? "" : number.format(n));
const plural = (n, one, many) => count(n) + " " + (n === 1 ? one : many);
const object = (d) => d.model + " " + d.id;

function length(seconds) {
  if (seconds === null || seconds === undefined) return "";
  const s = Math.max(0, seconds);
  if (s < 90) return Math.ceil(s) + " s";
  if (s < 5400) return Math.ceil(s / 60) + " min";
  if (s < 172800) return Math.ceil(s / 3600) + " h";
  return Math.ceil(s / 86400) + " days";
}
const moment = (text) => (text ? text.slice(0, 19) + " UTC" : "");

function button(text, data, look = "") {
  const attributes = { type: "button", class: look };
  for (const [name, held] of Object.entries(data)) if (held !== null && held !== undefined) attributes["data-" + name] = held;
  return el("button", attributes, text);
}
const state = (name, shown = name) => el("span", { class: "state " + name }, shown);

// A table: columns are [heading, cell of a row, look], rows have keys. Columns without a text are left out. On a phone each
// row is a card.
function table(columns, rows, key, empty) {
  if (!rows.length) return el("div", { class: "card", "data-key": "none" }, el("p", { class: "empty" }, empty));
  const empty_ = (held) => held === "" || held === null || held === undefined;
  const cells = rows.map((row) => columns.map(([, cell]) => cell(row)));
  const shown = columns.map((one, index) => [one, index]).filter(([, index]) => cells.some((row) => !empty_(row[index])));
  return el("div", { class: "card", "data-key": "some" }, el("table", { class: "wide" },
    el("thead", {}, el("tr", {}, shown.map(([[heading, , look]]) => el("th", { scope: "col", class: look }, heading)))),
    el("tbody", {}, rows.map((row, line) => el("tr", { class: "key", "data-key": key(row) }, shown.map(([[heading, , look], index]) => {
      const held = cells[line][index];
      const nothing = empty_(held);
      return el("td", { "data-label": heading, class: [look, index === 0 ? "first" : "", nothing ? "empty-cell" : ""].filter(Boolean).join(" ") || null }, el("div", {}, held));
    }))))));
}

function progress(d) {
  const text = [d.rows_total ? count(d.rows_done) + " of " + count(d.rows_total) + " rows" : d.rows_done ? plural(d.rows_done, "row", "rows") : "",
    d.rows_per_second ? count(Math.round(d.rows_per_second)) + " rows/s" : "",
    d.seconds_left ? length(d.seconds_left) + " left" : ""].filter(Boolean).join(", ");
  if (!text) return "";
  const bar = d.rows_total ? el("progress", { max: d.rows_total, value: Math.min(d.rows_done, d.rows_total), "aria-label": "progress of " + object(d) }) : null;
  return [bar, el("span", { class: "under" }, text)];
}

function when(d) {
  if (d.state === "running") return d.worker ? "by " + d.worker : "now";
  if (["failed", "blocked", "unconfirmed"].includes(d.state)) return "";
  const left = Math.max(d.seconds_until_due, d.seconds_to_wait);
  return left > 0 ? "in " + length(left) : "due";
}

const why = (d) => (d.state === "paused" ? "paused by " + d.paused_by : d.detail || d.last_error || "");

// What can be done about a deletion as it is now; the short form for lists.
function deletionActions(d, short) {
  const data = { model: d.model, id: d.id };
  const look = short ? "small" : "";
  const all = [];
  if (d.state === "unconfirmed") all.push(button("Confirm", { act: "confirm", ...data }, look));
  if (d.state === "failed" || d.state === "blocked" || (d.state === "waiting" && !short)) all.push(button("Retry", { act: "retry", ...data }, look));
  if (d.state === "paused") all.push(button("Resume", { act: "resume", ...data }, look));
  else if (!short || !all.length) all.push(button("Pause", { act: "pause", ...data }, look));
  if (!short) all.push(button("Cancel the deletion", { act: "cancel", ...data }, "risky"));
  return el("div", { class: "actions" }, all);
}

function pauses(list) {
  return list.map((one) => el("p", { class: "paused-now", "data-key": one.scope + one.name },
    el("span", {}, (one.scope === "all" ? "Everything" : "Every deletion of " + (one.scope === "batch" ? "batch " : "")  + one.name) + " is paused, by " + one.by + " since " + moment(one.at) + "."),
    button("Resume", { act: "resume-" + one.scope, name: one.name || "" }, "small")));
}

let models = null;
async function allModels() {
  models = models || (await get("models")).models;
  return models;
}

const states = ["scheduled", "running", "waiting", "paused", "failed", "blocked", "unconfirmed"];
const choice = (text, chosen, shown = text) => el("option", { value: text, selected: text === chosen }, shown);

async function deletions(asked) {
  const [found, known] = await Promise.all([
    get("deletions", { state: asked.state, model: asked.model, batch: asked.batch, after: asked.after, limit: 50 }), allModels()]);
  return ({ summary }) => {
    const of = summary.deletions;
    const chip = (name, text, amount, alarm) => el("a", { href: link("deletions", name ? { state: name } : {}), class: alarm && amount ? "alarm" : null,
      "aria-current": (asked.state || "") === name ? "true" : null }, el("b", {}, count(amount)), text);
    return [
      el("div", { class: "head" }, el("h1", {}, "Deletions"), el("span", { class: "grow" }),
        el("div", { class: "actions" }, asked.model ? button("Pause all of " + asked.model, { act: "pause-model", name: asked.model }) : null,
          button("Pause everything", { act: "pause-all" }))),
      pauses(found.pauses),
      el("div", { class: "chips" }, chip("", "all", of.all), chip("running", "running", of.running), chip("waiting", "waiting", of.waiting),
        chip("failed", "failed", of.failed, true), chip("blocked", "blocked", of.blocked, true), chip("unconfirmed", "unconfirmed", of.unconfirmed)),
      el("form", { class: "filters", "data-key": "filters" },
        el("label", {}, "State", el("select", { "data-filter": "state" }, choice("", asked.state || "", "any"), states.map((one) => choice(one, asked.state)))),
        el("label", {}, "Model", el("select", { "data-filter": "model", name: "model" }, choice("", asked.model || "", "any"), known.map((one) => choice(one.key, asked.model)))),
        el("label", {}, "Object's id", el("input", { name: "id", placeholder: "with a model: find it", autocomplete: "off" })),
        el("button", { type: "submit" }, "Find"),
        asked.batch ? el("span", {}, "Batch " + asked.batch + " ", el("a", { href: link("deletions") }, "show all")) : null),
      table([
        ["Object", (d) => el("a", { href: link("deletion", { model: d.model, id: d.id }) }, d.model + " ", el("span", { class: "id" }, d.id))],
        ["State", (d) => state(d.state), "short"],
        ["When", when],
        ["Progress", progress],
        ["Attempts", (d) => (d.attempts ? count(d.attempts) : ""), "number"],
        ["Batch", (d) => (d.batch ? el("a", { href: link("deletions", { batch: d.batch }) }, d.batch) : "")],
        ["Why", why, "why"],
        ["", (d) => deletionActions(d, true), "act"],
      ], found.deletions, (d) => d.guid, asked.state || asked.model || asked.batch ? "No such deletion is scheduled." : "Nothing is scheduled for deletion."),
      el("div", { class: "pages" }, asked.after ? el("a", { href: link("deletions", { ...asked, after: "" }) }, "First page") : null,
        found.more ? el("a", { href: link("deletions", { ...asked, after: found.next }), id: "next" }, "Next page") : null),
    ];
  };
}

function audit(entries) {
  return [el("h2", {}, "What happened"), table([
    ["When", (a) => moment(a.at), "short"], ["What", (a) => a.action], ["By", (a) => a.actor || ""],
    ["Rows", (a) => (a.rows_done ? count(a.rows_done) : ""), "number"], ["Detail", (a) => a.detail || "", "why"],
  ], entries, (a) => a.at + a.action, "The audit has nothing about it.")];
}

async function deletion(asked) {
  const found = await get("deletions/show", { model: asked.model, id: asked.id });
  return () => {
    const d = found.deletion;
    const rows = Object.entries(found.rows_by_model);
    const fact = (name, text) => (text === "" || text === null || text === undefined ? [] : [el("dt", {}, name), el("dd", {}, text)]);
    return [
      el("p", { class: "quiet" }, el("a", { href: link("deletions") }, "Deletions"), " / " + asked.model),
      el("div", { class: "head" }, el("h1", {}, asked.model + " ", el("span", { class: "id" }, asked.id)), d ? state(d.state) : state("complete", "no longer scheduled"),
        el("span", { class: "grow" }), d ? deletionActions(d, false) : null),
      el("p", { class: "lead" }, found.why),
      d ? el("div", { class: "card" }, el("dl", {},
        fact("Progress", progress(d)), fact("Scheduled", moment(d.date_added)), fact("Due", moment(d.date_scheduled)), fact("State since", moment(d.state_since)),
        fact("Worker", d.worker && d.state === "running" ? d.worker + ", lease for another " + length(d.lease_seconds_left) : ""),
        fact("Attempts", d.attempts ? count(d.attempts) : ""), fact("Last error", d.last_error),
        fact("Paused by", d.paused_by), fact("Confirmed", d.confirmed ? "yes, however many rows it takes" : ""),
        fact("Batch", d.batch ? [el("a", { href: link("deletions", { batch: d.batch }) }, d.batch), " ", button("Pause the batch", { act: "pause-batch", name: d.batch }, "small"), " ",
          button("Cancel the batch", { act: "cancel-batch", name: d.batch }, "small risky")] : ""),
        fact("Data", JSON.stringify(d.data) === "{}" ? "" : el("code", {}, JSON.stringify(d.data))),
        fact("Transaction", el("code", {}, d.guid)))) : null,
      d ? el("p", {}, el("a", { href: link("plan", { model: asked.model, id: asked.id }), id: "plan" }, "What it takes, table by table")) : null,
      rows.length ? [el("h2", {}, "Gone so far"), table([["Model", ([key]) => key], ["Rows", ([, n]) => count(n), "number"]], rows, ([key]) => key, "")] : null,
      audit(found.audit),
    ];
  };
}

// Counting is work for the database: the plan is read once, not every few seconds.
let planned = { of: "", found: null };
async function plan(asked) {
  const of = JSON.stringify(asked);
  if (planned.of !== of) planned = { of, found: await get("plan", { model: asked.model, id: asked.id }) };
  const found = planned.found;
  return () => [
    el("p", { class: "quiet" }, el("a", { href: link("deletions") }, "Deletions"), " / ", el("a", { href: link("deletion", asked) }, object(asked))),
    el("div", { class: "head" }, el("h1", {}, "Plan of " + object(asked))),
    el("p", { class: "lead" }, "Deleting it would take " + (found.complete ? "" : "at least ") + plural(found.total, "row", "rows") + ". Nothing is changed by looking."),
    found.refusals.map((text) => el("p", { class: "paused-now" }, "It would be refused: " + text)),
    table([
      ["Model", (t) => [t.model, el("span", { class: "under" }, t.table)]], ["What happens", (t) => t.action],
      ["Rows", (t) => (t.action === "external" ? "" : t.rows === null ? "not measured" : (t.capped ? "at least " : t.at_most ? "at most " : "") + count(t.rows)), "number"],
      ["Strategy", (t) => t.strategy || ""], ["Chunks", (t) => (t.rows ? count(t.chunks) : ""), "number"],
      ["Found by", (t) => t.access || ""], ["Taken by", (t) => (t.shape ? [t.shape, el("span", { class: "under" }, t.shape_reason)] : "")],
      ["Note", (t) => t.note || "", "why"],
    ], found.tables, (t) => t.model + t.table, "Nothing would go."),
  ];
}

const stages = { not_begun: "not begun", announced: "announced", bound: "in progress", complete: "complete" };

async function backfills() {
  const found = (await get("backfills")).backfills;
  const done = (b) => (b.state === "complete" ? b.version - 1 : null);
  return () => [
    el("div", { class: "head" }, el("h1", {}, "Backfills")),
    el("p", { class: "quiet" }, "Messages for rows that were there before. A gate is the option up to which version a table may go."),
    table([
      ["Table", (b) => [b.table, el("span", { class: "under" }, b.model + (b.target ? ", to " + b.target : ""))]],
      ["Code", (b) => "version " + b.coded_version, "short"], ["Gate", (b) => (b.gate === null ? "not set" : "version " + b.gate), "short"],
      ["Done", (b) => (done(b) ? "version " + done(b) : "none"), "short"],
      ["Rows", (b) => [count(b.rows_done) + " done", b.rows_left ? ", " + (b.rows_left_estimated ? "about " : "") + count(b.rows_left) + " left" : "",
        b.rows_left ? el("progress", { max: b.rows_done + b.rows_left, value: b.rows_done, "aria-label": "progress of " + b.table }) : null,
        b.seconds_left ? el("span", { class: "under" }, length(b.seconds_left) + " left at " + count(Math.round(b.rows_per_second)) + " rows/s") : null]],
      ["State", (b) => [state(b.paused_by ? "paused" : b.state === "complete" && b.version <= Math.min(b.gate || 0, b.coded_version) ? "waiting" : b.state,
        b.paused_by ? "paused" : stages[b.state] || b.state), el("span", { class: "under" }, b.text)], "why"],
      ["", (b) => el("div", { class: "actions" }, b.paused_by ? button("Resume", { act: "backfill-resume", model: b.model }, "small") : button("Pause", { act: "backfill-pause", model: b.model }, "small"),
        button("Restart", { act: "backfill-restart", model: b.model }, "small")), "act"],
    ], found, (b) => b.table + b.target, "No model is replicated from here."),
  ];
}

async function outbox() {
  const [found, dead] = await Promise.all([get("outbox", { shards: 20 }), get("outbox/dead", { limit: 100 })]);
  const shard = (s) => s.scope + ":" + s.identifier + (s.cell ? ":" + s.cell : "");
  return () => [
    el("div", { class: "head" }, el("h1", {}, "Outbox"), el("span", { class: "grow" }), dead.messages.length ? button("Replay all dead messages", { act: "replay-all" }) : null),
    found.outboxes.map((o) => el("section", { "data-key": o.outbox },
      el("h2", {}, "Outbox of the " + o.outbox + " silo"),
      el("p", { class: "quiet" }, [plural(o.messages, "message", "messages") + " in " + plural(o.shards, "shard", "shards"), count(o.due) + " due", count(o.retrying) + " tried again",
        count(o.dead) + " dead", o.oldest_due_seconds > 1 ? "the oldest due for " + length(o.oldest_due_seconds) : ""].filter(Boolean).join(", ") + "."),
      table([
        ["Shard, deepest first", (s) => el("span", { class: "id" }, shard(s))], ["Messages", (s) => count(s.messages), "number"], ["Dead", (s) => (s.dead ? count(s.dead) : ""), "number"],
        ["Oldest", (s) => length(s.oldest_seconds), "number"],
        ["State", (s) => (s.skipped_by ? [state("off", "skipped"), " by " + s.skipped_by] : s.waiting_for ? [state("waiting"), " " + s.waiting_for] : s.held_by ? [state("running"), " by " + s.held_by] : "")],
        ["", (s) => (s.skipped_by ? button("Go on", { act: "shard-resume", outbox: o.outbox, shard: shard(s) }, "small") : button("Leave alone", { act: "shard-skip", outbox: o.outbox, shard: shard(s) }, "small")), "act"],
      ], o.deepest, shard, "It is empty."))),
    el("h2", {}, "Dead messages"),
    table([
      ["Message", (m) => [m.outbox + " " + m.message, el("span", { class: "under" }, m.category + " of " + m.object)]], ["Shard", (m) => el("span", { class: "id" }, shard(m))],
      ["Attempts", (m) => count(m.attempts), "number"], ["Since", (m) => moment(m.dead_at), "short"], ["Error", (m) => m.error, "why"],
      ["", (m) => el("div", { class: "actions" }, button("Replay", { act: "replay", outbox: m.outbox, message: m.message }, "small"), button("Give up", { act: "give-up", outbox: m.outbox, message: m.message }, "small risky")), "act"],
    ], dead.messages, (m) => m.outbox + m.message, "No message is dead."),
  ];
}

async function jobs() {
  const found = (await get("jobs")).jobs;
  const health = (j) => (!j.enabled ? state("off") : j.running_on ? state("running") : j.last_error ? state("failed") : j.seconds_since_success === null ? state("waiting", "never ran")
    : j.seconds_since_success > 3 * j.interval_seconds + 60 ? state("late") : state("fine"));
  return () => [
    el("div", { class: "head" }, el("h1", {}, "Jobs")),
    el("p", { class: "quiet" }, "What workers do by themselves. A job that has not succeeded for three of its intervals is late."),
    table([
      ["Job", (j) => [j.name, el("span", { class: "under" }, j.silo)]], ["State", health, "short"], ["Every", (j) => length(j.interval_seconds), "number"],
      ["Last success", (j) => (j.last_success ? [length(j.seconds_since_success) + " ago", el("span", { class: "under" }, moment(j.last_success))] : "")],
      ["Last start", (j) => moment(j.last_started)], ["Runs", (j) => count(j.runs), "number"], ["Rows", (j) => count(j.rows_done), "number"],
      ["Worker or error", (j) => j.running_on || j.last_error || "", "why"],
    ], found, (j) => j.name + j.silo, "No worker has run here."),
  ];
}

async function options() {
  const found = (await get("options")).options;
  return () => [
    el("div", { class: "head" }, el("h1", {}, "Options")),
    el("p", { class: "quiet" }, "In force at once, for every worker."),
    table([
      ["Option", (o) => [el("span", { class: "id" }, o.name), el("span", { class: "under" }, o.meaning)]],
      ["Value", (o) => [el("code", {}, o.value === "" || o.value === null ? "not set" : String(typeof o.value === "object" ? JSON.stringify(o.value) : o.value)), o.set ? el("span", { class: "under" }, "changed") : null]],
      ["Kind", (o) => o.kind, "short"],
      ["", (o) => el("div", { class: "actions" }, button("Change", { act: "set", name: o.name, value: typeof o.value === "object" && o.value !== null ? JSON.stringify(o.value) : (o.value ?? "") }, "small"),
        o.set ? button("Default", { act: "unset", name: o.name }, "small") : null), "act"],
    ], found, (o) => o.name, "There are no options."),
  ];
}

async function modelsView() {
  const [known, plugins] = await Promise.all([allModels(), get("plugins").catch(() => ({ plugins: [] }))]);
  return () => [
    el("div", { class: "head" }, el("h1", {}, "Models")),
    table([
      ["Model", (m) => [el("a", { href: link("deletions", { model: m.key }) }, m.key), el("span", { class: "under" }, m.table.postgresql)]], ["Key", (m) => m.primary_key.join(", ")],
      ["Silo", (m) => m.silo], ["Strategy", (m) => m.strategy, "short"], ["Chunk", (m) => count(m.chunk_size), "number"], ["Because", (m) => m.reason, "why"],
    ], known, (m) => m.key, "There are no models."),
    plugins.plugins && plugins.plugins.length ? [el("h2", {}, "Plugins"), table([
      ["Plugin", (p) => p.name || p.file || ""], ["Version", (p) => p.version || ""], ["File", (p) => p.file || "", "why"],
    ], plugins.plugins, (p) => p.file || p.name, "")] : null,
  ];
}

export const views = {
  deletions: { title: "Deletions", parts: ["deletion", "plan"], show: deletions },
  deletion: { show: deletion },
  plan: { show: plan },
  backfills: { title: "Backfills", show: backfills },
  outbox: { title: "Outbox", show: outbox },
  jobs: { title: "Jobs", show: jobs },
  options: { title: "Options", show: options },
  models: { title: "Models", show: modelsView },
};

const cancelled = { "cancelled before start": "cancelled before it started; nothing had been deleted.", stopped: "stopped. What had been deleted stays deleted: ", "already done": "already done.", "not scheduled": "not scheduled." };

// What a button asks, and what it has the API do.
export function describe(d) {
  const one = (name, path, text, yes, risky) => ({ name, title: name + "?", text, yes, risky, path, body: () => ({ model: d.model, id: d.id }) });
  const sum = (name, path, body, text, yes, risky) => ({ name, title: name + "?", text, yes, risky, path, body: () => body });
  switch (d.act) {
    case "pause": return one("Pause the deletion of " + object(d), "deletions/pause", "A running chunk is the last.", "Pause it");
    case "resume": return one("Resume the deletion of " + object(d), "deletions/resume", "It goes on from what is left. A pause of its model, its batch or everything holds it still.", "Resume it");
    case "retry": return one("Retry the deletion of " + object(d), "deletions/retry", "It is due again at once and goes on from what is left.", "Retry it");
    case "confirm": return one("Confirm the deletion of " + object(d), "deletions/confirm", "It takes more rows than the cap allows without a confirmation. Look at its plan first.", "Confirm it", true);
    case "cancel": return { ...one("Cancel the deletion of " + object(d), "deletions/cancel", "If it runs it stops at the next chunk. What is gone already stays gone.", "Cancel the deletion", true),
      said: (a) => object(d) + ": " + cancelled[a.answer] + (a.answer === "stopped" ? plural(a.rows_done, "row", "rows") + "." : "") };
    case "cancel-batch": return { ...sum("Cancel the batch " + d.name, "deletions/cancel", { batch: d.name }, "Every deletion of it is taken back or stopped. What is gone already stays gone.", "Cancel the batch", true),
      said: (a) => "Batch " + d.name + ": " + plural(a.cancelled.length, "deletion", "deletions") + " cancelled." };
    case "pause-all": return sum("Pause everything", "deletions/pause", { all: true }, "No deletion goes on after the chunk it is at, whatever the worker, until everything is resumed.", "Pause everything", true);
    case "resume-all": return sum("Resume everything", "deletions/resume", { all: true }, "Pauses of single models, batches and objects stay.", "Resume everything");
    case "pause-model": return sum("Pause every deletion of " + d.name, "deletions/pause", { model: d.name }, "", "Pause them");
    case "resume-model": return sum("Resume the deletions of " + d.name, "deletions/resume", { model: d.name }, "", "Resume them");
    case "pause-batch": return sum("Pause the batch " + d.name, "deletions/pause", { batch: d.name }, "", "Pause it");
    case "resume-batch": return sum("Resume the batch " + d.name, "deletions/resume", { batch: d.name }, "", "Resume it");
    case "backfill-pause": return sum("Pause the backfill of " + d.model, "backfills/pause", { model: d.model }, "From the next batch on.", "Pause it");
    case "backfill-resume": return sum("Resume the backfill of " + d.model, "backfills/resume", { model: d.model }, "It goes on from where it stopped.", "Resume it");
    case "backfill-restart": return sum("Restart the backfill of " + d.model, "backfills/restart", { model: d.model }, "Its version begins again from the first row.", "Restart it", true);
    case "replay": return sum("Replay message " + d.message + " of the " + d.outbox + " outbox", "outbox/replay", { outbox: d.outbox, message: Number(d.message) }, "It is due at once, with all attempts before it.", "Replay it");
    case "replay-all": return { ...sum("Replay all dead messages", "outbox/replay", { all: true }, "Each is due at once, with all attempts before it.", "Replay them"),
      said: (a) => plural(a.replayed, "message is", "messages are") + " due again." };
    case "give-up": return sum("Give up message " + d.message + " of the " + d.outbox + " outbox", "outbox/skip", { outbox: d.outbox, message: Number(d.message) }, "It is deleted and never delivered; the copy stays as it is.", "Give it up", true);
    case "shard-skip": return sum("Leave shard " + d.shard + " alone", "outbox/shards/skip", { outbox: d.outbox, shard: d.shard }, "Nothing of it is delivered until it goes on.", "Leave it alone", true);
    case "shard-resume": return sum("Let shard " + d.shard + " go on", "outbox/shards/resume", { outbox: d.outbox, shard: d.shard }, "", "Let it go on");
    case "set": return { name: "Change " + d.name, title: "Change " + d.name + "?", text: "In force at once, for every worker.", yes: "Change it", field: d.name, value: d.value, path: "options/set",
      body: (value) => ({ name: d.name, value }), said: (o) => o.name + " = " + o.value };
    case "unset": return { ...sum("Go back to the default of " + d.name, "options/unset", { name: d.name }, "", "Use the default"), said: (o) => o.name + " = " + (o.value ?? "not set") + " (the default)" };
  }
  throw new Error("There is no action " + d.act + ".");
}
)page";

}  // namespace winnow::inline v0::web
