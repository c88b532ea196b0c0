import type { Api } from '../../client/api.ts';
import { readSpecFile, readSpecFiles } from '../../input/spec-file.ts';
import type { Terminal } from '../../terminal.ts';
import { buildJob, type JobBody, type JobFlagValues } from './job-flags.ts';
import { findJobId } from './job-reference.ts';
import { isTaskList, jobsOfTasks } from './task-list.ts';

/** As many as its file has documents, or commands in a list, each with the same flags. */
export async function readJobs(
  client: Api,
  terminal: Terminal,
  flags: JobFlagValues,
  rest: readonly string[] | null,
): Promise<readonly JobBody[]> {
  if (flags.file === undefined) return [await readJob(client, terminal, flags, rest)];
  const read = await readSpecFiles(terminal, flags.file);
  const files = read.flatMap((file) => (isTaskList(file) ? jobsOfTasks(file) : [file]));
  const after = await Promise.all(flags.after.map((job) => findJobId(client, job)));
  return files.map((file) => buildJob({ ...flags, after }, rest, file));
}

/** The job that a command describes: its file, then its flags, then the program after `--`. */
export async function readJob(
  client: Api,
  terminal: Terminal,
  flags: JobFlagValues,
  rest: readonly string[] | null,
): Promise<JobBody> {
  const file = flags.file === undefined ? {} : await readSpecFile(terminal, flags.file);
  const after = await Promise.all(flags.after.map((job) => findJobId(client, job)));
  return buildJob({ ...flags, after }, rest, file);
}
