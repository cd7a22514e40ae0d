// SPDX-License-Identifier: BSD-3-Clause
// How a timeline looks, beside what it has in common with the pages of reports (launcher/report/page_style.cpp).
#include "launcher/flight/timeline_parts.hpp"

namespace bowline::launcher {

std::string_view timeline_style() {
  return R"css(
:root { --moved: #2a8c82; --file: #7a4fb5; }
@media screen and (prefers-color-scheme: dark) { :root { --moved: #4fc3b5; --file: #b79af0; } }
svg { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; }
.backdrop { fill: var(--card); }
.life { stroke: var(--line); stroke-width: 2; fill: none; }
.zero { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 3 3; fill: none; }
rect.collective, .key-collective { fill: var(--computing); background: var(--computing); }
rect.wait, .key-wait { fill: var(--transfer); background: var(--transfer); }
rect.moved, .key-moved { fill: var(--moved); background: var(--moved); }
rect.epoch, .key-epoch { fill: var(--soft); background: var(--soft); }
.sign { stroke: none; }
.unexpected, .key-unexpected { fill: var(--ink); background: var(--ink); }
.contact, .key-contact { fill: var(--accent); background: var(--accent); }
.file, .key-file { fill: var(--file); background: var(--file); }
.sign.loss { fill: none; stroke: var(--poor); stroke-width: 2.5; }
.end { fill: none; stroke-width: 4; }
.end.lost { stroke: var(--poor); }
.end.finalized { stroke: var(--good); }
.key-loss, .key-lost { fill: var(--poor); background: var(--poor); }
.key-finalized { fill: var(--good); background: var(--good); }
svg text.lost { fill: var(--poor); font-weight: 600; }
.legend i.key-unexpected { width: 7px; height: 7px; border-radius: 0; }
.legend i.key-contact { width: 9px; height: 9px; border-radius: 0; transform: rotate(45deg); }
.legend i.key-file { border-radius: 0; clip-path: polygon(0 0, 100% 50%, 0 100%); }
.legend i.key-loss { border-radius: 0; clip-path: polygon(0 15%, 15% 0, 50% 35%, 85% 0, 100% 15%, 65% 50%, 100% 85%,
  85% 100%, 50% 65%, 15% 100%, 0 85%, 35% 50%); }
.legend i.key-lost, .legend i.key-finalized { width: 4px; border-radius: 0; }
.events td { padding: 2px 10px 2px 0; border: 0; } .events td code { color: var(--ink); }
@media screen and (max-width: 600px) { svg text { font-size: 15px; } }
@media print { .finding p + p { display: block; } .wide svg { max-height: 240mm; } }
)css";
}

}  // namespace bowline::launcher
