import { Card } from '../../ui/card.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import type { OpenedModel } from '../../worker/opened-model.ts';

/** The same model outside this page. */
export function OtherPrograms({
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
      about="You can download the model as JSON, as ONNX, or as a few lines of R or Python."
    >
      <p>
        <a href={result}>The downloads are on the page of the result</a>, with the coefficients and
        their errors. The command line gives the same predictions, to the last digit:
      </p>
      <p class="code wraps">
        <code>{command}</code>
      </p>
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
