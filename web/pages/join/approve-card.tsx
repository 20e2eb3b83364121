import type { RuleId } from '../../../src/disclosure/rule.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { countText } from '../../ui/words.ts';
import type { FindingsProps } from './findings.tsx';

/** The approval: one button, one request. */
export function ApproveCard({
  reading: { leaving, audit },
  arrival: { host, site, study },
  acknowledged,
  busy,
  onAnotherFile,
  onSend,
  onSave,
}: FindingsProps & { readonly acknowledged: readonly RuleId[] }) {
  const warned = audit?.rules.filter(({ outcome }) => outcome === 'warn') ?? [];
  const open = warned.map(({ rule }) => rule).filter((rule) => !acknowledged.includes(rule));
  const barred =
    open.length === 0 ? undefined : `acknowledge first what ${open.join(', ')} warns of`;
  const name = `${site.replace(/[^A-Za-z0-9_-]+/g, '_')}.suffice`;
  return (
    <Card
      title="Approve"
      about="With your approval this page makes exactly one request, whose content is the file shown above, byte for byte."
    >
      {barred !== undefined && (
        <p class="soft" role="status">
          Before it can leave, {barred}.
        </p>
      )}
      <div class="row">
        <Button kind="primary" barred={barred} busy={busy} onClick={() => onSend(acknowledged)}>
          {`Send ${countText(leaving.bytes)} bytes to ${host}`}
        </Button>
        {study.promise === undefined && (
          <Button barred={barred} busy={busy} onClick={() => onSave(acknowledged, name)}>
            Save the contribution as a file instead
          </Button>
        )}
        <Button busy={busy} onClick={onAnotherFile}>
          Do not send
        </Button>
      </div>
    </Card>
  );
}
