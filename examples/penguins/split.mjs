// Makes the three site files from vega-datasets (Palmer penguins, CC0; Horst, Hill & Gorman 2020):
//   npm install --no-save vega-datasets@3.2.1 && node examples/penguins/split.mjs
import { readFileSync, writeFileSync } from 'node:fs';

const source = new URL('../../node_modules/vega-datasets/data/penguins.json', import.meta.url);
const sexes = { MALE: 'male', FEMALE: 'female' }; // one penguin is recorded as "."
const header = ['species', 'bill_length', 'bill_depth', 'flipper_length', 'body_mass', 'sex'];
const sites = new Map();
for (const bird of JSON.parse(readFileSync(source, 'utf8'))) {
  const measures = ['Beak Length (mm)', 'Beak Depth (mm)', 'Flipper Length (mm)', 'Body Mass (g)'];
  const row = [bird.Species, ...measures.map((m) => bird[m] ?? 'NA'), sexes[bird.Sex] ?? 'NA'];
  const island = bird.Island.toLowerCase();
  sites.set(island, [...(sites.get(island) ?? [header.join(',')]), row.join(',')]);
}
for (const [island, lines] of sites) {
  writeFileSync(new URL(`${island}.csv`, import.meta.url), `${lines.join('\n')}\n`);
}
