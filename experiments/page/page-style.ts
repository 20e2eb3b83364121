import { pageStyle } from '../../src/export/html-style.ts';

/** The style of an exported report, with additions for pages of experiments. */
export const paperStyle: string = `${pageStyle}
body { max-width: 70rem; }
a { color: var(--accent); }
nav ol, .verdicts, .differences { margin: 0.5rem 0; padding-left: 1.4rem; max-width: 46rem; }
nav ol { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 26rem), 1fr)); gap: 0.1rem 2rem; max-width: none; padding: 0; }
nav .tally { color: var(--soft); font-weight: 400; }
nav li, .differences li { margin: 0.2rem 0; break-inside: avoid; }
nav li { list-style: none; }
.verdicts { list-style: none; padding-left: 0; }
.verdicts li { margin: 0.35rem 0; padding-left: 1.6rem; position: relative; }
.verdicts .sign { position: absolute; left: 0; font-weight: 700; color: var(--accent); }
.verdicts .fails > .sign, .verdicts .fails > .word { color: var(--warn); }
.verdicts .word { font-weight: 600; color: var(--accent); }
.verdicts .depends > .sign, .verdicts .depends > .word { color: var(--ink); }
.readings { list-style: none; margin: 0.15rem 0; padding: 0; }
.readings li { margin: 0.1rem 0; padding-left: 1.3rem; }
.verdicts .readings .sign, .verdicts .readings .word { color: var(--soft); font-weight: 600; }
.readings .numbers { display: block; color: var(--soft); font-variant-numeric: tabular-nums; }
.tally { font-weight: 600; } .small { font-size: 0.85rem; }
caption { padding: 0.5rem 0.7rem; text-align: left; font-size: 0.88rem; color: var(--soft); }
caption b { position: sticky; left: 0.7rem; display: inline-block; max-width: min(100%, calc(100vw - 4rem)); color: var(--ink); font-weight: 600; }
td .printed { display: block; color: var(--soft); font-size: 0.85em; font-style: italic; }
thead th { white-space: normal; overflow-wrap: normal; vertical-align: bottom; }
td .none { color: var(--soft); } td .whole { white-space: nowrap; }
.scroll { margin: 0.75rem 0; }
details { margin: 0.75rem 0; }
summary { cursor: pointer; padding: 0.35rem 0; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.plot .oracle { stroke: var(--soft); stroke-width: 7; stroke-opacity: 0.35; stroke-linecap: round; }
.plot .plain { stroke: var(--ink); stroke-opacity: 1; }
.plot .s1.series { stroke-width: 2.5; } .plot .second { stroke-dasharray: 2 3; }
.plot .band { stroke: none; fill-opacity: 0.12; }
.plot .mark { stroke: none; } .plot .ring { fill: var(--card); stroke-width: 1.5; stroke-dasharray: none; }
.plot .bin { fill-opacity: 0.45; stroke-width: 0.5; } .plot .bin.oracle, .plot .bin.plain { fill: var(--soft); }
.plot .leader.oracle { stroke-width: 3; } .plot .leader.thick { stroke-width: 4; }
${[1, 2, 3, 4, 5, 6].map((k) => `.plot .band.s${k}, .plot .mark.s${k}, .plot .bin.s${k} { fill: var(--s${k}); }`).join('\n')}
@media (max-width: 30rem) { figure { padding: 0.5rem 0.3rem; } figcaption { padding: 0 0.3rem; } }
@media print {
  nav { display: none; }
  details::details-content { content-visibility: visible; display: block; }
  summary { display: none; }
  caption { padding-left: 0.4rem; }
  table, thead th { font-size: 7.5pt; } caption { font-size: 8.5pt; }
}`;
