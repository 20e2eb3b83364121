import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { declarationOf } from './declaration.ts';

/** Subjects of the library in the order of the page, each with the modules it is made of. */
const subjects: readonly (readonly [title: string, modules: RegExp])[] = [
  [
    'A whole study in one call',
    /^(rows\/federate-rows|rows\/prepare-fit|table\/in-memory|node\/run\/fit)\.ts$/,
  ],
  ['The study: formula and codebook', /^(study\/|fusion\/study-schema|rows\/draft-study)/],
  ['The steps of a study', /^(federate|conclude|algebra)\.ts$|^(aggregation|fusion|statistic)\//],
  ['The report, questions and answers', /^(model|analysis)\//],
  ['Models for other programs', /^export\//],
  ['Disclosure rules, and what a statistic gives away', /^(disclosure|attack)\//],
  ['Differential privacy', /^privacy\//],
  ['Columns at different parties', /^vertical\/|^node\/run\/fit-parties\.ts$/],
  ['Reading rows', /^(rows|table)\/|^node\/compute\/(host|pool)\.ts$/],
  ['A site', /^(site|node\/site)\//],
  ['The network', /^(protocol|node\/server)\//],
  ['Failures', /^(failure|data-error|option)\.ts$/],
  ['Arithmetic', /^(numeric|node\/compute)\//],
];

interface Exported {
  readonly name: string;
  /** Its name in the module, where that is another. */
  readonly declared: string;
  /** Path in src/. */
  readonly module: string;
  readonly entrance: 'suffice' | 'suffice/node';
}

/** docs/api.md below its marker: every export with its comment and signature, by subject. */
export function apiPage(source: string): string {
  const all = [
    ...exportsOf(source, 'index.ts', 'suffice'),
    ...exportsOf(source, 'node/index.ts', 'suffice/node'),
  ];
  const sections = subjects.map(([title], k) => {
    const members = all.filter(({ module }) => subjectOf(module) === k);
    // A capital letter begins a type or a class: what can be called comes first.
    const isType = ({ name }: Exported) => Number(/^[A-Z]/.test(name));
    return { title, members: members.toSorted((a, b) => isType(a) - isType(b)) };
  });
  const contents = sections.map(
    ({ title, members }) =>
      `- [${title}](#${anchorOf(title)}): ${members.map(({ name }) => `\`${name}\``).join(', ')}`,
  );
  const texts = sections.map(
    ({ title, members }) =>
      `## ${title}\n\n${members.map((member) => entryText(source, member)).join('\n')}`,
  );
  return `${contents.join('\n')}\n\n${texts.join('\n')}`;
}

function subjectOf(module: string): number {
  const found = subjects.findIndex(([, modules]) => modules.test(module));
  if (found >= 0) return found;
  throw new Error(`src/${module} has no subject: add it to docs/api-page.ts`);
}

function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}

function entryText(source: string, { name, declared, module, entrance }: Exported): string {
  const { comment, signature } = declarationOf(source, module, declared);
  const own = signature.replace(new RegExp(`\\b${declared}\\b`), name);
  const from = entrance === 'suffice' ? '' : ` from \`${entrance}\``;
  const text = comment === '' ? '' : `${comment}\n\n`;
  return `### \`${name}\`${from}\n\n${text}\`\`\`ts\n${own}\n\`\`\`\n`;
}

function exportsOf(source: string, index: string, entrance: Exported['entrance']): Exported[] {
  const text = readFileSync(join(source, index), 'utf8');
  const statements = text.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)';/gm);
  return Array.from(statements).flatMap(([, names, path]) =>
    names
      .split(',')
      .map((name) => name.trim().replace(/^type /, ''))
      .filter((name) => name !== '')
      .map((name) => {
        const [declared, as = declared] = name.split(' as ');
        return { name: as, declared, module: join(dirname(index), path), entrance };
      }),
  );
}
