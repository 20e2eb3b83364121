import { escapeHtml } from '../text/html-text.ts';

/** A self-contained page: no script, no request. */
export function htmlPage({
  title,
  style,
  body,
  head = [],
}: {
  readonly title: string;
  readonly style: string;
  /** Empty parts are left out. */
  readonly body: readonly string[];
  /** Further elements of the head. */
  readonly head?: readonly string[];
}): string {
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    ...head,
    `<title>${escapeHtml(title)}</title>`,
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    '<main>',
    ...body.filter((part) => part !== ''),
    '</main>',
    '</body>',
    '</html>',
    '',
  ].join('\n');
}
