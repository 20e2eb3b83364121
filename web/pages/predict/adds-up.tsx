import { significant } from '../../../src/text/number-text.ts';
import { ScrollArea } from '../../ui/scroll-area.tsx';
import type { PredictedResponse, TermContribution } from '../../worker/form-prediction.ts';

interface AddsUpProps {
  readonly said: PredictedResponse;
  /** Name of the sum. */
  readonly sum: string;
  readonly family?: 'binomial' | 'poisson' | undefined;
}

/** Every term of a linear model and what it adds to the prediction for this row. */
export function AddsUp({ said, sum, family }: AddsUpProps) {
  const { parts, response, fitted, link } = said;
  const largest = Math.max(...parts.map((part) => Math.abs(addedBy(part))), Number.MIN_VALUE);
  return (
    <div class="predict-sum">
      <ScrollArea kind="scroll" label={`What each term adds to ${response}`}>
        <table>
          <thead>
            <tr>
              <th scope="col">Term</th>
              <th scope="col" class="number predict-wide">
                Coefficient × value
              </th>
              <td class="predict-wide" />
              <th scope="col" class="number">
                = adds
              </th>
            </tr>
          </thead>
          <tbody>
            {parts.map((part) => (
              <tr key={part.term} class={part.value === 0 ? 'nothing' : undefined}>
                <th scope="row">
                  <span title={part.text === part.term ? undefined : part.term}>{part.text}</span>
                  <span class="predict-narrow">{product(part)}</span>
                </th>
                <td class="number predict-wide">{product(part)}</td>
                <td class="predict-wide predict-bar">
                  <AddedBar share={addedBy(part) / largest} />
                </td>
                <td class="number">{signed(addedBy(part))}</td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">{family === undefined ? sum : 'Sum, before the link'}</th>
              <td class="predict-wide" colSpan={2} />
              <td class="number">{significant(link ?? fitted, 5)}</td>
            </tr>
            {family !== undefined && (
              <tr>
                <th scope="row">{family === 'binomial' ? '1 / (1 + exp(−sum))' : 'exp(sum)'}</th>
                <td class="predict-wide" colSpan={2} />
                <td class="number">{significant(fitted, 5)}</td>
              </tr>
            )}
          </tfoot>
        </table>
      </ScrollArea>
    </div>
  );
}

function addedBy({ estimate, value }: TermContribution): number {
  return estimate * value;
}

function product({ estimate, value }: TermContribution): string {
  const text = `${significant(estimate, 5)} × ${String(Number(significant(value, 5)))}`;
  return text.replaceAll('-', '−');
}

function signed(value: number): string {
  const text = significant(Math.abs(value), 5);
  return value < 0 ? `− ${text}` : `+ ${text}`;
}

function AddedBar({ share }: { readonly share: number }) {
  return (
    <svg class="predict-added" viewBox="-1 0 2 1" preserveAspectRatio="none" aria-hidden="true">
      <rect
        class={share < 0 ? 'less' : 'more'}
        x={Math.min(0, share)}
        width={Math.abs(share)}
        height="1"
      />
    </svg>
  );
}
