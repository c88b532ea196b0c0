import { type ExitCode, exitCode } from './exit-code.ts';

/**
 * Everything a user did or met that ends a command early: one sentence of what happened, one of
 * what to do about it. Anything else that is thrown is a defect of the program and is shown as
 * such.
 */
export class Failure extends Error {
  readonly code: ExitCode;
  readonly remedy: string | null;
  /** The HTTP status it came from, when the API refused. */
  readonly status: number | null;

  constructor(
    code: ExitCode,
    sentence: string,
    remedy: string | null = null,
    status: number | null = null,
  ) {
    super(sentence);
    this.name = 'Failure';
    this.code = code;
    this.remedy = remedy;
    this.status = status;
  }
}

export function usage(sentence: string, remedy: string | null = null): Failure {
  return new Failure(exitCode.usage, sentence, remedy);
}

/** The two or three lines on stderr. */
export function describeFailure(failure: Failure): string {
  const lines = [`edgewise: ${failure.message}`];
  if (failure.remedy !== null) lines.push(`  ${failure.remedy}`);
  return `${lines.join('\n')}\n`;
}
