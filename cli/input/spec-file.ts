import { parseAllDocuments } from 'yaml';
import { exitCode } from '../exit-code.ts';
import { Failure, usage } from '../failure.ts';
import { fileBytesMax } from '../limits.ts';
import type { Terminal } from '../terminal.ts';

/**
 * A file the user wrote, YAML or JSON (which is YAML too), `-` for stdin. Its fields are checked by
 * the API, not here.
 */
export async function readSpecText(
  terminal: Terminal,
  path: string,
  bytesMax = fileBytesMax,
): Promise<string> {
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
  if (Buffer.byteLength(text) > bytesMax) {
    throw usage(`${subjectOf(path)} is larger than ${bytesMax} bytes.`);
  }
  return text;
}

export async function readSpecFile(
  terminal: Terminal,
  path: string,
  bytesMax = fileBytesMax,
): Promise<Record<string, unknown>> {
  const documents = await readSpecFiles(terminal, path, bytesMax);
  const [only] = documents;
  if (only === undefined || documents.length > 1) {
    throw usage(`${subjectOf(path)} holds ${documents.length} documents.`, 'Give it one.');
  }
  return only;
}

/** What a text that was read holds, which is one document. */
export function documentOf(text: string, path: string): unknown {
  const documents = documentsOf(text, path);
  if (documents.length > 1) {
    throw usage(`${subjectOf(path)} holds ${documents.length} documents.`, 'Give it one.');
  }
  return documents[0] ?? null;
}

/** A file of one document or several, divided by lines of three hyphens. */
export async function readSpecFiles(
  terminal: Terminal,
  path: string,
  bytesMax = fileBytesMax,
): Promise<readonly Record<string, unknown>[]> {
  const text = await readSpecText(terminal, path, bytesMax);
  const documents = documentsOf(text, path);
  return (documents.length === 0 ? [null] : documents).map((value) => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
    throw usage(`${subjectOf(path)} holds no object.`, 'Write fields like "power: 500".');
  });
}

function documentsOf(text: string, path: string): readonly unknown[] {
  try {
    const documents = parseAllDocuments(text);
    return [...documents].map((document) => {
      const [error] = document.errors;
      if (error !== undefined) throw error;
      return document.toJS({ maxAliasCount: 100 });
    });
  } catch (error) {
    const [first] = (error as Error).message.split('\n');
    throw usage(`${subjectOf(path)} is neither YAML nor JSON.`, first ?? null);
  }
}

function subjectOf(path: string): string {
  return path === '-' ? 'Standard input' : `The file ${path}`;
}
