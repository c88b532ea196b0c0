import { dirname, resolve } from 'node:path';
import { stagedBytesMax } from '../../core/files/limits.ts';
import { isRecord } from '../../core/protocol/json.ts';
import type { Api } from '../client/api.ts';
import { usage } from '../failure.ts';
import { type FileSource, type LocalInput, readLocalInput } from '../files/local-input.ts';
import { uploadFiles } from '../files/upload-files.ts';
import { documentOf } from '../input/spec-file.ts';
import type { Terminal } from '../terminal.ts';

type Staged = Record<string, Omit<LocalInput['input'], 'path'>>;

/**
 * Sends what the steps `stage` of a jobspec name, files and directories of this machine, and says
 * what was stored for each. `null`: it stages nothing.
 */
export async function stageFiles(
  api: Api,
  terminal: Terminal,
  document: unknown,
  pool: string | undefined,
): Promise<Staged | null> {
  const paths = [...new Set(pathsIn(jobspecIn(document)))];
  if (paths.length === 0) return null;
  const staged = new Map<string, Staged[string]>();
  const sources: FileSource[] = [];
  for (const path of paths) {
    const file = resolve(terminal.directory, path);
    const { input, sources: own } = await readLocalInput(`stage=${file}`, dirname(file));
    const { path: _stage, ...stored } = input;
    staged.set(path, stored);
    sources.push(...own);
  }
  const bytes = sources.reduce((sum, source) => sum + source.bytes, 0);
  if (bytes > stagedBytesMax) {
    const most = `${stagedBytesMax / 1024 / 1024} MB`;
    throw usage(`What the jobspec stages has more than ${most}.`, 'Put it where tasks fetch it.');
  }
  await uploadFiles(api, terminal, sources, pool);
  return Object.fromEntries(staged);
}

function jobspecIn(document: unknown): unknown {
  if (!isRecord(document) || !('jobspec' in document)) return document;
  const { jobspec } = document;
  return typeof jobspec === 'string' ? documentOf(jobspec, 'jobspec') : jobspec;
}

/** Whatever else is wrong with it, the API says. */
function pathsIn(part: unknown): readonly string[] {
  if (!isRecord(part)) return [];
  const own = listIn(part, 'steps').flatMap((step) =>
    isRecord(step) && step.name === 'stage' && typeof step.path === 'string' ? [step.path] : [],
  );
  const inner = [...listIn(part, 'tasks'), ...listIn(part, 'groups')].flatMap(pathsIn);
  return [...own, ...inner];
}

function listIn(part: Readonly<Record<string, unknown>>, name: string): readonly unknown[] {
  const found = part[name];
  return Array.isArray(found) ? found : [];
}
