import { readFile } from 'node:fs/promises';
import type { Inquiry } from '../analysis/inquiry.ts';
import type { Answered } from '../analysis/question.ts';
import { conclude, unanswerable } from '../conclude.ts';
import { byName, countingParts } from '../coordinator/counting-parts.ts';
import { DataError } from '../data-error.ts';
import { agreement, collect, readContribution } from '../federate.ts';
import type { Report, SiteLine } from '../model/report.ts';
import { Refusal } from '../protocol/refusal.ts';
import { isSignedContribution } from '../protocol/signed-contribution.ts';
import type { Contribution } from '../statistic/envelope.ts';
import { rowCount } from '../statistic/statistic.ts';
import { digestBytes } from '../study/digest.ts';
import type { Study } from '../study/study.ts';
import { noiseForTotal } from './published-totals.ts';
import { siteFolder } from './site-home.ts';

export interface Combined {
  readonly report: Report;
  readonly answers: readonly Answered[];
  /** Files that nobody signed. */
  readonly unsigned: readonly string[];
}

interface Part {
  readonly path: string;
  readonly contribution: Contribution;
  readonly digest: string;
}

/** Adds contributions that came as files and resolves the sum, as a coordinator would. */
export async function combineFiles(
  study: Study,
  paths: readonly string[],
  signatures: 'optional' | 'required',
  inquiry: Inquiry = { questions: [] },
  home: string = siteFolder(undefined),
): Promise<Combined> {
  const agreed = agreement(study);
  const idle = unanswerable(agreed, inquiry);
  if (idle !== undefined) throw new DataError(idle.problem, {}, idle.remedy, idle.option);
  const parts: Part[] = [];
  for (const path of paths) {
    const file = await readFile(path);
    const decoded = readContribution(agreed, file);
    if ('refused' in decoded) {
      throw new DataError(
        `this is no contribution to the study: ${decoded.refused}`,
        { file: path },
        'ask the site to make it again, with this very study',
        { name: 'contribute' },
      );
    }
    parts.push({ path, contribution: decoded.contribution, digest: digestBytes(file) });
  }
  const unsigned = unsignedFiles(parts, signatures);
  const counted = countedParts(parts);
  const contributions = counted.map(({ contribution }) => contribution);
  const exact = collect(agreed, contributions);
  if ('problem' in exact) throw new DataError(exact.problem, {}, exact.remedy, exact.option);
  const digests = counted.map(({ digest }) => digest);
  const found = conclude(agreed, exact, {
    sites: siteLines(counted),
    inquiry,
    audience: 'analyst',
    ...(agreed.method.noise === undefined
      ? {}
      : { words: await noiseForTotal(agreed, digests, home) }),
  });
  if (!('problem' in found)) return { ...found, unsigned };
  const { problem, remedy, option, withheld } = found;
  if (withheld === true) throw new Refusal('not-allowed', problem, remedy, option);
  throw new DataError(problem, {}, remedy, option);
}

function unsignedFiles(parts: readonly Part[], signatures: 'optional' | 'required'): string[] {
  const keys = new Map<string, string>();
  const unsigned: string[] = [];
  for (const { path, contribution } of parts) {
    const { seal, site } = contribution;
    if (seal === undefined) {
      if (signatures === 'required') {
        throw new DataError('nobody signed it', { file: path }, 'ask the site for a signed one');
      }
      unsigned.push(path);
      continue;
    }
    if (!isSignedContribution(contribution)) {
      const remedy = 'it was changed after it was signed: ask the site for it again';
      throw new DataError('the signature does not fit', { file: path }, remedy);
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

/** The files that count, as a coordinator would count them; refuses two files of one number. */
function countedParts(parts: readonly Part[]): Part[] {
  const held = parts.map((part) => ({
    ...part,
    ...part.contribution,
    digest: part.digest,
    late: 0,
  }));
  const order = held.toSorted((a, b) => byName(a.site, b.site) || a.sequence - b.sequence);
  order.forEach(({ site, sequence, path }, k) => {
    if (k === 0 || order[k - 1].site !== site || order[k - 1].sequence !== sequence) return;
    throw new DataError(
      `it is the second file of ${site} with number ${sequence}`,
      { file: path },
      'keep one of them; a file with further rows is made with the next number',
      { name: 'sequence', value: sequence + 1 },
    );
  });
  return [...countingParts(order, { includeLate: false }).values()].flat();
}

function siteLines(parts: readonly Part[]): SiteLine[] {
  const lines = new Map<string, Required<Omit<SiteLine, 'missing'>>>();
  for (const { contribution } of parts) {
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
