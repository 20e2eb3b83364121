import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What a module says of a name that it exports. */
export interface Declaration {
  /** Its doc comment as one paragraph; empty where it has none. */
  readonly comment: string;
  /** Its type, without a body. */
  readonly signature: string;
}

/** Finds an exported name in a formatted module, or in the module that it comes from. */
export function declarationOf(source: string, module: string, name: string): Declaration {
  const text = readFileSync(join(source, module), 'utf8');
  const found = new RegExp(
    `^export (?:async )?(function|interface|type|class|const) ${name}\\b`,
    'm',
  ).exec(text);
  if (found === null) return declarationOf(source, originOf(module, text, name), name);
  const rest = text.slice(found.index + 'export '.length);
  return {
    comment: commentBefore(text.slice(0, found.index)),
    signature: signatures[found[1]](rest),
  };
}

/** The module that a name is passed on from. */
function originOf(module: string, text: string, name: string): string {
  const passed = Array.from(text.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)';/gm)).find(
    ([, names]) => new RegExp(`\\b${name}\\b`).test(names),
  );
  if (passed === undefined) throw new Error(`${module} does not declare ${name}`);
  return join(dirname(module), passed[2]);
}

function commentBefore(text: string): string {
  const found = /\/\*\*((?:(?!\*\/).)*)\*\/\s*$/s.exec(text.replace(/(?:^\/\/.*\n)+$/m, ''));
  if (found === null) return '';
  return found[1]
    .replace(/\n\s*\* ?/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

const signatures: Readonly<Record<string, (text: string) => string>> = {
  // The body opens at the first brace that ends a line behind the parameters.
  function: (text) => `${text.slice(0, bodyOf(text)).trimEnd()};`,
  interface: (text) => text.slice(0, endOf(text, /^\}|\{\}$/m)),
  type: (text) => text.slice(0, endOf(text, /;$(?!\n[ |&}])/m)),
  const: (text) => `${text.slice(0, text.search(/ =\s/))};`,
  class: (text) => classSignature(text.slice(0, endOf(text, /^\}/m))),
};

function endOf(text: string, pattern: RegExp): number {
  const found = pattern.exec(text);
  if (found === null) throw new Error(`no end of ${text.slice(0, 40)}`);
  return found.index + found[0].length;
}

function bodyOf(text: string): number {
  let depth = 0;
  for (let k = text.indexOf('('); k < text.length; k++) {
    if ('([{'.includes(text[k])) depth++;
    if (')]}'.includes(text[k])) depth--;
    if (depth === 0) return k + text.slice(k).search(/ \{\n/);
  }
  throw new Error(`no body of ${text.slice(0, 40)}`);
}

/** The heading, the fields and the heads of the methods. */
function classSignature(text: string): string {
  const [heading, ...lines] = text.split('\n');
  const kept: string[] = [];
  let inBody = false;
  for (const line of lines.slice(0, -1)) {
    if (inBody) {
      inBody = line !== '  }';
      continue;
    }
    const opens =
      /^ {2}(?!private|#)\S.*\{$|^ {2}\).*\{$/.test(line) && !line.trim().startsWith('*');
    inBody = opens;
    kept.push(opens ? line.replace(/ \{$/, ';') : line);
  }
  const body = kept
    .join('\n')
    .replace(/\n{2,}/g, '\n')
    .replace(/\n+$/, '');
  return `${heading}\n${body}\n}`;
}
