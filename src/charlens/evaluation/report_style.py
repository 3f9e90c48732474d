"""The style sheet and the script of the HTML report, which loads nothing from the network."""

from __future__ import annotations

STYLE = """
:root { color-scheme: light dark; --paper: #fdfdfc; --ink: #1d1f21; --soft: #62676c; --line: #dcdedf;
  --grid: #d5d7d9; --card: #f4f4f2; --accent: #b24a00; --good: #1b7f4b; --bad: #c0392b; --heat: 213 94 0; }
@media (prefers-color-scheme: dark) { :root:not([data-theme=light]) { --paper: #16181a; --ink: #e4e6e7;
  --soft: #9aa1a7; --line: #34383c; --grid: #3c4146; --card: #1f2225; --accent: #ff9d5c; --good: #5fd39a;
  --bad: #ff8272; --heat: 255 140 66; } }
:root[data-theme=dark] { --paper: #16181a; --ink: #e4e6e7; --soft: #9aa1a7; --line: #34383c; --grid: #3c4146;
  --card: #1f2225; --accent: #ff9d5c; --good: #5fd39a; --bad: #ff8272; --heat: 255 140 66; }
:root[data-theme=dark] { color-scheme: dark; } :root[data-theme=light] { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 78rem; padding: 1.5rem 1.25rem 5rem; background: var(--paper);
  color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
h1 { font-size: 1.7rem; margin: 0 0 .3rem; } h2 { font-size: 1.35rem; margin: 3rem 0 .4rem;
  padding-top: .6rem; border-top: 2px solid var(--accent); }
h3 { font-size: 1.02rem; margin: 1.8rem 0 .4rem; }
p, dd, li { max-width: 62rem; } .note, .soft { color: var(--soft); font-size: .86rem; }
nav { display: flex; flex-wrap: wrap; gap: .3rem 1rem; margin: 1rem 0; } a { color: var(--accent); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; font-size: .86rem; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
button, select, input { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line);
  border-radius: .4rem; padding: .2rem .6rem; } #theme { float: right; cursor: pointer; }
.scroll { overflow: auto; width: fit-content; max-width: 100%; max-height: 44rem;
  border: 1px solid var(--line); border-radius: .5rem; }
table { border-collapse: collapse; font-size: .84rem; font-variant-numeric: tabular-nums; min-width: 40%; }
th, td { padding: .28rem .7rem; text-align: left; border-bottom: 1px solid var(--line); vertical-align: top; }
td.n, th.n { text-align: right; white-space: nowrap; } tr:last-child td { border-bottom: 0; }
thead th { position: sticky; top: 0; background: var(--card); z-index: 1; font-weight: 600; }
tbody th { font-weight: 500; overflow-wrap: anywhere; min-width: 11rem; }
td small, td .ci { color: var(--soft); font-size: .76rem; margin-left: .35rem; }
td.heat { background: rgb(var(--heat) / calc(var(--miss) * .55)); }
tr.ours th, tr.ours td { font-weight: 600; } th.ours { color: var(--accent); }
details { margin: .6rem 0; } .inner { padding-left: 1.2rem; }
summary { cursor: pointer; padding: .2rem 0; font-weight: 500; }
figure { margin: 1.2rem 0; } figure svg { width: 100%; height: auto; max-width: 54rem; max-height: 46rem; }
figure.wide svg { max-width: 74rem; max-height: 60rem; }
.filters { display: flex; flex-wrap: wrap; gap: .6rem; margin: .6rem 0; align-items: center; }
.miss { border: 1px solid var(--line); border-radius: .5rem; padding: .5rem .8rem; margin: .5rem 0;
  background: var(--card); content-visibility: auto; contain-intrinsic-size: auto 9rem; }
.miss h4 { margin: 0 0 .2rem; font-size: .88rem; font-weight: 600; overflow-wrap: anywhere; }
.miss h4 span { color: var(--soft); font-weight: 400; }
.hex { font: .78rem/1.5 ui-monospace, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
.hex { color: var(--soft); } .hex b { color: var(--accent); }
.miss table { width: 100%; margin-top: .3rem; } .miss td { padding: .12rem .6rem .12rem 0; border: 0; }
.miss td:nth-child(1) { width: 14rem; } .miss td:nth-child(2) { width: 9rem; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; }
.right { color: var(--good); } .faulty { color: var(--bad); } [hidden] { display: none !important; }
@media print { #theme, nav, .filters { display: none; } .scroll { max-height: none; } }
"""

SCRIPT = """
const root = document.documentElement, button = document.getElementById("theme");
const dark = () => root.dataset.theme ? root.dataset.theme === "dark"
  : matchMedia("(prefers-color-scheme: dark)").matches;
button.onclick = () => { root.dataset.theme = dark() ? "light" : "dark"; };
for (const form of document.querySelectorAll(".filters")) {
  const misses = [...form.parentElement.querySelectorAll(".miss")];
  const [peer, truth, words] = form.elements, count = form.querySelector("output");
  form.onsubmit = event => event.preventDefault();
  (form.oninput = () => {
    let shown = 0;
    for (const miss of misses) {
      const fits = (!peer.value || miss.dataset.by.split(" ").includes(peer.value))
        && (!truth.value || miss.dataset.truth === truth.value)
        && (!words.value || miss.textContent.toLowerCase().includes(words.value.toLowerCase()));
      miss.hidden = !fits; shown += fits;
    }
    count.textContent = shown + " shown";
  })();
}
"""
