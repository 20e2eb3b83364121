import type { Plugin, Rolldown } from 'vite';

/** Moves CommonJS chunks into scripts, `NAME.script` beside `NAME.js`: V8 keeps compiled code of scripts, not of modules. */
export function asScripts(
  loader: string,
  isScript: (chunk: Rolldown.OutputChunk) => boolean,
): Plugin {
  return {
    name: 'as-scripts',
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk' || !isScript(chunk)) continue;
        if (/\bimport\(/.test(chunk.code))
          throw new Error(`${chunk.fileName}: a script has no import()`);
        const fileName = chunk.fileName.replace(/js$/, 'script');
        const source = `(function(exports,require,module,__filename,__dirname){${ascii(chunk.code)}\n})`;
        this.emitFile({ type: 'asset', fileName, source });
        chunk.code = `require("./${loader}").runCompiled(module,require);\n`;
      }
    },
  };
}

/** Text of one byte a character is read faster. */
function ascii(text: string): string {
  return text.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
