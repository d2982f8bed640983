// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace winnow::inline v0::web {

/// What the page does besides its views: asks the API, puts what came into place, asks before it changes anything.
/// Nothing is ever put into the page as HTML.
inline constexpr std::string_view page_script = R"page("use strict";
import { views, describe } from "/views.js";

const at = (id) => document.getElementById(id);
const store = window.sessionStorage;
let server = null, token = store.getItem("token") || "", running = 0, timer = 0, told = 0;
const every = 2500;

// An element: attributes that are null or false are left out, children are elements or text.
export function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, text] of Object.entries(attributes)) {
    if (text === null || text === undefined || text === false) continue;
    if (key === "value") made.value = text;
    made.setAttribute(key, text === true ? "" : String(text));
  }
  for (const one of children.flat(9)) if (one !== null && one !== undefined && one !== false) made.append(one);
  return made;
}

// Makes the children of a place equal to those given and leaves alone what is equal already: no flicker, the focus stays.
function morph(place, wanted) {
  const held = [...place.childNodes];
  wanted.forEach((fresh, index) => {
    const old = held[index];
    if (!old) { place.append(fresh); return; }
    if (old.nodeType !== fresh.nodeType || old.nodeName !== fresh.nodeName ||
        (old.nodeType === 1 && old.getAttribute("data-key") !== fresh.getAttribute("data-key"))) { old.replaceWith(fresh); return; }
    if (old.nodeType === 3) { if (old.data !== fresh.data) old.data = fresh.data; return; }
    for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
    for (const { name, value } of [...fresh.attributes]) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    if (old.nodeName === "PROGRESS" && old.value !== fresh.value) old.value = fresh.value;
    if (old.nodeName === "SELECT") {
      const chosen = fresh.value;
      if (old.options.length !== fresh.options.length) morph(old, [...fresh.childNodes]);
      if (document.activeElement !== old) old.value = chosen;
      return;
    }
    if (old.nodeName !== "INPUT") morph(old, [...fresh.childNodes]);
  });
  for (const rest of held.slice(wanted.length)) rest.remove();
}

function silo() {
  if (!server || !server.silos.length) return {};
  const one = server.silos[Number(store.getItem("silo") || 0)] || server.silos[0];
  return one.cell ? { silo: one.silo, cell: one.cell } : { silo: one.silo };
}

async function ask(path, options) {
  const answer = await fetch("/api/v1/" + path, { cache: "no-store", credentials: "omit", ...options });
  let document_ = null;
  try { document_ = await answer.json(); } catch { document_ = null; }
  if (answer.ok || (answer.status === 409 && document_ && !document_.error)) return { done: answer.ok, document: document_ };
  const problem = document_ && document_.error;
  const failed = new Error(problem ? [problem.message, problem.hint].filter(Boolean).join(" ") : "The server answered " + answer.status + ".");
  failed.status = answer.status;
  throw failed;
}

// Reads one path; parameters that are empty are left out.
export async function get(path, parameters = {}) {
  const query = new URLSearchParams();
  for (const [name, text] of Object.entries({ ...silo(), ...parameters })) if (text !== "" && text !== null && text !== undefined) query.set(name, text);
  const all = query.toString();
  return (await ask(path + (all ? "?" + all : ""), { signal: AbortSignal.timeout(25000) })).document;
}

function post(path, body) {
  return ask(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Winnow-Request": "1", Authorization: "Bearer " + token },
    body: JSON.stringify({ ...silo(), ...body }),
  });
}

