import type { Problem } from './api.generated.ts';

/** What the API refused, and why. `code` is stable, the message is for people. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly errors: readonly { readonly pointer: string; readonly message: string }[];
  readonly requestId: string | null;

  constructor(status: number, problem: Partial<Problem>) {
    super(problem.detail ?? problem.title ?? `The API answered ${status}.`);
    this.name = 'Refusal';
    this.status = status;
    this.code = problem.code ?? `http-${status}`;
    this.errors = problem.errors ?? [];
    this.requestId = problem.requestId ?? null;
  }
}

/** A body that is no problem document still makes a refusal. */
export function refusalOf(status: number, text: string): Refusal {
  try {
    const body: unknown = JSON.parse(text);
    return new Refusal(status, typeof body === 'object' && body !== null ? body : {});
  } catch {
    return new Refusal(status, {});
  }
}
