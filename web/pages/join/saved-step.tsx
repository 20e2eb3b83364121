import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { useHeadingFocus } from './use-heading-focus.ts';

/** The contribution went into a file instead of over the network. */
export function SavedStep({
  name,
  onAgain,
}: {
  readonly name: string;
  readonly onAgain: () => void;
}) {
  const part = useHeadingFocus();
  return (
    <div ref={part}>
      <Card
        title="Saved as a file"
        about="No request was made. The ledger of this browser counts it as having left."
      >
        <p>
          Give <code>{name}</code> to whoever runs the study, who adds it to those of other sites:
        </p>
        <pre class="code">suffice combine STUDY.json {name} …</pre>
        <div class="row">
          <Button onClick={onAgain}>Back to the study</Button>
        </div>
      </Card>
    </div>
  );
}
