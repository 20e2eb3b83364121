import { useSodiumRistretto255 } from '../../cipher/sodium-ristretto255.ts';
import { conclude } from '../../conclude.ts';
import { DataError } from '../../data-error.ts';
import { defined } from '../../defined.ts';
import { agreement } from '../../federate.ts';
import { Refusal } from '../../protocol/refusal.ts';
import { openSource } from '../../rows/sources.ts';
import type { Watch } from '../../rows/watch.ts';
import { joinWordings } from '../../rows/wording.ts';
import type { Study } from '../../study/study.ts';
import { grouped } from '../../text/number-text.ts';
import { exchangeHere } from '../../vertical/exchange-here.ts';
import { linksText } from '../../vertical/links-text.ts';
import type { PartyRows } from '../../vertical/party-rows.ts';
import { partyColumns, readParty } from '../../vertical/read-party.ts';
import { partyModel, type VerticalStudy, verticalStudy } from '../../vertical/vertical-study.ts';
import { nodeHost } from '../compute/host.ts';
import { useNativeCrypto } from '../compute/native-crypto.ts';
import { useNativeHash } from '../compute/native-hash.ts';
import type { StudyFitChoices } from './fit.ts';
import type { FitOutcome } from './fit-outcome.ts';
import { silentProgress } from './progress.ts';

type Choices = Pick<
  StudyFitChoices,
  'missing' | 'questions' | 'encoding' | 'decimal' | 'missingMarkers'
>;

/**
 * Fits a study whose parties hold different columns, over one file for each party, with all parties in this process. The total has the
 * bits of the joined table.
 */
export async function fitParties(
  study: Study,
  files: Readonly<Record<string, string>>,
  watch: Watch = () => silentProgress,
  choices: Choices = {},
): Promise<FitOutcome> {
  useNativeHash();
  useNativeCrypto();
  const split = verticalStudy(agreement(study));
  refuseOtherParties(split, Object.keys(files));
  const rows = new Map<string, PartyRows>();
  for (const party of split.parties) {
    rows.set(party, await readPartyFile(split, party, files[party], watch, choices));
  }
  if (split.columnsAt.linkage === 'ecdh') await useSodiumRistretto255();
  const { collected, people, parties } = exchangeHere(split, rows);
  const sites = parties.map(({ name }) => ({ name }));
  const { questions = [] } = choices;
  const found = conclude(split.agreed, collected, {
    sites,
    query: { questions },
    audience: 'analyst',
  });
  if (!('problem' in found)) {
    const notes = [
      ...parties.map(
        ({ name, rows: own, dropped }) =>
          `${name}: ${grouped(own)} complete rows, ${grouped(dropped)} left out`,
      ),
      ...linksText(people, parties, split.columnsAt.passes),
    ];
    return { study, ...found, notes };
  }
  const { problem, remedy, option, withheld } = found;
  if (withheld === true) throw new Refusal('not-allowed', problem, remedy, option);
  throw new DataError(problem, {}, remedy, option);
}

/** Reads one party's file: its columns of the study, and the keys. */
export async function readPartyFile(
  split: VerticalStudy,
  party: string,
  path: string,
  watch: Watch,
  { missing = 'drop', encoding, decimal, missingMarkers = [] }: Choices,
): Promise<PartyRows> {
  const wanted = partyColumns(split, party);
  const opened = await openSource(nodeHost, { path }, wanted, encoding, decimal);
  const wording = joinWordings(opened.wording, { missing: missingMarkers });
  const source = { ...opened, ...defined({ wording }) };
  const bar = watch('reading', source.length);
  const part = partyModel(split, party);
  try {
    return await readParty(split, part, nodeHost, source, missing, bar.update);
  } finally {
    bar.done();
  }
}

function refuseOtherParties({ parties }: VerticalStudy, given: readonly string[]): void {
  const unknown = given.find((name) => !parties.includes(name));
  const absent = parties.find((name) => !given.includes(name));
  if (unknown === undefined && absent === undefined) return;
  throw new DataError(
    unknown === undefined
      ? `the file of ${absent} is missing`
      : `the partition has no party named ${unknown}`,
    {},
    `give one file for each of its parties: ${parties.join(', ')}`,
  );
}
