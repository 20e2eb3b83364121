import { readFile } from 'node:fs/promises';
import type { Aggregation } from '../../aggregation/aggregation.ts';
import type { Query } from '../../analysis/query.ts';
import type { Answered } from '../../analysis/question.ts';
import { conclude, whyNoQueries } from '../../conclude.ts';
import { activeContributions, byName } from '../../coordinator/active-contributions.ts';
import { DataError } from '../../data-error.ts';
import { agreement, collect, readContribution } from '../../federate.ts';
import type { Report, SiteLine } from '../../model/report.ts';
import { Refusal } from '../../protocol/refusal.ts';
import { isSignedContribution } from '../../protocol/signed-contribution.ts';
import type { ClientOptions } from '../../protocol/transport.ts';
import type { Contribution } from '../../statistic/envelope.ts';
import { rowCount } from '../../statistic/statistic.ts';
import { digestBytes } from '../../study/digest.ts';
import type { Study } from '../../study/study.ts';
import type { WaitNotice } from '../files/folder-lock.ts';
import { noiseForTotal } from '../site/published-totals.ts';
import { siteFolder } from '../site/site-folder.ts';
import { answersAbout } from './combine-secure.ts';

export interface Combined {
  readonly report: Report;
  readonly answers: readonly Answered[];
  /** Paths of unsigned files. */
  readonly unsigned: readonly string[];
}

interface ContributionFile {
  readonly path: string;
  readonly contribution: Contribution;
  readonly digest: string;
}

/** Adds contributions from files and resolves the sum, as a coordinator would. */
export async function combineFiles(
  study: Study,
  paths: readonly string[],
  signatures: 'optional' | 'required',
  query: Query = { questions: [] },
  folder: string = siteFolder(undefined),
  notice?: WaitNotice,
  connection: ClientOptions = {},
): Promise<Combined> {
  const agreed = agreement(study);
  const refused = whyNoQueries(agreed, query);
  if (refused !== undefined) {
    throw new DataError(refused.problem, {}, refused.remedy, refused.option);
  }
  const files: ContributionFile[] = [];
  for (const path of paths) {
    const file = await readFile(path);
    const decoded = readContribution(agreed, file);
    if ('refused' in decoded) {
      throw new DataError(
        `this is not a contribution to the study: ${decoded.refused}`,
        { file: path },
        'ask the site to make it again, for exactly this study',
        { name: 'contribute' },
      );
    }
    files.push({ path, contribution: decoded.contribution, digest: digestBytes(file) });
  }
  const unsigned = unsignedFiles(files, signatures);
  const active = activeFiles(files);
  const contributions = active.map(({ contribution }) => contribution);
  const exact = collect(agreed, contributions, await answersAbout(agreed, active, connection));
  if ('problem' in exact) throw new DataError(exact.problem, {}, exact.remedy, exact.option);
  const digests = active.map(({ digest }) => digest);
  const found = conclude(agreed, exact, {
    sites: siteLines(active, agreed.aggregation.sees),
    query,
    audience: 'analyst',
    ...(agreed.method.noise === undefined
      ? {}
      : { random: await noiseForTotal(agreed, digests, folder, notice) }),
  });
  if (!('problem' in found)) return { ...found, unsigned };
  const { problem, remedy, option, withheld } = found;
  if (withheld === true) throw new Refusal('not-allowed', problem, remedy, option);
  throw new DataError(problem, {}, remedy, option);
}

function unsignedFiles(
  files: readonly ContributionFile[],
  signatures: 'optional' | 'required',
): string[] {
  const keys = new Map<string, string>();
  const unsigned: string[] = [];
  for (const { path, contribution } of files) {
    const { seal, site } = contribution;
    if (seal === undefined) {
      if (signatures === 'required') {
        throw new DataError(
          'the file is not signed',
          { file: path },
          'ask the site for a signed file',
        );
      }
      unsigned.push(path);
      continue;
    }
    if (!isSignedContribution(contribution)) {
      const remedy = 'the file was changed after it was signed: ask the site for it again';
      throw new DataError('the signature is not valid', { file: path }, remedy);
    }
    const before = keys.get(site);
    if (before !== undefined && before !== seal.key) {
      throw new DataError(
        `files of ${site} are signed with different keys`,
        { file: path },
        'ask the site which of them it made',
      );
    }
    keys.set(site, seal.key);
  }
  return unsigned;
}

/** The active files, by the rule of the coordinator; refuses two files of one site with the same number. */
function activeFiles(files: readonly ContributionFile[]): ContributionFile[] {
  const onTime = files.map((file) => ({
    ...file,
    ...file.contribution,
    digest: file.digest,
    late: 0,
  }));
  const order = onTime.toSorted((a, b) => byName(a.site, b.site) || a.sequence - b.sequence);
  order.forEach(({ site, sequence, path }, k) => {
    if (k === 0 || order[k - 1].site !== site || order[k - 1].sequence !== sequence) return;
    throw new DataError(
      `this is the second file of ${site} with number ${sequence}`,
      { file: path },
      'use one of them; a file with further rows needs the next number',
      { name: 'sequence', value: sequence + 1 },
    );
  });
  return [...activeContributions(order, { includeLate: false }).values()].flat();
}

/** The sites, with their counts where each is seen. */
function siteLines(
  files: readonly ContributionFile[],
  sees: Aggregation['sees'],
): readonly SiteLine[] {
  if (sees === 'total') {
    return [...new Set(files.map(({ contribution }) => contribution.site))].map((name) => ({
      name,
    }));
  }
  const lines = new Map<string, Required<Omit<SiteLine, 'missing'>>>();
  for (const { contribution } of files) {
    const { site: name, dropped, statistic } = contribution;
    const before = lines.get(name) ?? { name, n: 0, dropped: 0 };
    lines.set(name, {
      name,
      n: (before.n ?? 0) + rowCount(statistic),
      dropped: (before.dropped ?? 0) + dropped,
    });
  }
  return [...lines.values()];
}
