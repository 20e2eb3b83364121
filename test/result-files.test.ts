import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { runSuffice, temporaryFolder } from './cli.ts';
import { enduring } from './endurance.ts';
import { fileBrowser } from './file-browser.ts';
import { type PageStates, pageStates } from './page-states.ts';
import { coefficientColumns, resultVisit } from './result-visit.ts';

const folder = temporaryFolder();

describe('what one takes along from the page of a result', () => {
  const present = fileBrowser();
  let states: PageStates;
  beforeAll(async () => {
    states = await pageStates(['resolved']);
  });
  afterAll(async () => {
    await states.stop();
  });
  const visit = (context: TestContext) =>
    resultVisit(present(context), states.studies.resolved.address('result'));

  /** The signed resolution and the report as `suffice report` keeps and prints them. */
  async function modelFile(topics?: string) {
    const link = join(folder, 'study.link');
    writeFileSync(link, states.studies.resolved.address('study'), { mode: 0o600 });
    const path = join(folder, `model-${topics?.length ?? 0}.json`);
    const show = topics === undefined ? ['--json'] : ['--show', topics];
    const { code, stdout, stderr } = await runSuffice(['report', link, ...show, '--out', path]);
    expect(code, stderr).toBe(0);
    return { path, report: stdout };
  }

  it.runIf(enduring)(
    'makes the files that suffice report and suffice export write, byte for byte',
    async (context) => {
      const { page, part, asked } = await visit(context);
      await page.getByRole('img', { name: /^Effects per standard deviation/ }).waitFor();
      await (await part('certificate')).getByText('The resolution is entry').waitFor();
      await part('files');
      const before = asked.length;
      const downloaded = async (name: string) => {
        const [download] = await Promise.all([
          page.waitForEvent('download'),
          page.locator('#files').getByRole('button', { name, exact: true }).click(),
        ]);
        return [download.suggestedFilename(), readFileSync((await download.path())!)] as const;
      };
      const { path, report } = await modelFile();
      const answered = await modelFile(
        'anova,description,standardized,collinearity,path,partial-correlations',
      );
      const covariance = await modelFile('covariance');
      const exported = async (format: string, model = path) => {
        const out = join(folder, `exported.${format}`);
        const { code, stderr } = await runSuffice([
          'export',
          model,
          '--format',
          format,
          '--out',
          out,
        ]);
        expect(code, stderr).toBe(0);
        return readFileSync(out);
      };
      const expected: readonly (readonly [string, string, Buffer])[] = [
        ['Signed resolution', 'resolution.json', readFileSync(path)],
        ['Report, JSON', 'report.json', Buffer.from(report)],
        ['Coefficients, CSV', 'coefficients.csv', await exported('csv')],
        ['Fit, CSV', 'glance.csv', await exported('glance')],
        ['R', 'model.R', await exported('r')],
        ['Python', 'model.py', await exported('python')],
        ['ONNX', 'model.onnx', await exported('onnx')],
        ['Model, JSON', 'model.json', await exported('json', covariance.path)],
        ['HTML report', 'report.html', await exported('html', answered.path)],
      ];
      for (const [button, name, bytes] of expected) {
        const [file, content] = await downloaded(button);
        expect(file).toBe(`penguins-of-palmer-1-${name}`);
        expect(content.equals(bytes), button).toBe(true);
      }
      const [, markdown] = await downloaded('Markdown');
      expect(markdown.toString()).toContain('| bill\\_length | 21.633 |');
      const scripts = /^blob:|\/assets\//;
      expect(asked.slice(before).filter((url) => !scripts.test(url))).toEqual([]);
    },
  );

  it.runIf(enduring)(
    'is a table with all digits, copied as CSV and as Markdown in the order it is shown in',
    async (context) => {
      const { page } = await visit(context);
      const part = page.locator('#coefficients');
      const { id } = states.studies.resolved.created;
      const operator = { role: 'operator' } as const;
      const { report } = await states.served.coordinator.resolution(operator, id, 1);
      const terms = report.terms!;
      const copied = async (name: string) => {
        await part.getByRole('button', { name }).click();
        await part.getByRole('button', { name: 'Copied' }).first().waitFor();
        return page.evaluate<string>('navigator.clipboard.readText()');
      };
      const csv = (await copied('Copy as CSV'))
        .trimEnd()
        .split('\n')
        .map((line) => line.split(','));
      const full = terms.map((row) =>
        coefficientColumns.map((column) => String(row[column] ?? 'NA')),
      );
      expect(csv.slice(1)).toEqual(full);
      const told = await modelFile();
      const tidy = (await runSuffice(['export', told.path, '--format', 'csv'])).stdout
        .trimEnd()
        .split('\r\n');
      expect(csv.slice(1).map((cells) => cells.slice(0, 7).join())).toEqual(tidy.slice(1));
      const markdown = (await copied('Copy as Markdown')).trimEnd().split('\n');
      expect(markdown[1]).toBe('| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |');
      expect(markdown.slice(2)).toEqual(full.map((cells) => `| ${cells.join(' | ')} |`));
    },
  );
});
