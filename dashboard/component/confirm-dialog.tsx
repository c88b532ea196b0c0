import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Problem } from '../api/problem.ts';
import { ProblemNotice } from './notice.tsx';

/**
 * Asks before something is done: a modal dialog of the browser, so Escape, focus and the backdrop
 * work as everywhere. States: open → busy → closed, or back to open with the problem shown.
 */
export type ConfirmDialogProps = {
  readonly title: string;
  readonly confirm: string;
  readonly danger?: boolean;
  readonly children?: ComponentChildren;
  readonly onConfirm: (fields: FormData) => Promise<Problem | null>;
  readonly onClose: () => void;
};

export function ConfirmDialog(props: ConfirmDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => dialog.current?.showModal(), []);

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    const answer = await props.onConfirm(new FormData(event.target as HTMLFormElement));
    setBusy(false);
    if (answer === null) props.onClose();
    else setProblem(answer);
  }

  return (
    <dialog
      ref={dialog}
      class="confirm-dialog"
      aria-labelledby="confirm-dialog-title"
      onClose={props.onClose}
    >
      <form onSubmit={submit}>
        <h2 id="confirm-dialog-title">{props.title}</h2>
        {props.children}
        {problem !== null && <ProblemNotice problem={problem} />}
        <div class="buttons">
          <button type="button" onClick={props.onClose}>
            Back
          </button>
          <button type="submit" class={props.danger ? 'danger' : 'primary'} disabled={busy}>
            {busy ? 'One moment …' : props.confirm}
          </button>
        </div>
      </form>
    </dialog>
  );
}
