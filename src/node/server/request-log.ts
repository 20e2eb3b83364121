import type { RequestRecord } from '../../coordinator/http/app.ts';
import { defined } from '../../defined.ts';
import { byteText } from '../../text/number-text.ts';
import { createLogWriter, type LogSink } from './log-writer.ts';

export type LogForm = 'json' | 'text' | 'none';

export type LogLevel = 'info' | 'warn' | 'error';

/** The log of a coordinator: one line for each request or event, never a header, a value or a secret. */
export interface RequestLog {
  exchange(exchange: RequestRecord): void;
  event(level: LogLevel, event: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Waits for the last lines, before the process ends. */
  flush(): Promise<void>;
}

export function createRequestLog(
  form: LogForm,
  to: LogSink | ((line: string) => void) = process.stderr,
): RequestLog {
  const lineOf = (level: LogLevel, event: string, fields: object, text: string): string => {
    const at = new Date().toISOString();
    if (form === 'json') return `${JSON.stringify({ at, level, event, ...fields })}\n`;
    return `${at.slice(11, 19)} ${level === 'info' ? '' : `${level} `}${text}\n`;
  };
  const write =
    typeof to === 'function'
      ? to
      : createLogWriter(to, (lines) =>
          lineOf('warn', 'log-lines-lost', { lines }, `log-lines-lost ${lines}`),
        ).write;
  const line = (...parts: Parameters<typeof lineOf>): void => {
    if (form !== 'none') write(lineOf(...parts));
  };
  return {
    exchange({ method, route, status, milliseconds, traffic, study, refused, failure }) {
      const ms = Math.round(milliseconds * 10) / 10;
      const fields = {
        method,
        route,
        status,
        ms,
        ...(traffic === undefined ? {} : { bytesIn: traffic.up, bytesOut: traffic.down }),
        ...defined({ study, refused }),
        ...(failure === undefined ? {} : failureFields(failure)),
      };
      const size =
        traffic === undefined ? '' : `  ↑ ${byteText(traffic.up)} ↓ ${byteText(traffic.down)}`;
      const level = status >= 500 ? 'error' : status === 429 ? 'warn' : 'info';
      line(
        level,
        'request',
        fields,
        `${method.padEnd(6)} ${route}  ${status}  ${ms} ms${size}${study === undefined ? '' : `  ${study}`}`,
      );
    },
    flush: async () => {
      if (typeof to !== 'function') await to.flush?.();
    },
    event(level, event, fields = {}) {
      line(level, event, fields, `${event} ${Object.values(fields).join(' ')}`.trimEnd());
    },
  };
}

/** Kind and place of a failure, without its message, which may quote a value. */
export function failureFields(failure: unknown): { error: string; where?: readonly string[] } {
  if (!(failure instanceof Error)) return { error: typeof failure };
  const code = 'code' in failure ? ` ${String(failure.code)}` : '';
  const frames = (failure.stack ?? '').split('\n').filter((text) => /^\s+at /.test(text));
  const where = frames.slice(0, 4).map((text) => text.trim());
  return { error: `${failure.name}${code}`, ...(where.length > 0 ? { where } : {}) };
}
