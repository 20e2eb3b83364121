/** The style of an exported page: light or dark as the reader's system, always light on paper. */
const light = `
  --ink: #1c2430; --soft: #56606e; --line: #d9dee5; --ground: #fbfcfd; --card: #ffffff;
  --accent: #0b6e5f; --accent-ground: #e2f3ef; --warn: #8a5000; --warn-ground: #fdf1de;
  --s1: #0b6e5f; --s2: #b35c00; --s3: #1f5fa8; --s4: #a0307a; --s5: #5f6b00; --s6: #6b4c9a;
  --heat: 0.68;`;

const dark = `
  --ink: #e6eaf0; --soft: #a3aebc; --line: #2e3743; --ground: #12171d; --card: #1a2129;
  --accent: #5cd0bb; --accent-ground: #14332e; --warn: #f0b35c; --warn-ground: #37290f;
  --s1: #5cd0bb; --s2: #f0b35c; --s3: #7fb2f0; --s4: #f08ac8; --s5: #c9d15c; --s6: #bba4f0;
  --heat: 0.42;`;

/** Rules for the pictures of svg/, whose colours are all variables. */
export const plotStyle: string = `
.plot { display: block; width: 100%; max-width: 30rem; height: auto; font: 12px system-ui, sans-serif; }
.plot text { fill: var(--ink); }
.plot text.soft, .plot text.value { fill: var(--soft); }
.plot text.value { font-variant-numeric: tabular-nums; }
.plot text.small { font-size: 10px; }
.plot .grid { stroke: var(--line); }
.plot .reference { stroke: var(--soft); stroke-dasharray: 3 3; }
.plot .chosen { stroke: var(--ink); stroke-dasharray: 5 3; }
.plot .interval { stroke: var(--accent); stroke-width: 2; fill: none; }
.plot .error { stroke: var(--soft); stroke-opacity: 0.6; }
.plot .point, .plot .summary, .plot .bar { fill: var(--accent); }
.plot .point.faint { fill: var(--soft); fill-opacity: 0.55; }
.plot .minimum { fill: var(--card); stroke: var(--s2); stroke-width: 2.5; }
.plot .bar.rest { fill: var(--warn); fill-opacity: 0.5; }
.plot .flat { fill: var(--accent-ground); }
.plot .series { fill: none; stroke: var(--soft); stroke-opacity: 0.5; }
.plot .leader { stroke: var(--soft); }
.plot .s1, .plot .s2, .plot .s3, .plot .s4, .plot .s5, .plot .s6 { stroke-width: 2; stroke-opacity: 1; }
.plot .s1 { stroke: var(--s1); } .plot .s2 { stroke: var(--s2); } .plot .s3 { stroke: var(--s3); }
.plot .s4 { stroke: var(--s4); stroke-dasharray: 6 2; } .plot .s5 { stroke: var(--s5); stroke-dasharray: 6 2; }
.plot .s6 { stroke: var(--s6); stroke-dasharray: 6 2; } .plot .leader { stroke-width: 1; stroke-dasharray: none; }
.plot .cell { fill-opacity: calc(var(--amount) * var(--heat)); }
.plot .positive { fill: var(--s1); } .plot .negative { fill: var(--s2); }
.plot .none { fill: none; stroke: var(--line); }`;

export const pageStyle: string = `
:root { color-scheme: light dark;${light} }
@media (prefers-color-scheme: dark) { :root {${dark} } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 1rem clamp(0.75rem, 3vw, 2rem) 3rem; background: var(--ground);
  color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: anywhere; }
h1 { margin: 0.5rem 0; font-size: clamp(1.3rem, 4vw, 1.8rem); line-height: 1.25; }
h2 { margin: 2.25rem 0 0.5rem; font-size: 1.15rem; }
h3 { margin: 1.25rem 0 0.5rem; font-size: 1rem; }
p { margin: 0.5rem 0; max-width: 46rem; }
.soft, figcaption { color: var(--soft); }
code, .digest { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: 0.88em; }
pre { margin: 0.75rem 0; padding: 0.75rem 0.9rem; overflow-x: auto; overflow-wrap: normal; border: 1px solid var(--line); border-radius: 10px;
  background: var(--card); font: 0.82rem/1.45 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
.notice { padding: 0.6rem 0.9rem; border-radius: 8px; background: var(--warn-ground); color: var(--warn); max-width: 46rem; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 10px; background: var(--card); }
table { width: 100%; border-collapse: collapse; font-size: 0.92rem; }
th, td { padding: 0.35rem 0.7rem; text-align: left; white-space: nowrap; }
td.long { white-space: normal; min-width: 14rem; }
thead th { color: var(--soft); font-size: 0.82rem; font-weight: 550; }
tbody tr + tr > * { border-top: 1px solid var(--line); }
tbody th { font-weight: 500; max-width: 18rem; overflow: hidden; text-overflow: ellipsis; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 22rem), 1fr)); gap: 1rem; }
figure { margin: 0; padding: 0.75rem; border: 1px solid var(--line); border-radius: 10px; background: var(--card); max-width: 32rem; }
section > .figures { margin: 1rem 0; }
figcaption { margin-bottom: 0.5rem; font-size: 0.88rem; }
figcaption b { color: var(--ink); font-weight: 600; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.25rem 1rem; margin: 0.5rem 0; }
dt { color: var(--soft); } dd { margin: 0; }
@media (max-width: 30rem) { dl { grid-template-columns: minmax(0, 1fr); gap: 0; } dd { margin-bottom: 0.5rem; } }
${plotStyle}
@media print {
  :root { color-scheme: light;${light} --ground: #ffffff; }
  body { max-width: none; padding: 0; font-size: 10.5pt; }
  .scroll { overflow: visible; border: none; }
  th, td { white-space: normal; padding: 0.2rem 0.4rem; }
  .figures { grid-template-columns: 1fr 1fr; }
  figure, tr, .notice { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
}`;
