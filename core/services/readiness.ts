/**
 * When an instance is ready: when it has run for so long, or while what is asked of it answers. Its
 * agent asks, from its first moment on and again and again: it is ready with the first good answer,
 * and not any more after so many bad ones in a row.
 */
export type Readiness =
  | { readonly afterSeconds: number }
  | { readonly http: HttpProbe }
  | { readonly exec: ExecProbe };

export type ProbePace = {
  readonly everySeconds: number;
  /** An answer that takes longer is a bad one. */
  readonly timeoutSeconds: number;
  /** Bad answers in a row after which it is not ready any more. */
  readonly failures: number;
};

/** Good is an answer below 400; a redirection is not followed. */
export type HttpProbe = ProbePace & {
  /** The name of one of its ports. */
  readonly port: string;
  readonly path: string;
};

/** Good is the exit code 0, where the instance runs and as whom it runs. */
export type ExecProbe = ProbePace & { readonly argv: readonly string[] };

export type Probe = { readonly http: HttpProbe } | { readonly exec: ExecProbe };
