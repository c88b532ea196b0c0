import { type ExitCode, exitCode } from '../exit-code.ts';
import { Failure, type Problem } from '../failure.ts';

/**
 * Reads the body of an answer that is an error; a body that is no problem document still gives a
 * sentence.
 */
export function readProblem(status: number, body: unknown): Problem {
  const fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  const text = (name: string): string => (typeof fields[name] === 'string' ? fields[name] : '');
  const errors = Array.isArray(fields.errors) ? fields.errors : [];
  return {
    status,
    code: text('code'),
    title: text('title'),
    detail: text('detail') || text('message'),
    errors: errors.flatMap((error: unknown) => {
      const entry = error as { pointer?: unknown; message?: unknown };
      return typeof entry?.message === 'string'
        ? [{ pointer: String(entry.pointer ?? ''), message: entry.message }]
        : [];
    }),
    requestId: text('requestId') || null,
  };
}

export function failureOfProblem(problem: Problem, asked: string, hasToken = true): Failure {
  const sentence = sentenceOf(problem, hasToken);
  // What the sentence says already is not said again.
  const unsaid = problem.errors.filter((error) => !sentence.includes(error.message));
  const pointers = unsaid.map((error) => `${error.pointer || '/'}: ${error.message}`);
  const remedy = pointers.length > 0 ? pointers.join('\n  ') : remedyOf(problem, asked);
  return new Failure(codeOf(problem), endSentence(sentence), remedy, problem);
}

/** What the API says to a program about its header is no help to who typed a command. */
function sentenceOf({ status, detail, title }: Problem, hasToken: boolean): string {
  if (status !== 401) return detail || title || `The API answered ${status}.`;
  return hasToken
    ? 'The token is not accepted: it is wrong, expired or revoked'
    : 'No token is given';
}

function endSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function codeOf(problem: Problem): ExitCode {
  if (['unsatisfiable', 'unsupported-run'].includes(problem.code)) return exitCode.notPlaced;
  switch (problem.status) {
    case 401:
    case 403:
      return exitCode.notAuthorised;
    case 404:
      return exitCode.notFound;
    case 409:
    case 412:
      return exitCode.conflict;
    case 400:
    case 413:
    case 415:
      return exitCode.usage;
    case 422:
      return problem.code === 'idempotency-key-reused' ? exitCode.conflict : exitCode.usage;
    default:
      return exitCode.failure;
  }
}

function remedyOf(problem: Problem, asked: string): string | null {
  switch (problem.status) {
    case 401:
      return 'Give a valid token with --token, EDGEWISE_TOKEN or "edgewise config set".';
    case 403:
      return 'The token lacks the scope for this. One that has it: edgewise token create';
    case 412:
      return 'It was changed by somebody else meanwhile; look at it again and repeat.';
    case 429:
      return 'The API asks for less; try again in a moment.';
    default:
      return problem.status < 500
        ? null
        : `${asked}, request ${problem.requestId ?? 'without an id'}`;
  }
}
