// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace winnow::inline v0::web {

/// How the page looks: light or dark as the reader's system is, tables as cards on a phone.
inline constexpr std::string_view page_style = R"page(:root {
  --paper: #f6f7f5; --card: #ffffff; --ink: #1d2521; --soft: #5d6962; --line: #dfe4e0; --accent: #1f6f54;
  --accent-ink: #ffffff; --bad: #b3261e; --bad-soft: #fbe9e7; --warn: #8a5a00; --warn-soft: #fdf1d9;
  --good-soft: #e2f2ea; --calm-soft: #e8edf5; --calm: #2f5a94; --shadow: 0 1px 2px rgb(20 40 30 / .06);
  color-scheme: light;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #131815; --card: #1b221e; --ink: #e4eae6; --soft: #98a59d; --line: #2e3832; --accent: #6cc7a3;
    --accent-ink: #0e1a14; --bad: #ff9b90; --bad-soft: #3d1f1c; --warn: #f0c36b; --warn-soft: #37290f;
    --good-soft: #1a3329; --calm-soft: #1e2a3a; --calm: #9cc0f2; --shadow: none;
    color-scheme: dark;
  }
}
* { box-sizing: border-box; }
html { scrollbar-gutter: stable; scroll-padding: 4.5rem 0 1rem; font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "Liberation Sans", sans-serif; }
body { margin: 0; background: var(--paper); color: var(--ink); min-height: 100vh; display: flex; flex-direction: column; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
code, .mono, .id { font-family: ui-monospace, "SF Mono", "Liberation Mono", monospace; font-size: .92em; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .4rem .8rem; z-index: 5; }
header { background: var(--card); border-bottom: 1px solid var(--line); position: sticky; top: 0; z-index: 3; }
.bar, main, footer, #notice, #trouble { max-width: 1280px; width: 100%; margin: 0 auto; padding: 0 1.25rem; }
.bar { display: flex; align-items: center; gap: 1.25rem; min-height: 3.4rem; flex-wrap: wrap; }
.brand { display: flex; align-items: center; gap: .55rem; font-weight: 650; font-size: 1.08rem; color: var(--ink); }
.brand:hover { text-decoration: none; }
nav { display: flex; gap: .15rem; flex: 1; flex-wrap: wrap; }
nav a { color: var(--soft); padding: .3rem .7rem; border-radius: 6px; }
nav a:hover { background: var(--paper); text-decoration: none; }
nav a[aria-current] { color: var(--ink); background: var(--paper); font-weight: 600; }
nav .count { margin-left: .4rem; font-size: .78rem; font-weight: 600; padding: .05rem .4rem; border-radius: 99px;
  background: var(--bad-soft); color: var(--bad); }
.tools { display: flex; gap: .8rem; align-items: center; }
main { padding-top: 1.5rem; padding-bottom: 2.5rem; flex: 1; }
main:focus { outline: none; }
main.stale { opacity: .55; }
footer { display: flex; justify-content: space-between; gap: 1rem; color: var(--soft); font-size: .85rem;
  padding-top: .8rem; padding-bottom: 1rem; border-top: 1px solid var(--line); }
h1 { font-size: 1.35rem; margin: 0; font-weight: 650; letter-spacing: -.01em; }
section + section, h2 + .card { margin-top: 0; }
h2 + .quiet { margin: -.4rem 0 .7rem; }
h2 { font-size: 1.02rem; margin: 0 0 .7rem; font-weight: 650; }
.head { display: flex; gap: .8rem 1.2rem; align-items: center; flex-wrap: wrap; margin-bottom: 1.1rem; }
.head .grow { flex: 1; }
.quiet { color: var(--soft); }
.lead { font-size: 1.12rem; margin: .2rem 0 1.1rem; max-width: 75ch; overflow-wrap: anywhere; }
.actions { display: flex; gap: .5rem; flex-wrap: wrap; }
button, select, input { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line);
  border-radius: 7px; padding: .34rem .75rem; min-height: 2.2rem; max-width: 100%; }
button { cursor: pointer; font-weight: 500; }
button:hover { border-color: var(--accent); }
button.main, #ask-yes { background: var(--accent); color: var(--accent-ink); border-color: var(--accent); }
button.risky { color: var(--bad); }
#ask.risky #ask-yes { background: var(--bad); border-color: var(--bad); color: var(--card); }
button.small { min-height: 1.8rem; padding: .1rem .6rem; font-size: .88rem; }
button:disabled { opacity: .5; cursor: default; border-color: var(--line); }
#unlock.open { border-color: var(--accent); color: var(--accent); }
.filters { display: flex; gap: .7rem; flex-wrap: wrap; align-items: end; margin-bottom: 1rem; }
.filters label { display: grid; gap: .15rem; font-size: .85rem; color: var(--soft); }
.filters select, .filters input { color: var(--ink); font-size: .95rem; min-width: 10rem; }
.chips { display: flex; gap: .5rem; flex-wrap: wrap; margin-bottom: 1.1rem; }
.chips a { background: var(--card); border: 1px solid var(--line); border-radius: 9px; padding: .45rem .9rem;
  color: var(--soft); font-size: .88rem; box-shadow: var(--shadow); min-width: 6.2rem; }
