/** A place that decides by the name of a fusion, or by whether a study is private. */
export interface Knowledge {
  readonly line: number;
  readonly form: string;
  readonly text: string;
}

const names = "'(?:ridge|glm|fisher|average|fesc)'";
/** Something called study or agreed at the end of a path: `study`, `agreed.study`, `result.resolution.study`. */
const aStudy = String.raw`[\w.?!]*\b(?:study|agreed|agreement)\b(?:\.study\b)?(?!\s*[.?!(\w])`;
const aFusion = String.raw`[\w.?!]*\bfusion\b(?!\s*[.?!(\w])`;

/** What code outside study/, fusion/ and privacy/ may not say: it asks the method. */
const forms: Readonly<Record<string, RegExp>> = {
  'fusion.kind': /\bfusion\s*[?!]*(?:\.\s*kind\b|\.?\[\s*'kind'\s*\])/g,
  // `fusion: { kind: 'ridge' }` writes a study, and is allowed: its kind is followed by a string.
  '{ fusion: { kind } }': /\bfusion\s*:\s*\{[^{}]*\bkind\s*(?:[,}]|:\s*\w+\s*[,}])/g,
  '{ kind } = fusion': new RegExp(String.raw`\{[^{}]*\bkind\b[^{}]*\}\s*=\s*${aFusion}`, 'g'),
  '{ kind }: Fusion': /\{[^{}]*\bkind\b[^{}]*\}\s*:\s*(?:\w*Fusion\b(?!\[)|Study\['fusion'\])/g,
  "kind === 'ridge'": new RegExp(
    String.raw`\bkind\b\s*[=!]==?\s*${names}|${names}\s*[=!]==?\s*[\w.?!]*\bkind\b|\bcase\s+${names}\s*:`,
    'g',
  ),
  // `isFisher` is what commit 54a254b called it.
  'isGlm(fusion)': /\bis(?:Glm|Fisher)\s*\(/g,
  'study.privacy': /\bstudy\s*[?!]*(?:\.\s*privacy\b|\.?\[\s*'privacy'\s*\])/g,
  "'privacy' in study": new RegExp(String.raw`'privacy'\s+in\s+${aStudy}`, 'g'),
  // `{ study: { ...study, privacy } }` writes a study, and is allowed: a spread comes first.
  '{ study: { privacy } }':
    /\bstudy\s*:\s*\{(?:(?!\.\.\.)[^{}:])*\bprivacy\s*(?=[,}=]|:\s*\w+\s*[,}])/g,
  '{ privacy } = study': new RegExp(String.raw`\{[^{}]*\bprivacy\b[^{}]*\}\s*=\s*${aStudy}`, 'g'),
  '{ privacy }: Study':
    /\{[^{}]*\bprivacy\b[^{}]*\}\s*:\s*(?:Study\b(?!\[)|(?:Pick|Omit)<Study\b)/g,
};

/** Kinds that are no fusion's, though one has the same name. */
const otherKinds: Readonly<Record<string, string>> = {
  'src/analysis/path.ts': 'a path goes along the ridge or the lasso',
  'src/export/report-figures.ts': 'a path goes along the ridge or the lasso',
  'src/model/estimate-text.ts': 'the public report says how its estimates were averaged',
  'web/worker/exploration.ts': 'a path goes along the ridge or the lasso',
  'web/worker/planned-terms.ts': 'a form is made a study',
  'web/pages/create/method-card.tsx': 'a form has methods of its own',
  'web/pages/result/exploration.tsx': 'a path goes along the ridge or the lasso',
  'web/pages/result/explored-model.tsx': 'a path goes along the ridge or the lasso',
};

/** Finds what may not be said, line by line; comments do not count. */
export function forbiddenKnowledge(source: string, file = ''): Knowledge[] {
  const code = withoutComments(source);
  const lines = source.split('\n');
  return Object.entries(forms)
    .filter(([form]) => form !== "kind === 'ridge'" || otherKinds[file] === undefined)
    .flatMap(([form, pattern]) =>
      Array.from(code.matchAll(pattern), ({ index, 0: found }) => {
        // A pattern over several lines is told by its last.
        const line = code.slice(0, index + found.length).split('\n').length;
        return { line, form, text: lines[line - 1].trim() };
      }),
    )
    .sort((a, b) => a.line - b.line);
}

/** Code with its comments blanked, so that lines keep their numbers. */
export function withoutComments(source: string): string {
  const comment = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm;
  return source.replaceAll(comment, (text) => text.replaceAll(/[^\n]/g, ' '));
}
