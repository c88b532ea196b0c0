import { parse } from 'yaml';
import { exitCode } from '../exit-code.ts';
import { Failure, usage } from '../failure.ts';
import { fileBytesMax } from '../limits.ts';
import type { Terminal } from '../terminal.ts';

/**
 * A file the user wrote, YAML or JSON (which is YAML too), `-` for stdin. Its fields are checked by
 * the API, not here.
 */
export async function readSpecText(terminal: Terminal, path: string): Promise<string> {
  let text: string;
  try {
    text = await terminal.read(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const why = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code ?? error})`;
    throw new Failure(
      exitCode.usage,
      `${subjectOf(path)} ${why}.`,
      'Give its path to --file, or "-" for stdin.',
    );
  }
  if (Buffer.byteLength(text) > fileBytesMax) {
    throw usage(`${subjectOf(path)} is larger than ${fileBytesMax} bytes.`);
  }
  return text;
}

export async function readSpecFile(
  terminal: Terminal,
  path: string,
): Promise<Record<string, unknown>> {
  const text = await readSpecText(terminal, path);
  let value: unknown;
  try {
    value = parse(text, { maxAliasCount: 100 });
  } catch (error) {
    const [first] = (error as Error).message.split('\n');
    throw usage(`${subjectOf(path)} is neither YAML nor JSON.`, first ?? null);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw usage(`${subjectOf(path)} holds no object.`, 'Write fields like "power: 500".');
  }
  return value as Record<string, unknown>;
}

function subjectOf(path: string): string {
  return path === '-' ? 'Standard input' : `The file ${path}`;
}
