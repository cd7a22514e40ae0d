# SPDX-License-Identifier: BSD-3-Clause
"""How the page of perf/compare looks: on a light or dark screen, on a telephone and on paper."""

STYLE = """
:root { color-scheme: light dark; --back: #f6f7f9; --card: #fff; --ink: #1c2430; --soft: #5a6676; --line: #dfe4ea;
  --good: #1d7a46; --poor: #b3261e; --m0: #2f62a3; --m1: #c96a14; --m2: #1f8a5b; --m3: #8a4fb0; --m4: #a8324a;
  --m5: #5a6676; }
@media screen and (prefers-color-scheme: dark) { :root { --back: #12161c; --card: #1b212a; --ink: #e4e9f0;
  --soft: #9aa7b8; --line: #303947; --good: #5fcf90; --poor: #ff8a80; --m0: #79aaf0; --m1: #f0a35e; --m2: #5fcf90;
  --m3: #c79ae6; --m4: #f08a9c; --m5: #9aa7b8; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--ink);
  font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 26px 20px 40px; }
h1 { margin: 0 0 4px; font-size: 24px; line-height: 1.3; }
h2 { margin: 0 0 4px; font-size: 18px; line-height: 1.35; }
h3 { margin: 18px 0 2px; font-size: 15px; }
header p, section > p, footer { color: var(--soft); }
header p, section > p { margin: 0 0 10px; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 16px 18px;
  margin: 14px 0; }
nav { display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 10px 0 0; font-size: 14px; }
a { color: var(--m0); }
.figures { display: grid; grid-template-columns: repeat(4, 1fr); gap: 12px; margin: 18px 0 14px; }
.figures div { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 12px 14px; }
.figures p { margin: 0; } .figures .value { font-size: 24px; font-weight: 650; line-height: 1.3;
  font-variant-numeric: tabular-nums; }
.label, .note { color: var(--soft); font-size: 13px; line-height: 1.4; }
.good { color: var(--good); } .poor { color: var(--poor); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th { text-align: left; font-weight: 600; color: var(--soft); font-size: 13px; vertical-align: bottom; }
th, td { padding: 5px 12px 5px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
tr:last-child td { border-bottom: 0; }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.number small { display: block; color: var(--soft); font-size: 11.5px; line-height: 1.25; }
table.behind td { white-space: nowrap; } table.behind td:first-child { white-space: normal; }
table.facts th { white-space: nowrap; width: 1%; vertical-align: top; }
table.facts td { overflow-wrap: anywhere; }
ul { margin: 6px 0 0; padding-left: 20px; } li { overflow-wrap: anywhere; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 13px; margin: 6px 0 0; }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 440px), 1fr)); gap: 14px 22px; }
figure { margin: 0; break-inside: avoid; } figcaption { font-weight: 600; font-size: 14px; }
svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--soft); font-size: 13px; font-family: inherit; }
.grid { stroke: var(--line); stroke-width: 1; }
.line { fill: none; stroke-width: 1.8; } .line.m0 { stroke-width: 3; } .band { stroke: none; opacity: .16; }
.m0 { stroke: var(--m0); fill: var(--m0); } .m1 { stroke: var(--m1); fill: var(--m1); }
.m2 { stroke: var(--m2); fill: var(--m2); } .m3 { stroke: var(--m3); fill: var(--m3); }
.m4 { stroke: var(--m4); fill: var(--m4); } .m5 { stroke: var(--m5); fill: var(--m5); }
.line.m0, .line.m1, .line.m2, .line.m3, .line.m4, .line.m5 { fill: none; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 14px; font-size: 13px; color: var(--soft); margin: 2px 0 4px; }
.legend span { display: inline-flex; align-items: center; gap: 6px; }
.legend svg { width: 26px; flex: none; }
footer { font-size: 13px; margin-top: 18px; overflow-wrap: anywhere; }
@media (max-width: 760px) { .figures { grid-template-columns: repeat(2, 1fr); } main { padding: 16px 12px 30px; }
  section { padding: 12px; } svg text { font-size: 17px; } th, td { padding-right: 9px; }
  table.facts th { white-space: normal; width: 30%; } table.points, table.behind, table.changes { font-size: 13px; } }
@media print { :root { --back: #fff; } body { font-size: 11px; } main { max-width: none; padding: 0; }
  section { border: 0; border-radius: 0; padding: 0; margin: 0 0 14px; } nav { display: none; }
  table { font-size: 9.5px; } th { font-size: 9px; } th, td { padding: 2px 6px 2px 0; }
  .number small { font-size: 8px; } .wide { overflow: visible; }
  .plots { grid-template-columns: 1fr 1fr; } tr { break-inside: avoid; } }
"""
