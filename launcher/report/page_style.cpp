// SPDX-License-Identifier: BSD-3-Clause
// How the page looks: on a light or dark screen, on a telephone and on paper.
#include "launcher/report/html_parts.hpp"

namespace bowline::launcher {

std::string_view page_style() {
  return R"css(
:root { color-scheme: light dark; --back: #f6f7f9; --card: #fff; --ink: #1c2430; --soft: #5a6676; --line: #dfe4ea;
  --computing: #7fa6d6; --transfer: #e3ac3b; --waiting: #c4473d; --accent: #2f62a3;
  --good: #1d7a46; --fair: #8f5e00; --poor: #b3261e; --unknown: #5a6676; --heat: #2f62a3; }
@media screen and (prefers-color-scheme: dark) { :root { --back: #12161c; --card: #1b212a; --ink: #e4e9f0;
  --soft: #9aa7b8; --line: #303947; --computing: #4f7db5; --transfer: #e0ae4a; --waiting: #ea6a5e; --accent: #8db6ec;
  --good: #5fcf90; --fair: #ecb84f; --poor: #ff8a80; --unknown: #9aa7b8; --heat: #79aaf0; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; }
main { max-width: 940px; margin: 0 auto; padding: 28px 20px 40px; }
header p { margin: 0; color: var(--soft); }
header .kind { font-size: 13px; letter-spacing: .04em; }
h1 { margin: 2px 0 4px; font: 600 21px/1.35 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  overflow-wrap: anywhere; }
h2 { margin: 0 0 2px; font-size: 17px; line-height: 1.35; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 16px 18px;
  margin: 14px 0; }
section > p { margin: 0 0 10px; color: var(--soft); }
table + p { margin-top: 8px; }
.figures { display: grid; grid-template-columns: repeat(4, 1fr); gap: 12px; margin: 20px 0 14px; }
.figure { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 12px 14px; }
.figure p { margin: 0; }
.figure .label, .figure .note { color: var(--soft); font-size: 13px; line-height: 1.4; }
.figure .value { font-size: 24px; font-weight: 650; line-height: 1.3; font-variant-numeric: tabular-nums; }
.verdict { font-size: 13.5px; font-weight: 600; display: flex; align-items: baseline; gap: 6px; margin: 2px 0 4px; }
.verdict::before { content: ""; flex: none; width: 9px; height: 9px; border-radius: 50%; background: currentColor; }
.good { color: var(--good); } .fair { color: var(--fair); } .poor { color: var(--poor); }
.unknown { color: var(--unknown); }
.finding { border-left: 5px solid currentColor; }
.finding p { margin: 0; color: var(--ink); font-size: 17.5px; line-height: 1.45; overflow-wrap: anywhere; }
.finding p + p { margin-top: 4px; font-size: 14px; }
a { color: var(--accent); }
.wide { overflow-x: auto; }
.wide svg { display: block; width: 100%; min-width: 540px; height: auto; }
svg text { fill: var(--soft); font-size: 12px; font-family: inherit; }
svg text.strong { fill: var(--ink); }
.grid { stroke: var(--line); stroke-width: 1; fill: none; }
.computing { fill: var(--computing); background: var(--computing); }
.transfer { fill: var(--transfer); background: var(--transfer); }
.waiting { fill: var(--waiting); background: var(--waiting); }
.unsampled { fill: var(--line); background: var(--line); }
.extremes { fill: none; stroke: var(--ink); stroke-width: 1; opacity: .75; }
.mean { fill: none; stroke: var(--accent); stroke-width: 2; stroke-linejoin: round; }
.most { fill: none; stroke: var(--waiting); stroke-width: 2; stroke-linejoin: round; stroke-dasharray: 5 3; }
.area { fill: var(--accent); opacity: .12; stroke: none; }
.cell0 { fill: var(--back); }
.s1 { --shade: 0.21; } .s2 { --shade: 0.33; } .s3 { --shade: 0.44; } .s4 { --shade: 0.55; }
.s5 { --shade: 0.66; } .s6 { --shade: 0.78; } .s7 { --shade: 0.89; } .s8 { --shade: 1; }
rect[class^=s] { fill: var(--heat); fill-opacity: var(--shade); }
i[class^=s] { background: var(--heat); opacity: var(--shade); }
.legend { display: flex; flex-wrap: wrap; gap: 4px 16px; font-size: 13px; margin: 6px 0 8px; color: var(--soft); }
.legend span { display: inline-flex; align-items: center; gap: 6px; }
.legend i { width: 13px; height: 13px; border-radius: 3px; flex: none; }
i.mean { background: var(--accent); }
i.most { background: repeating-linear-gradient(90deg, var(--waiting) 0 4px, transparent 4px 6px); }
.legend i.line { height: 3px; border-radius: 0; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th { text-align: left; font-weight: 600; color: var(--soft); font-size: 13px; }
th, td { padding: 6px 10px 6px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
tr:last-child td { border-bottom: 0; }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
td b { font-weight: 600; } td code { font-size: 13px; color: var(--soft); overflow-wrap: anywhere; }
td svg { display: block; width: 100%; height: 8px; margin-top: 5px; border-radius: 2px; background: var(--back); }
td.call { width: 38%; }
td.whom { width: 26%; padding-left: 8px; padding-right: 0; font-size: 13px; color: var(--soft); }
details summary { cursor: pointer; font-weight: 600; }
details[open] summary { margin-bottom: 8px; }
.advice { padding-left: 20px; margin: 8px 0 0; } .advice li { margin-bottom: 10px; overflow-wrap: anywhere; }
.advice li:last-child { margin-bottom: 0; } .advice b { display: block; }
footer { color: var(--soft); font-size: 13px; margin-top: 18px; }
@media (max-width: 760px) { .figures { grid-template-columns: repeat(2, 1fr); } }
@media screen and (max-width: 600px) { .wide svg { min-width: 0; } svg text { font-size: 17px; }
  main { padding: 16px 10px 28px; } section { padding: 13px 12px; } h1 { font-size: 18px; }
  .figures { gap: 8px; } .figure { padding: 10px 11px; } .figure .value { font-size: 20px; }
  .calls thead { display: none; } .calls tr { display: grid; grid-template-columns: 1fr 1fr; gap: 0 12px;
    padding: 8px 0; border-bottom: 1px solid var(--line); } .calls tr:last-child { border-bottom: 0; }
  .calls td { border: 0; padding: 2px 0; text-align: left; white-space: normal; }
  .calls td.call, .calls td.whom { padding-left: 0; grid-column: 1 / -1; width: auto; }
  .calls td[data-label]::before { content: attr(data-label) ": "; color: var(--soft); } }
@media print { @page { size: A4; margin: 12mm; } body { background: #fff; font-size: 9.5pt; }
  main { max-width: none; padding: 0; } section { break-inside: avoid; padding: 10px 12px; margin: 10px 0; }
  section.long { break-inside: auto; } tr, li, .wide, .figure { break-inside: avoid; }
  h2, section > p, .legend { break-after: avoid; } .wide { overflow: visible; } .wide svg { max-height: 125mm; }
  .figures { grid-template-columns: repeat(4, 1fr); gap: 8px; margin: 12px 0 10px; } .figure .value { font-size: 15pt; }
  .figure .label, .figure .note, .verdict, th, .legend, footer, td.whom, td code { font-size: 8.5pt; }
  .finding p { font-size: 12pt; } .finding p + p { display: none; } table { font-size: 9pt; }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; } }
)css";
}

}  // namespace bowline::launcher
