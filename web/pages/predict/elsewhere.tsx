import type { OpenedModel } from '../../desk/opened-model.ts';
import { Card } from '../../ui/card.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ScrollArea } from '../../ui/scroll-area.tsx';

/** The same model outside this page. */
export function Elsewhere({
  model,
  result,
}: {
  readonly model: OpenedModel;
  /** Address of the result's page. */
  readonly result: string;
}) {
  const command = `suffice predict model.json rows.csv${siteFlag(model)} --out predictions.csv`;
  return (
    <Card
      title="Use it elsewhere"
      about="The model goes with you: as JSON, ONNX, or a few lines of R or Python."
    >
      <p>
        <a href={result}>Downloads are on the result’s page</a>, with the coefficients and their
        errors. With the command line, the same predictions to the last digit:
      </p>
      <ScrollArea kind="code" label="Command">
        <pre>{command}</pre>
      </ScrollArea>
      <div class="row">
        <CopyButton text={() => command}>Copy the command</CopyButton>
      </div>
    </Card>
  );
}

function siteFlag({ fields }: OpenedModel): string {
  const site = fields.find(({ name }) => name === '.site');
  return site?.kind === 'category' ? ` --site ${site.levels[0]}` : '';
}
