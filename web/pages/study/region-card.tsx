import { regionLines } from '../../../src/site/region-text.ts';
import { Card } from '../../ui/card.tsx';
import type { WatchedStudy } from '../../worker/watched-study.ts';

/** In the study of a region: where its sum goes, and what has arrived there. */
export function RegionCard({ view }: { readonly view: WatchedStudy }) {
  const lines = regionLines(view);
  if (lines.length === 0) return null;
  return (
    <Card
      title="The study above"
      about="This study is a region of another one. When it has closed, the sum over its sites goes on as one contribution; when a site withdraws, the sum is sent again without it."
    >
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </Card>
  );
}
