import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Where the clients in other languages are. */
export const clients: string = fileURLToPath(new URL('../examples/clients/', import.meta.url));

/** Runs a program of another language; throws with what it printed where it fails. */
export type Interpreter = (args: readonly string[], input?: string) => string;

/** What the programs see of the environment: the clients to import from, and no files left there. */
export const interpreterEnvironment: NodeJS.ProcessEnv = {
  ...process.env,
  PYTHONPATH: clients,
  PYTHONDONTWRITEBYTECODE: '1',
  PYTHONIOENCODING: 'utf-8',
};

/** The first of these commands that runs here; a notice where none does. */
function found(name: string, commands: readonly string[]): string | undefined {
  const command = commands.find((one) => spawnSync(one, ['--version']).status === 0);
  if (command === undefined) {
    console.warn(`${name} is not installed: its part of docs/protocol.md is not tried here`);
  }
  return command;
}

function interpreter(command: string | undefined): Interpreter | undefined {
  if (command === undefined) return undefined;
  return (args, input = '') => {
    const { status, stdout, stderr } = spawnSync(command, args, {
      input,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      env: interpreterEnvironment,
    });
    if (status !== 0) throw new Error(`${command} ended with ${status}: ${stderr}`);
    return stdout;
  };
}

export const pythonCommand: string | undefined = found('Python', ['python3', '/usr/bin/python3']);
export const python: Interpreter | undefined = interpreter(pythonCommand);
export const rscript: Interpreter | undefined = interpreter(found('R', ['Rscript']));

/** Runs Python code that reads JSON from stdin and prints JSON. */
export function runPython(code: string, input: unknown): unknown {
  return JSON.parse(python!(['-c', code], JSON.stringify(input)));
}
