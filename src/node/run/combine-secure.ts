import type { PartyAnswer } from '../../aggregation/aggregation.ts';
import { DataError } from '../../data-error.ts';
import type { Agreement } from '../../federate.ts';
import { helperClient } from '../../protocol/helper-client.ts';
import type { SignedSlip } from '../../protocol/helper-messages.ts';
import { askMaskSum } from '../../protocol/mask-sum.ts';
import { isSignedContribution, slipOf } from '../../protocol/signed-contribution.ts';
import type { ClientOptions } from '../../protocol/transport.ts';
import type { Contribution } from '../../statistic/envelope.ts';

/** A contribution and the file it came in. */
interface ReadFile {
  readonly path: string;
  readonly contribution: Contribution;
}

/** What the helper of a study answers about contributions that came as files; nothing where the study has no helper. */
export async function answersAbout(
  agreed: Agreement,
  files: readonly ReadFile[],
  options: ClientOptions,
): Promise<readonly PartyAnswer[]> {
  const { helper, roster = {}, minimumSites = 1 } = agreed.aggregation;
  if (helper === undefined) return [];
  const slips = files.map((file) => slipIn(file, roster));
  const sites = new Set(slips.map(({ site }) => site)).size;
  if (sites < minimumSites) {
    throw new DataError(
      `there are contributions of ${sites} ${sites === 1 ? 'site' : 'sites'}, and minimumSites is ${minimumSites}; the helper was not asked`,
      {},
      'give the files of more sites: the helper answers for one set only',
    );
  }
  const found = await askMaskSum(helperClient(helper.url, options), helper, agreed, slips);
  if ('answers' in found) return found.answers;
  const [{ site, sequence, why }] = found.unusable;
  const file = files.find(
    ({ contribution: one }) => one.site === site && one.sequence === sequence,
  );
  throw new DataError(
    `the helper cannot use contribution ${sequence} of ${site}: ${why}`,
    { file: file!.path },
    'ask the site to make it again, or leave the file out; the helper has not answered yet',
  );
}

/** What the helper gets of a contribution; refuses one that it could not use. */
function slipIn(
  { path, contribution }: ReadFile,
  roster: Readonly<Record<string, string>>,
): SignedSlip {
  const { site } = contribution;
  if (!isSignedContribution(contribution) || roster[site] !== contribution.seal.key) {
    throw new DataError(
      `the file is not signed with the key that the roster of the study has of ${site}`,
      { file: path },
      'ask the site to make it with the folder of that key; the helper was not asked',
    );
  }
  const { study: _, ...slip } = slipOf(contribution);
  return slip as SignedSlip; // `readContribution` has refused what has no nonce or seal
}