.chips a:hover { text-decoration: none; border-color: var(--accent); }
.chips a[aria-current] { border-color: var(--accent); }
.chips b { display: block; color: var(--ink); font-size: 1.25rem; font-weight: 650; line-height: 1.25;
  font-variant-numeric: tabular-nums; }
.chips .alarm b { color: var(--bad); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; box-shadow: var(--shadow);
  margin-bottom: 1.3rem; overflow-x: auto; }
.card > h2, .card > p { padding: .9rem 1rem 0; margin-bottom: .5rem; }
table { border-collapse: collapse; width: 100%; }
th { text-align: left; font-size: .82rem; font-weight: 600; color: var(--soft); padding: .6rem 1rem .5rem; white-space: nowrap; }
td { padding: .55rem 1rem; border-top: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
tr.key:hover td { background: color-mix(in srgb, var(--paper) 55%, transparent); }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.short { white-space: nowrap; }
td.act { width: 1%; white-space: nowrap; } td.act .actions { flex-wrap: nowrap; justify-content: flex-end; }
td.why { color: var(--soft); max-width: 30rem; min-width: 10rem; font-size: .93rem; }
td .under { display: block; color: var(--soft); font-size: .85rem; }
.state { display: inline-block; border-radius: 99px; padding: .05rem .6rem; font-size: .85rem; font-weight: 600;
  background: var(--calm-soft); color: var(--calm); white-space: nowrap; }
.state.failed, .state.blocked, .state.dead, .state.late { background: var(--bad-soft); color: var(--bad); }
.state.unconfirmed, .state.paused, .state.waiting, .state.off { background: var(--warn-soft); color: var(--warn); }
.state.running, .state.complete, .state.fine { background: var(--good-soft); color: var(--accent); }
progress { width: 100%; min-width: 8rem; height: .5rem; accent-color: var(--accent); border: 0; border-radius: 99px; display: block; }
progress::-webkit-progress-bar { background: var(--line); border-radius: 99px; }
progress::-webkit-progress-value { background: var(--accent); border-radius: 99px; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .35rem 1.4rem; margin: 0; padding: .9rem 1rem 1rem; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
.empty { color: var(--soft); padding: 1.6rem 1rem; text-align: center; margin: 0; }
.pages { display: flex; gap: .7rem; align-items: center; }
#notice, #trouble { margin-top: 1rem; padding-top: .65rem; padding-bottom: .65rem; border-radius: 9px;
  width: calc(100% - 2.5rem); overflow-wrap: anywhere; }
#notice { background: var(--good-soft); } #notice.bad, #trouble { background: var(--bad-soft); color: var(--bad); }
.paused-now { background: var(--warn-soft); color: var(--warn); border-radius: 9px; padding: .5rem .9rem; margin: 0 0 1rem;
  display: flex; gap: .8rem; align-items: center; justify-content: space-between; flex-wrap: wrap; overflow-wrap: anywhere; }
dialog { border: 1px solid var(--line); border-radius: 12px; background: var(--card); color: var(--ink); padding: 1.3rem 1.4rem;
  width: min(32rem, calc(100vw - 2rem)); box-shadow: 0 12px 40px rgb(0 0 0 / .25); }
dialog::backdrop { background: rgb(10 20 15 / .45); }
dialog p { overflow-wrap: anywhere; margin: 0 0 1rem; white-space: pre-line; }
dialog label { display: grid; gap: .25rem; color: var(--soft); } dialog input { color: var(--ink); }
.choices { display: flex; justify-content: flex-end; gap: .6rem; }
[hidden] { display: none !important; }
@media (max-width: 760px) {
  .bar { gap: .4rem .8rem; padding-top: .5rem; padding-bottom: .4rem; }
  .brand { flex: 1; } nav { order: 3; flex-basis: 100%; flex-wrap: nowrap; overflow-x: auto; scrollbar-width: none; margin: 0 -.4rem; }
  .bar, main, footer { padding-left: .9rem; padding-right: .9rem; }
  .chips a { min-width: 0; flex: 1 1 28%; padding: .4rem .6rem; }
  .filters label { flex: 1 1 45%; } .filters select, .filters input { min-width: 0; width: 100%; }
  .wide thead { display: none; } .wide, .wide tbody { display: block; }
  .wide tr { display: block; padding: .7rem .9rem; border-top: 1px solid var(--line); } .wide tr:first-child { border-top: 0; }
  .wide td { display: flex; gap: 1rem; justify-content: space-between; border: 0; padding: .12rem 0; text-align: right;
    max-width: none; min-width: 0; white-space: normal; }
  .wide td::before { content: attr(data-label); color: var(--soft); font-size: .85rem; text-align: left; flex: none; }
  .wide td > div { min-width: 0; } .wide td.act { width: auto; display: block; padding-top: .4rem; } .wide td.act::before { content: none; } .wide td.empty-cell { display: none; }
  .wide td.first { display: block; text-align: left; font-weight: 600; } .wide td.first::before { content: none; }
  dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .5rem; }
}
@media (prefers-reduced-motion: no-preference) { button, nav a { transition: background .12s, border-color .12s; } }
)page";

}  // namespace winnow::inline v0::web
