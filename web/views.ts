/** The parts of the coordinator's messages that these pages show. */
interface View {
  readonly id: string;
  readonly digest: string;
  readonly state: string;
  readonly deadline?: string;
  readonly quorum: number;
  readonly problem?: string;
  readonly study: { readonly name?: string; readonly formula: string };
  readonly layout: {
    readonly columns: readonly string[];
    readonly responses: number;
    readonly intercept: boolean;
  };
  readonly sites: readonly Site[];
  readonly you?: { readonly site: string; readonly nextSequence: number };
}

interface Site {
  readonly name: string;
  readonly state: string;
  readonly n?: number;
  readonly dropped?: number;
  readonly late: number;
  readonly traffic: { readonly up: number; readonly down: number };
}

interface Term {
  readonly term: string;
  readonly estimate: number | null;
  readonly [key: string]: string | number | null;
}

interface Resolution {
  readonly number: number;
  readonly resolvedAt: string;
  readonly missing: readonly string[];
  readonly report: {
    readonly n: number;
    readonly digest: string;
    readonly digits?: number;
    readonly aliased: readonly string[];
    readonly terms?: readonly Term[];
    readonly glance?: Readonly<Record<string, number>>;
    /** Of a logistic or Poisson regression: standard errors it may be from the pooled one. */
    readonly deviation?: { readonly estimate: number };
    readonly errors?: string;
    readonly responses?: readonly { readonly response: string; readonly terms: readonly Term[] }[];
  };
}

type Child = Node | string;

/** An element with attributes and children; text is always text. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string>>,
  ...children: readonly Child[]
): HTMLElement {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

export function byteText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1e6) return `${(bytes / 1000).toFixed(1)} kB`;
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Five significant digits, or scientific where that is shorter. */
export function numberText(value: string | number | null | undefined): string {
  if (typeof value !== 'number') return '';
  if (value !== 0 && (Math.abs(value) < 1e-4 || Math.abs(value) >= 1e7)) {
    return value.toExponential(2);
  }
  return String(Number(value.toPrecision(5)));
}

export function problemView(problem: {
  readonly problem?: string;
  readonly remedy?: string;
}): HTMLElement[] {
  return [
    element('h1', {}, 'This link does not open a study'),
    element('p', {}, problem.problem ?? 'The coordinator did not say why.'),
    element('p', { class: 'soft' }, problem.remedy ?? ''),
  ];
}

/** What whoever runs the study sees. */
export function studyView(view: View, resolution: Resolution | undefined): HTMLElement[] {
  const done = view.sites.filter((site) => site.state === 'contributed').length;
  const expected = view.sites.filter(isExpected).length;
  return [
    ...headline(view),
    element('h2', {}, `Sites: ${done} of ${expected} have contributed`),
    element('progress', {
      max: String(expected),
      value: String(done),
      'aria-label': 'Sites that have contributed',
    }),
    siteTable(view),
    ...resultView(resolution),
  ];
}

/** What a site sees: the study, and how to take part. */
export function joinView(view: View, resolution: Resolution | undefined): HTMLElement[] {
  const { site } = view.you!;
  const own = view.sites.find(({ name }) => name === site);
  const contributed = own?.state === 'contributed';
  return [
    ...headline(view),
    element('h2', {}, contributed ? `${site} has contributed` : `How ${site} takes part`),
    ...(contributed
      ? [element('p', {}, 'The receipt is in the folder of the site that sent it.')]
      : [
          element(
            'p',
            {},
            'Save the link of this page in a file beside your data and run one command. It shows what it ' +
              'read and exactly what would leave, and asks before it sends anything. Rows never leave.',
          ),
          element('pre', { tabindex: '0' }, `npx suffice join ${site}.invitation your-data.csv`),
        ]),
    ...resultView(resolution),
  ];
}

/** Whether the study waits for the site, or has it. */
function isExpected({ state }: Site): boolean {
  return state !== 'withdrawn' && state !== 'revoked';
}

function headline(view: View): HTMLElement[] {
  const collecting = view.state !== 'resolved' && view.state !== 'closed';
  return [
    element('h1', {}, view.study.name ?? view.id),
    element('p', { class: 'formula' }, element('code', {}, view.study.formula)),
    ...(collecting ? [element('p', { class: 'soft' }, waitingText(view))] : []),
    ...(view.problem === undefined ? [] : [element('p', { class: 'notice' }, view.problem)]),
  ];
}

