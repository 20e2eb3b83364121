import { useMemo, useState } from 'preact/hooks';
import type { Path } from '../../../src/analysis/path.ts';
import type { TermTexts } from '../../../src/features/term-text.ts';
import { Lines } from '../../charts/lines.tsx';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { TextField } from '../../ui/field.tsx';
import { FailureNotice, Notice } from '../../ui/notice.tsx';
import { Tag } from '../../ui/tag.tsx';
import { useAnswer } from '../../ui/use-answer.ts';
import { call } from '../../worker/call.ts';
import type { Exploration as At } from '../../worker/exploration.ts';
import { ExploredModel } from './explored-model.tsx';
import { NeedsTotal } from './needs-total.tsx';
import { type PenaltySlider, penaltyScale } from './penalty-scale.ts';
import { placeOf, type SectionProps } from './section-props.ts';
import { shortText } from './term-name.tsx';
import { useExplored } from './use-explored.ts';

/** The model with another penalty, solved again in the tab at every move of a slider. */
export function ExplorationSection(props: SectionProps) {
  const { shown, total, response } = props;
  return (
    <NeedsTotal total={total} what="The trace">
      {() => (
        <>
          {shown.linear?.siteEffects === true && (
            <Notice kind="info">
              The published model has an intercept for each site. The models shown here have one
              intercept for all sites.
            </Notice>
          )}
          <Trace key={`${shown.digest} ${response}`} {...props} />
        </>
      )}
    </NeedsTotal>
  );
}

function Trace(props: SectionProps) {
  const { shown, response } = props;
  const own = ownPenalty(props);
  const [scale, setScale] = useState<At['scale']>(own.scale);
  const name = shown.responses[response].response;
  const { value: path, failure } = useAnswer(
    () => call('tracePath', [...placeOf(shown), { kind: own.kind, scale }, name]),
    [shown.digest, scale, name],
  );
  const scales = useMemo(() => (path === undefined ? undefined : penaltyScale(path)), [path]);
  return (
    <div class="stack">
      <p class="row">
        <Tag kind="warn">Exploration, not signed</Tag>
        {own.kind === 'ridge' && (
          <>
            <span class="small soft">The penalty is on</span>
            <Choice
              label="What is penalised"
              value={scale}
              options={[
                ['raw', 'slopes as they are'],
                ['standardized', 'slopes per SD'],
              ]}
              onChange={setScale}
            />
          </>
        )}
      </p>
      {failure !== undefined && <FailureNotice failure={failure} />}
      {path === undefined || scales === undefined ? (
        failure === undefined && <div class="waiting" />
      ) : (
        <Slider
          {...props}
          path={path}
          scales={scales}
          scale={scale}
          own={own}
          onOwn={() => setScale(own.scale)}
        />
      )}
    </div>
  );
}

interface SliderProps extends SectionProps {
  readonly path: Path;
  readonly scales: PenaltySlider;
  readonly scale: At['scale'];
  readonly own: At;
  readonly onOwn: () => void;
}

function Slider(props: SliderProps) {
  const { shown, response, path, scales, scale, own, onOwn } = props;
  const [penalty, setPenalty] = useState(own.penalty);
  const [typed, setTyped] = useState<string>();
  const explored = useExplored(shown, { penalty, scale, kind: own.kind });
  const symbol = own.kind === 'ridge' ? 'Ridge' : 'Lambda';
  const slide = (to: number) => {
    setTyped(undefined);
    setPenalty(to);
  };
  const wrong = typed !== undefined && !isPenalty(typed);
  const isOwn = penalty === own.penalty && scale === own.scale;
  return (
    <>
      <Lines
        title={own.kind === 'ridge' ? 'Ridge trace' : 'Lasso path'}
        series={seriesOf(path, scales, shown.names)}
        x={{
          label: `${symbol.toLowerCase()}, weak to strong`,
          log: true,
          ends: [scales.least, scales.most],
        }}
        y={{ label: 'slope × SD of its column' }}
        cursor={scales.onAxis(penalty)}
        marks={scale === own.scale ? [{ x: own.penalty, text: 'published' }] : []}
        onCursor={slide}
        below={([left, right]) => (
          <input
            type="range"
            class="on-axis"
            style={{ '--left': `${left}px`, '--across': `${right - left}px` }}
            aria-label={`${symbol}: the slider solves the model again`}
            aria-valuetext={penalty === 0 ? 'no penalty' : String(penalty)}
            min={0}
            max={scales.steps}
            step={1}
            value={scales.positionOf(penalty)}
            onInput={(event) => slide(scales.penaltyAt(Number(event.currentTarget.value)))}
          />
        )}
      />
      <p class="small soft">
        The lines are drawn per SD for either penalty, so that their heights can be compared.
      </p>
      <div class="penalty">
        <TextField
          label={symbol}
          mono
          inputMode="decimal"
          value={typed ?? String(penalty)}
          problem={wrong ? 'Enter a number, 0 or larger.' : undefined}
          onInput={(text) => {
            setTyped(text);
            if (isPenalty(text)) setPenalty(Number(text));
          }}
        />
        <Button
          disabledReason={isOwn ? 'This is the study’s own penalty.' : undefined}
          onClick={() => {
            onOwn();
            slide(own.penalty);
          }}
        >
          Back to the study’s penalty
        </Button>
      </div>
      <ExploredModel shown={shown} response={response} explored={explored} />
    </>
  );
}

/** The study's own penalty, on its own scale. */
function ownPenalty({ shown }: SectionProps): At {
  const { report } = shown.resolution;
  if (report.lasso !== undefined) {
    return { kind: 'lasso', penalty: report.lasso.lambda, scale: 'raw' };
  }
  return { kind: 'ridge', penalty: report.ridge?.value ?? 0, scale: shown.linear?.scale ?? 'raw' };
}

function seriesOf(
  { terms, points, scales: sds }: Path,
  { least, most }: PenaltySlider,
  names: TermTexts,
) {
  const near = points.filter(
    ({ penalty }) => penalty === 0 || (penalty >= least && penalty <= most),
  );
  return terms.map((name, k) => ({
    name: shortText(names, name),
    points: near.map(({ penalty, coefficients }) => [penalty, coefficients[k] * sds[k]] as const),
  }));
}

function isPenalty(text: string): boolean {
  const value = Number(text);
  return text.trim() !== '' && Number.isFinite(value) && value >= 0;
}
