import type { StudyClient } from '../../src/protocol/client.ts';
import { studyClient } from '../../src/protocol/client.ts';
import type { MaskExchange } from '../../src/site/mask-exchange.ts';
import type { RingVector } from '../../src/statistic/ring.ts';
import { type JoinSession, siteStoreOf } from './join-session.ts';
import { inOneTab } from './one-tab.ts';

/** The steps of a site in this tab that agrees on masks with others. Its state is stored before each message, so that a reload goes on. */
export interface TabMasks {
  agree(): Promise<RingVector>;
  use(): Promise<void>;
  help(): Promise<void>;
}

/** Undefined in other studies. The notice says how far the sites are. */
export async function tabMasks(
  session: JoinSession,
  notice: (text: string) => void = () => {},
  signal?: AbortSignal,
): Promise<TabMasks | undefined> {
  const { membership, link } = session;
  const { agreed, site } = membership;
  if (agreed.aggregation.masks === undefined) return undefined;
  const { agreeOnMask, helpToOpen, useMask } = await import('../../src/site/mask-exchange.ts');
  const exchange: MaskExchange = {
    client: patientClient(link, signal),
    membership,
    store: siteStoreOf(session),
    notice: (text) => notice(text.replace(/^masks: /, '')),
    ...(signal === undefined ? {} : { signal }),
  };
  const alone = <T>(work: () => Promise<T>) => inOneTab(`masks ${agreed.digest} ${site}`, work);
  return {
    agree: () => alone(() => agreeOnMask(exchange)),
    use: () => useMask(exchange),
    help: () => alone(() => helpToOpen(exchange)),
  };
}

/** Waits for hours: a lost connection is tried again. */
function patientClient(link: JoinSession['link'], signal?: AbortSignal): StudyClient {
  return studyClient(link, {
    retryFor: Number.POSITIVE_INFINITY,
    ...(signal === undefined ? {} : { signal }),
  });
}