function waitingText({ sites, deadline, quorum }: View): string {
  const all = `Resolves when all ${sites.filter(isExpected).length} sites are in`;
  if (deadline === undefined) return `${all}.`;
  return `${all}, or on ${new Date(deadline).toLocaleString()} with at least ${quorum}.`;
}

const ROUNDS = 100;

function siteTable(view: View): HTMLElement {
  const { columns: z, responses, intercept } = view.layout;
  const parameters = (z.length - responses - (intercept ? 0 : 1)) * responses;
  const fedAvg = 8 * parameters * ROUNDS;
  const rows = view.sites.map((site) => [
    site.name,
    site.late > 0 ? `${site.state}, ${site.late} late` : site.state,
    site.n === undefined ? '' : String(site.n),
    site.dropped === undefined ? '' : String(site.dropped),
    byteText(site.traffic.up),
    byteText(site.traffic.down),
  ]);
  const columns = ['site', 'state', 'rows', 'dropped', 'bytes up', 'bytes down'];
  const foot = `FedAvg in ${ROUNDS} rounds would send ${byteText(fedAvg)} up and as much down for each site, before headers.`;
  return element(
    'div',
    {},
    table(columns, rows, 2, 'Sites'),
    element('p', { class: 'soft' }, foot),
  );
}

function resultView(resolution: Resolution | undefined): HTMLElement[] {
  if (resolution === undefined) return [];
  const { report, number, missing } = resolution;
  const responses = report.responses ?? [{ response: '', terms: report.terms ?? [] }];
  const keys = ['estimate', 'std.error', 'statistic', 'p.value', 'conf.low', 'conf.high'] as const;
  const tables = responses.flatMap(({ response, terms }) => {
    const present = keys.filter((key) => terms.some((term) => typeof term[key] === 'number'));
    const rows = terms.map((term) => [
      term.term,
      ...present.map((key) => (term[key] === null ? 'NA' : numberText(term[key]))),
    ]);
    const caption = response === '' ? 'Coefficients' : `Coefficients of ${response}`;
    return [table(['term', ...present], rows, 1, caption)];
  });
  const glance = Object.entries({
    'R²': report.glance?.['r.squared'],
    'residual SE': report.glance?.sigma,
    F: report.glance?.statistic,
    AIC: report.glance?.AIC,
    'digits vouched for': report.digits,
  })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${numberText(value)}`);
  return [
    element('h2', {}, `Resolution ${number}: the model of all ${report.n} rows`),
    ...(missing.length === 0
      ? []
      : [element('p', { class: 'notice' }, `Without ${missing.join(', ')}.`)]),
    ...tables,
    ...(report.aliased.length === 0
      ? []
      : [element('p', {}, `Not estimable from these rows: ${report.aliased.join(', ')}.`)]),
    element('p', {}, glance.join(' · ')),
    ...(report.errors === 'ignoring-bias'
      ? [element('p', { class: 'soft' }, 'Standard errors ignore the bias of the penalty.')]
      : []),
    ...(report.deviation === undefined
      ? []
      : [
          element(
            'p',
            { class: 'notice' },
            `Not exact: it may be ${numberText(report.deviation.estimate)} standard errors from what the pooled rows would give.`,
          ),
        ]),
    element(
      'p',
      { class: 'soft' },
      report.deviation === undefined
        ? 'Exactly what the pooled rows would give. Digest '
        : 'Digest ',
      element('span', { class: 'digest' }, report.digest),
    ),
  ];
}

function table(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  texts: number,
  label: string,
): HTMLElement {
  const align = (k: number): Record<string, string> => (k < texts ? {} : { class: 'number' });
  const head = element(
    'tr',
    {},
    ...columns.map((name, k) => element('th', { scope: 'col', ...align(k) }, name)),
  );
  const body = rows.map((cells) =>
    element(
      'tr',
      {},
      ...cells.map((cell, k) =>
        k === 0 ? element('th', { scope: 'row' }, cell) : element('td', align(k), cell),
      ),
    ),
  );
  return element(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': label },
    element('table', {}, element('thead', {}, head), element('tbody', {}, ...body)),
  );
}
