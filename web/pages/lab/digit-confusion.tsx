import type { DigitModel } from '../../../experiments/fisher/digit-trial.ts';
import { rightText } from './digit-accuracies.tsx';

/** What each digit is taken for: a row for each digit, tinted by its share of the row. */
export function DigitConfusion({
  model: { confusion, label, accuracy },
}: {
  readonly model: DigitModel;
}) {
  return (
    <table class="digit-confusion">
      <caption class="small soft">
        {label}: {rightText(accuracy)} right. A row is a digit, a column what it is taken for.
      </caption>
      <thead>
        <tr>
          <td />
          {confusion.map((_, digit) => (
            <th key={`taken for ${digit}`} scope="col">
              {digit}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {confusion.map((row, digit) => {
          const all = Math.max(
            1,
            row.reduce((sum, count) => sum + count, 0),
          );
          return (
            <tr key={`digit ${digit}`}>
              <th scope="row">{digit}</th>
              {row.map((count, taken) => (
                <td
                  key={`taken for ${taken}`}
                  class={taken === digit ? 'right' : 'wrong'}
                  style={{ '--share': `${Math.round((100 * count) / all)}%` }}
                >
                  {count === 0 ? '' : count}
                </td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
