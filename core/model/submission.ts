import type { Select } from '../contract/jobspec/envelope.ts';
import type { Placing } from '../contract/jobspec/job-bodies.ts';
import type { Staged } from '../contract/jobspec/stages.ts';
import type { JobId } from './names.ts';

/**
 * A jobspec that was accepted: its text as it was sent, where it went, and the jobs it becomes.
 * All of it is decided before it is stored; making the jobs is only carried out afterwards, and
 * whoever finds it open goes on with it. So there is never half of one. Where nobody has what it
 * needs, the place is decided later, and nothing is made before.
 */
export type Submission = {
  readonly id: JobId;
  readonly name: string | null;
  readonly pool: string;
  readonly queue: string;
  readonly createdAtMs: number;
  readonly createdBy: string;
  readonly text: string;
  /** `null`: nobody had what it needs. */
  readonly cluster: string | null;
  /** With the text it says what each job is: nothing of a job is decided later. */
  readonly placing: Placing;
  /** As it was answered: who was asked, and why it is this one. */
  readonly decision: unknown;
  /** What decided besides its text; an earlier version did not keep it. */
  readonly asked: AskedPlace | null;
  /** What was stored for the files that its tasks stage. */
  readonly staged: Staged;
  /** What its submitter calls it by; each of its jobs has these. */
  readonly labels: Readonly<Record<string, string>>;
  /** In an order in which each comes after those it waits for. */
  readonly jobs: readonly SubmittedJob[];
  /** Jobs that are not made, because what they wait for had ended badly before. */
  readonly impossible: readonly string[];
  /** Some of its jobs may still have to be made, or to be cancelled. */
  readonly isOpen: boolean;
  /** Nobody has what it needs, so none of its jobs is made; somebody is looked for again. */
  readonly waits: boolean;
  /** When its place was decided, or was last looked for. */
  readonly lookedAtMs: number;
  readonly cancelledAtMs: number | null;
  readonly version: number;
};

export type AskedPlace = {
  /** `null`: any of the pool. */
  readonly clusters: readonly string[] | null;
  readonly select: Select;
  readonly together: 'host' | 'pool';
  /** When the second of `a|b` is taken; an earlier version did not ask. */
  readonly fallback?: 'missing' | 'busy';
};

export type SubmittedJob = {
  /** The name of the task or of the group. */
  readonly unit: string;
  readonly id: JobId;
  readonly after: readonly string[];
};
