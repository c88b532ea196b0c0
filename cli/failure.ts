import { type ExitCode, exitCode } from './exit-code.ts';

/** An RFC 9457 problem as the API sends it. */
export type Problem = {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly errors: readonly { readonly pointer: string; readonly message: string }[];
  readonly requestId: string | null;
};

/**
 * Everything a user did or met that ends a command early: one sentence of what happened, one of
 * what to do about it. Anything else that is thrown is a defect of the program and is shown as
 * such.
 */
export class Failure extends Error {
  readonly code: ExitCode;
  readonly remedy: string | null;
  /** What the API said, when it refused. */
  readonly problem: Problem | null;

  constructor(
    code: ExitCode,
    sentence: string,
    remedy: string | null = null,
    problem: Problem | null = null,
  ) {
    super(sentence);
    this.name = 'Failure';
    this.code = code;
    this.remedy = remedy;
    this.problem = problem;
  }
}

export function usage(sentence: string, remedy: string | null = null): Failure {
  return new Failure(exitCode.usage, sentence, remedy);
}

/**
 * What a program reads on the last line of stderr when it asked for JSON. `code` is that of the
 * API, or the name of the exit code.
 */
export function failureRecord(failure: Failure) {
  const { code: exit, message, remedy, problem } = failure;
  const name = Object.entries(exitCode).find(([, code]) => code === exit)?.[0] ?? 'failure';
  return {
    error: {
      code: problem?.code || kebab(name),
      ...{ message, remedy, exitCode: exit },
      status: problem?.status ?? null,
      errors: problem?.errors ?? [],
      requestId: problem?.requestId ?? null,
    },
  };
}

const kebab = (name: string): string => name.replace(/[A-Z]/g, (it) => `-${it.toLowerCase()}`);

/** The two or three lines on stderr. */
export function describeFailure(failure: Failure): string {
  const lines = [`edgewise: ${failure.message}`];
  if (failure.remedy !== null) lines.push(`  ${failure.remedy}`);
  return `${lines.join('\n')}\n`;
}
