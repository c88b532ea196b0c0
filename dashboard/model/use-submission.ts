import { useRef, useState } from 'preact/hooks';
import type { Dryrun, Job } from '../../core/contract/resources.ts';
import type { Problem } from '../api/problem.ts';
import { useClient } from '../live/use-live.ts';
import { go } from '../route/navigation.tsx';
import type { Body, Read } from './submit-fields.ts';

/**
 * Dry runs and the submission of one body. The idempotency key belongs to the body: pressing twice,
 * or again after a lost answer, makes one job.
 */
export type Submission = {
  readonly busy: 'plan' | 'submit' | null;
  readonly problem: Problem | null;
  readonly wrong: { readonly field: string; readonly sentence: string } | null;
  readonly planned: Dryrun | null;
  plan(): Promise<void>;
  submit(): Promise<void>;
};

export function useSubmission(body: Read<Body>): Submission {
  const client = useClient();
  const [busy, setBusy] = useState<Submission['busy']>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [wrong, setWrong] = useState<Submission['wrong']>(null);
  const [planned, setPlanned] = useState<Dryrun | null>(null);
  const key = useRef({ body: '', key: '' });

  const begin = (what: 'plan' | 'submit'): Body | null => {
    setProblem(null);
    setWrong(body.ok ? null : body);
    if (!body.ok) return null;
    setBusy(what);
    return body.value;
  };

  return {
    busy,
    problem,
    wrong,
    planned,
    async plan() {
      const ready = begin('plan');
      if (ready === null) return;
      setPlanned(null);
      const answer = await client.send<Dryrun>('POST', '/v1/plan', ready);
      setBusy(null);
      if (answer.ok) setPlanned(answer.value);
      else setProblem(answer.problem);
    },
    async submit() {
      const ready = begin('submit');
      if (ready === null) return;
      const written = JSON.stringify(ready);
      if (key.current.body !== written) key.current = { body: written, key: crypto.randomUUID() };
      const answer = await client.send<Job>('POST', '/v1/jobs', ready, key.current.key);
      setBusy(null);
      if (answer.ok) go({ page: 'job', id: answer.value.id });
      else setProblem(answer.problem);
    },
  };
}
