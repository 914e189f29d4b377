// SPDX-License-Identifier: MIT
// How a page looks: light, dark, narrow and on paper.

#ifndef SLO_REPORT_PAGE_STYLE_HPP
#define SLO_REPORT_PAGE_STYLE_HPP

#include <string_view>

namespace slo::report::page {

/// The page's only style sheet. Its colours are told apart by the colour-blind (after Okabe and Ito, 2008),
/// and the script reads them from here.
inline constexpr std::string_view style = R"css(
:root {
  color-scheme: light;
  --page: #f4f6f9; --card: #ffffff; --text: #16202c; --soft: #5a6675; --edge: #dde3ea; --grid: #e8ecf1;
  --accent: #0b5cad; --good: #00734f; --good-back: #e0f3ec; --bad: #b23a00; --bad-back: #fdeae0;
  --unsure: #7a5a00; --unsure-back: #fbf2d6;
  --a: #0072b2; --b: #d55e00; --c: #009e73; --d: #a8568c; --target: #5a6675; --slo: #b23a00;
  --band-certified: rgba(0, 114, 178, 0.16); --band-steady: rgba(0, 158, 115, 0.13);
  --band-warmup: rgba(110, 120, 135, 0.16);
}
:root[data-theme="dark"] {
  color-scheme: dark;
  --page: #0f141a; --card: #182029; --text: #e8edf3; --soft: #9fabb9; --edge: #2b3642; --grid: #28323d;
  --accent: #6cb6f5; --good: #4fd1a5; --good-back: #12352b; --bad: #ff9a66; --bad-back: #40220f;
  --unsure: #f0cf6a; --unsure-back: #3a300f;
  --a: #56b4e9; --b: #ff9a4d; --c: #35c99a; --d: #dd93c2; --target: #9fabb9; --slo: #ff9a66;
  --band-certified: rgba(86, 180, 233, 0.22); --band-steady: rgba(53, 201, 154, 0.14);
  --band-warmup: rgba(160, 170, 185, 0.16);
}
@media (prefers-color-scheme: dark) {
  :root:not([data-theme]) {
    color-scheme: dark;
    --page: #0f141a; --card: #182029; --text: #e8edf3; --soft: #9fabb9; --edge: #2b3642;
    --accent: #6cb6f5; --good: #4fd1a5; --good-back: #12352b; --bad: #ff9a66; --bad-back: #40220f;
    --unsure: #f0cf6a; --unsure-back: #3a300f;
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", Arial, sans-serif;
}
header, main, footer { max-width: 1160px; margin: 0 auto; padding: 0 20px; }
header { display: flex; gap: 16px; align-items: flex-start; justify-content: space-between; padding-top: 28px; }
h1 { margin: 0; font-size: 1.6rem; line-height: 1.25; letter-spacing: -0.01em; overflow-wrap: anywhere; }
h2 { margin: 0 0 4px; font-size: 1.15rem; }
h3 { margin: 20px 0 6px; font-size: 0.95rem; }
p { margin: 4px 0 10px; }
a { color: var(--accent); }
button {
  flex: none; font: inherit; font-size: 0.85rem; color: var(--text); background: var(--card); border: 1px solid var(--edge);
  border-radius: 8px; padding: 6px 12px; cursor: pointer;
}
button:focus-visible, a:focus-visible, summary:focus-visible, .scroll:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.about { color: var(--soft); margin: 4px 0 0; overflow-wrap: anywhere; }
nav { margin: 14px 0 0; font-size: 0.88rem; }
nav ul { display: flex; flex-wrap: wrap; gap: 4px 16px; list-style: none; margin: 0; padding: 0; }
nav a { text-decoration: none; }
nav a:hover { text-decoration: underline; }
section { background: var(--card); border: 1px solid var(--edge); border-radius: 12px; padding: 20px 22px; margin: 18px 0; }
section > p.lead { color: var(--soft); margin-bottom: 14px; max-width: 78ch; }
.answer { border-left: 6px solid var(--accent); }
.answer.pass { border-left-color: var(--good); }
.answer.fail { border-left-color: var(--bad); }
.answer.open { border-left-color: var(--unsure); }
.answer .figure { font-size: 3.1rem; line-height: 1.1; font-weight: 650; letter-spacing: -0.02em; margin: 10px 0 2px; }
.answer .figure small { font-size: 1.1rem; font-weight: 500; color: var(--soft); letter-spacing: 0; }
.answer .said { font-size: 1.05rem; max-width: 72ch; }
.badge { display: inline-block; border-radius: 999px; padding: 2px 12px; font-size: 0.85rem; font-weight: 600; margin: 0 8px 4px 0; border: 1px solid currentColor; }
.badge.pass, td.pass { color: var(--good); }
.badge.fail, td.fail { color: var(--bad); }
.badge.open, td.open { color: var(--unsure); }
.badge.pass { background: var(--good-back); }
.badge.fail { background: var(--bad-back); }
.badge.open { background: var(--unsure-back); }
td.pass, td.fail, td.open { font-weight: 600; white-space: nowrap; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px; margin: 16px 0 0; }
.tile { border: 1px solid var(--edge); border-radius: 10px; padding: 10px 14px; }
.tile b { display: block; font-size: 1.35rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.tile span { color: var(--soft); font-size: 0.85rem; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(420px, 100%), 1fr)); gap: 8px 28px; }
figure { margin: 14px 0 6px; min-width: 0; }
figcaption { font-weight: 600; font-size: 0.92rem; margin-bottom: 6px; }
.plot { position: relative; height: 300px; }
html:not(.scripted) .plot { display: none; }
.wide .plot { height: 360px; }
details { margin: 6px 0 0; font-size: 0.88rem; }
details caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
summary { cursor: pointer; color: var(--accent); width: max-content; }
.scroll { overflow-x: auto; margin: 8px 0; }
table { border-collapse: collapse; width: 100%; font-size: 0.88rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--soft); padding: 2px 0 6px; }
th, td { text-align: left; padding: 6px 12px 6px 0; border-bottom: 1px solid var(--edge); vertical-align: top; overflow-wrap: break-word; }
th { font-weight: 600; color: var(--soft); white-space: nowrap; }
th.n, td.n { text-align: right; white-space: nowrap; padding-right: 22px; }
td.code { overflow-wrap: anywhere; }
td.code, pre, code { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; font-size: 0.84rem; }
pre { background: var(--page); border: 1px solid var(--edge); border-radius: 8px; padding: 10px 12px; white-space: pre-wrap; overflow-wrap: anywhere; margin: 6px 0; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(250px, 100%), 1fr)); gap: 0 28px; margin: 6px 0; }
dl div { display: flex; justify-content: space-between; gap: 14px; border-bottom: 1px solid var(--edge); padding: 5px 0; font-size: 0.88rem; }
dt { color: var(--soft); }
dd { margin: 0; text-align: right; overflow-wrap: anywhere; min-width: 0; }
ul { margin: 6px 0; padding-left: 20px; }
.note, .missing, footer { color: var(--soft); font-size: 0.88rem; }
.missing { border: 1px dashed var(--edge); border-radius: 8px; padding: 10px 14px; }
.warning { color: var(--unsure); background: var(--unsure-back); border-radius: 8px; padding: 8px 14px; }
footer { padding-top: 4px; padding-bottom: 36px; }
@media (max-width: 600px) {
  header, main, footer { padding-left: 12px; padding-right: 12px; }
  header { padding-top: 16px; }
  h1 { font-size: 1.3rem; }
  section { padding: 14px 14px; margin: 12px 0; border-radius: 10px; }
  .answer .figure { font-size: 2.4rem; }
  .plot, .wide .plot { height: 270px; }
  .tiles { grid-template-columns: repeat(auto-fit, minmax(128px, 1fr)); gap: 8px; }
}
@media print {
  :root, :root[data-theme="dark"] {
    --page: #ffffff; --card: #ffffff; --text: #000000; --soft: #444444; --edge: #bbbbbb; --accent: #003a70;
  }
  body { font-size: 10pt; }
  header, main, footer { max-width: none; padding: 0; }
  button, nav, details { display: none; }
  section { border: 0; border-top: 1px solid #bbbbbb; border-radius: 0; padding: 10px 0; margin: 8px 0; }
  figure, tr, .tile, .answer { break-inside: avoid; }
  h2, figcaption { break-after: avoid; }
  .scroll { overflow: visible; }
}
)css";

} // namespace slo::report::page

#endif
