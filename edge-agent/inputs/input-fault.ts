/**
 * Why inputs of a job are not here. None of these is the fault of what a user wanted to run, so
 * none uses up an attempt: the edge says so, and others may be asked.
 */
export type InputFaultKind =
  | 'input-missing'
  | 'input-corrupt'
  | 'input-unreachable'
  | 'no-free-disk';

export class InputFault extends Error {
  readonly kind: InputFaultKind;

  constructor(kind: InputFaultKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