export function place() {
  const [path, query] = window.location.hash.replace(/^#\/?/, "").split("?");
  return { view: path || "deletions", parameters: Object.fromEntries(new URLSearchParams(query || "")) };
}
export function link(view, parameters = {}) {
  const query = new URLSearchParams();
  for (const [name, text] of Object.entries(parameters)) if (text) query.set(name, text);
  return "#/" + view + (query.toString() ? "?" + query : "");
}

function notice(text, bad) {
  const shown = at("notice");
  shown.textContent = text;
  shown.classList.toggle("bad", Boolean(bad));
  shown.hidden = false;
  const mine = ++told;
  window.setTimeout(() => { if (mine === told) shown.hidden = true; }, bad ? 20000 : 10000);
}

function head(summary) {
  const here = place().view;
  const counts = summary ? { deletions: summary.deletions.failed + summary.deletions.blocked, outbox: summary.outbox.dead } : {};
  morph(at("nav"), Object.entries(views).filter(([, one]) => one.title).map(([name, one]) =>
    el("a", { href: link(name), "aria-current": name === here || one.parts?.includes(here) ? "page" : null }, one.title,
      counts[name] ? el("span", { class: "count", title: "need a person" }, String(counts[name])) : null)));
  at("unlock").textContent = !server || server.changes_allowed ? (token ? "Lock" : "Read only") : "Read only";
  at("unlock").classList.toggle("open", Boolean(token));
}

// Reads the view and shows it; what came late for a view that was left is dropped.
async function refresh() {
  window.clearTimeout(timer);
  const mine = ++running;
  try {
    if (!server) await begin();
    const here = place();
    const view = views[here.view] || views.deletions;
    const [summary, shown] = await Promise.all([get("summary"), view.show(here.parameters)]);
    if (mine !== running) return;
    head(summary);
    morph(at("main"), shown({ summary, can: server.changes_allowed }).flat(9).filter(Boolean));
    at("main").classList.remove("stale");
    at("trouble").hidden = true;
    at("fresh").textContent = "Read at " + new Date().toLocaleTimeString();
    document.title = (view.title || here.parameters.model + " " + here.parameters.id) + " · winnow";
  } catch (problem) {
    if (mine !== running) return;
    head(null);
    at("trouble").textContent = problem.status ? problem.message : "The server cannot be reached. " + problem.message;
    at("trouble").hidden = false;
    at("main").classList.add("stale");
  }
  timer = window.setTimeout(() => (document.hidden ? null : refresh()), every);
}

async function begin() {
  const found = (await ask("server")).document;
  server = found;
  at("about").textContent = "winnow " + found.winnow + ", " + found.models + " models, " + found.silo_mode;
  at("silo-label").hidden = !found.silos.length;
  at("silo").replaceChildren(...found.silos.map((one, index) => el("option", { value: index }, one.cell ? "cell " + one.cell : one.silo)));
  at("silo").value = store.getItem("silo") || "0";
}

// Asks in the page's dialog. Answers null for no, else what was written into its field.
function confirm_(question) {
  const box = at("ask"), field = at("ask-input");
  at("ask-title").textContent = question.title;
  at("ask-text").textContent = question.text || "";
  at("ask-yes").textContent = question.yes || "Do it";
  at("ask-no").textContent = question.no || "Leave it";
  box.classList.toggle("risky", Boolean(question.risky));
  at("ask-field").hidden = !question.field;
  at("ask-label").textContent = question.field || "";
  field.type = question.secret ? "password" : "text";
  field.value = question.value || "";
  box.returnValue = "no";
  box.showModal();
  (question.field ? field : at("ask-no")).focus();
  return new Promise((answer) => {
    box.addEventListener("close", () => {
      const text = field.value;
      field.value = "";
      answer(box.returnValue === "yes" ? text : null);
    }, { once: true });
  });
}

async function unlock() {
  if (server && !server.changes_allowed) {
    await confirm_({ title: "Changes are not allowed", text: "This server was started without a token. Start it with --token-file FILE, or with WINNOW_TOKEN set.", yes: "I see", no: "Close" });
    return false;
  }
  if (token) {
    token = "";
    store.removeItem("token");
    notice("Locked: the token is forgotten.");
    head(null);
    return false;
  }
  return askToken();
}
async function askToken() {
  const text = await confirm_({ title: "Changes need the token", text: "It is kept until this tab is closed, and sent to this server only.", field: "Token", secret: true, yes: "Use it" });
  if (!text) return false;
  token = text.trim();
  store.setItem("token", token);
  at("unlock").textContent = "Lock";
  at("unlock").classList.add("open");
  return true;
}

async function act(button) {
  const data = { ...button.dataset };
  if (data.act === "unlock") return unlock();
  const change = describe(data);
  if (!token && !(await (server.changes_allowed ? askToken() : unlock()))) return;
  const answer = await confirm_(change);
  if (answer === null) return;
  button.disabled = true;
  try {
    const came = await post(change.path, change.body(answer));
    notice(change.said ? change.said(came.document, came.done) : came.document.text || "Done.", !came.done);
  } catch (problem) {
    if (problem.status === 401) {
      token = "";
      store.removeItem("token");
    }
    notice(change.name + ": " + problem.message, true);
  }
  button.disabled = false;
  refresh();
}

at("ask-no").addEventListener("click", () => at("ask").close("no"));
document.addEventListener("click", (event) => {
  if (event.target.closest(".skip")) { event.preventDefault(); at("main").focus(); return; }
  const button = event.target.closest("button[data-act]");
  if (button) act(button);
});
document.addEventListener("change", (event) => {
  const field = event.target;
  if (field.id === "silo") { store.setItem("silo", field.value); window.location.hash = link(place().view); refresh(); }
  if (field.dataset.filter) {
    const here = place();
    window.location.hash = link(here.view, { ...here.parameters, after: "", [field.dataset.filter]: field.value });
  }
});
document.addEventListener("submit", (event) => {
  if (event.target.method === "dialog") return;
  event.preventDefault();
  const given = Object.fromEntries(new FormData(event.target));
  if (given.model && given.id) window.location.hash = link("deletion", { model: given.model, id: given.id.trim() });
});
window.addEventListener("hashchange", () => { at("main").focus({ preventScroll: true }); window.scrollTo(0, 0); refresh(); });
document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh(); });
refresh();
)page";

}  // namespace winnow::inline v0::web
