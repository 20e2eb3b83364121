import type { OutgoingMessage, PartyOutgoing } from '../../../src/site/party-outgoing.ts';
import { Card } from '../../ui/card.tsx';
import { Notice, sentence } from '../../ui/notice.tsx';
import { bytesText } from '../../ui/text.ts';

/** What a party would send to whom, and what everybody learns, before anything leaves. */
export function PartyOutgoingCard({
  outgoing: { messages, learns },
  withoutRules,
}: {
  readonly outgoing: PartyOutgoing;
  /** No rule has checked the columns. */
  readonly withoutRules: boolean;
}) {
  const [disclosure, ...rest] = learns;
  return (
    <Card
      title="What will be sent"
      about="The parties exchange messages one after the other, through the coordinator. It cannot read them: each is encrypted to its receiver."
    >
      {withoutRules && (
        <Notice
          kind="warn"
          title="This study has switched off the disclosure rules: no rule has checked your columns."
        />
      )}
      <dl class="join-messages">
        {messages.map((message) => (
          <Message key={message.to} message={message} />
        ))}
      </dl>
      <div class="stack">
        <h3>What others learn</h3>
        <Notice kind="warn" title="Who is in all tables is itself a disclosure.">
          <p>{disclosure}</p>
        </Notice>
        {rest.map((text) => (
          <p key={text}>{text}</p>
        ))}
      </div>
    </Card>
  );
}

function Message({
  message: { to, what, bytes, keys = [], detail },
}: {
  readonly message: OutgoingMessage;
}) {
  return (
    <div>
      <dt>To {to}</dt>
      <dd class="stack">
        <p>
          {sentence(what)}
          {bytes !== undefined && <span class="soft"> At most {bytesText(bytes)}.</span>}
        </p>
        {keys.length > 0 && (
          <ol class="join-keys">
            {keys.map((key) => (
              <li key={key}>{key}</li>
            ))}
          </ol>
        )}
        {detail.map((text) => (
          <p key={text} class="small soft">
            {text}
          </p>
        ))}
      </dd>
    </div>
  );
}
