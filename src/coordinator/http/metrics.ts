/** Metrics in the Prometheus text format 0.0.4. */
export interface Metrics {
  /** Adds to a counter or a gauge; for a gauge the amount may be negative. */
  add(name: MetricName, labels: Labels, amount?: number): void;
  /** Adds a duration to the histogram. */
  observe(labels: Labels, seconds: number): void;
  /** All metrics so far, and the given gauges. */
  text(gauges: Readonly<Record<string, number>>): string;
}

export type Labels = Readonly<Record<string, string>>;

const help = {
  suffice_requests_total: ['counter', 'Requests by route and status'],
  suffice_request_bytes_total: ['counter', 'Bytes received, headers included'],
  suffice_response_bytes_total: ['counter', 'Bytes sent, headers included'],
  suffice_contributions_total: ['counter', 'Contributions by outcome'],
  suffice_rate_limited_total: ['counter', 'Requests refused for coming too fast'],
  suffice_event_streams: ['gauge', 'Clients that watch a study now'],
} as const;

export type MetricName = keyof typeof help;

const DURATION = 'suffice_request_duration_seconds';
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

interface Histogram {
  readonly labels: Labels;
  readonly counts: number[];
  sum: number;
  count: number;
}

export function createMetrics(): Metrics {
  const values = new Map<MetricName, Map<string, number>>();
  const histograms = new Map<string, Histogram>();
  return {
    add(name, labels, amount = 1) {
      const series = values.get(name) ?? new Map<string, number>();
      values.set(name, series);
      const key = labelText(labels);
      series.set(key, (series.get(key) ?? 0) + amount);
    },
    observe(labels, seconds) {
      const key = labelText(labels);
      const own = histograms.get(key) ?? { labels, counts: BOUNDS.map(() => 0), sum: 0, count: 0 };
      histograms.set(key, own);
      for (const [k, bound] of BOUNDS.entries()) if (seconds <= bound) own.counts[k]++;
      own.sum += seconds;
      own.count++;
    },
    text(gauges) {
      const lines: string[] = [];
      for (const [name, [kind, text]] of Object.entries(help)) {
        lines.push(`# HELP ${name} ${text}`, `# TYPE ${name} ${kind}`);
        for (const [key, value] of values.get(name as MetricName) ?? []) {
          lines.push(`${name}${key} ${value}`);
        }
      }
      lines.push(`# HELP ${DURATION} Time to the answer`, `# TYPE ${DURATION} histogram`);
      for (const histogram of histograms.values()) lines.push(...histogramLines(histogram));
      for (const [name, value] of Object.entries(gauges)) {
        const gauge = `suffice_${name.replaceAll(/[^A-Za-z0-9_]/g, '_')}`;
        lines.push(`# TYPE ${gauge} gauge`, `${gauge} ${value}`);
      }
      return `${lines.join('\n')}\n`;
    },
  };
}

function histogramLines({ labels, counts, sum, count }: Histogram): string[] {
  const own = labelText(labels);
  return [
    ...BOUNDS.map(
      (bound, k) => `${DURATION}_bucket${labelText({ ...labels, le: String(bound) })} ${counts[k]}`,
    ),
    `${DURATION}_bucket${labelText({ ...labels, le: '+Inf' })} ${count}`,
    `${DURATION}_sum${own} ${sum}`,
    `${DURATION}_count${own} ${count}`,
  ];
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replaceAll(/["\\\n]/g, '_')}"`,
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
