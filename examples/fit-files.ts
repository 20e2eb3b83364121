import { fileURLToPath } from 'node:url';
import { reportText } from 'suffice';
import { fitFiles } from 'suffice/node';

const islands = ['biscoe', 'dream', 'torgersen'];
const { report } = await fitFiles({
  formula: 'body_mass ~ flipper_length + sex + species',
  paths: islands.map((name) => fileURLToPath(new URL(`penguins/${name}.csv`, import.meta.url))),
});
console.log(reportText(report));
