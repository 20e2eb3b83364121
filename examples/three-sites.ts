import {
  agreement,
  collect,
  conclude,
  contribution,
  inMemoryBlock,
  reduction,
  reportText,
} from 'suffice';

// What everyone agrees on before any row is read: the formula and what the columns may hold.
const agreed = agreement({
  schema: 'suffice/study@1',
  formula: 'recovery ~ age + treatment',
  codebook: {
    recovery: { type: 'number', unit: 'days', range: [0, 60] },
    age: { type: 'number', unit: 'years', range: [18, 100] },
    treatment: { type: 'category', levels: ['control', 'new'] },
  },
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
  disclosure: { profile: 'none' }, // eight made-up rows; the rules protect real ones
});

// At each site: rows in, one statistic out. The rows go no further.
function summary(site: string, columns: Parameters<typeof inMemoryBlock>[1]) {
  const rows = reduction(agreed, { file: site, missing: 'drop' });
  rows.add(inMemoryBlock(agreed.columns, columns, site), (r) => r + 1);
  return { site, summary: rows.finish() };
}
const sites = [
  summary('north', {
    recovery: [21, 25, 19],
    age: [44, 61, 39],
    treatment: ['new', 'control', 'new'],
  }),
  summary('south', {
    recovery: [30, 28, 35],
    age: [70, 58, 81],
    treatment: Array(3).fill('control'),
  }),
  summary('west', { recovery: [17, 22, null], age: [35, 52, 66], treatment: Array(3).fill('new') }),
];

// Anywhere: add and solve.
const sent = collect(
  agreed,
  sites.map(({ site, summary }) => contribution(agreed, site, summary)),
);
const lines = sites.map(({ site, summary }) => ({
  name: site,
  n: summary.rows,
  dropped: summary.dropped,
}));
if ('problem' in sent) throw new Error(sent.problem);
const found = conclude(agreed, sent, { sites: lines, audience: 'analyst' });
if ('problem' in found) throw new Error(found.problem);
console.log(reportText(found.report));
