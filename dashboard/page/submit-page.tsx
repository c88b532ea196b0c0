import { useEffect, useRef, useState } from 'preact/hooks';
import type { Problem } from '../api/problem.ts';
import type { Dryrun, Job } from '../api/resources.ts';
import { useClient } from '../live/use-live.ts';
import { go } from '../route/navigation.tsx';
import { DryrunResult } from '../view/dryrun-result.tsx';
import { ProblemNotice } from '../view/notice.tsx';
import { ScrollText } from '../view/scroll-box.tsx';
import {
  type Body,
  bodyOf,
  bodyOfSpec,
  bodyOfText,
  emptyFields,
  type Read,
  type SubmitFields,
} from '../view/submit-fields.ts';
import { SubmitForm } from '../view/submit-form.tsx';

/**
 * Submits a job, by form or as JSON, after as many dry runs as one likes. The idempotency key belongs to the body:
 * pressing twice, or again after a lost answer, makes one job.
 */
export function SubmitPage({ like }: { like: string }) {
  const client = useClient();
  const [fields, setFields] = useState<SubmitFields>(emptyFields);
  const [text, setText] = useState<string | null>(null);
  const [busy, setBusy] = useState<'plan' | 'submit' | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [wrong, setWrong] = useState<{ field: string; sentence: string } | null>(null);
  const [planned, setPlanned] = useState<Dryrun | null>(null);
  const key = useRef({ body: '', key: '' });

  useEffect(() => {
    if (like === '') return;
    void client.read<Job>(`/v1/jobs/${encodeURIComponent(like)}`).then((answer) => {
      if (answer.ok) setText(JSON.stringify(bodyOfSpec(answer.value.spec), null, 2));
      else setProblem(answer.problem);
    });
  }, [like]);

  const body: Read<Body> = text === null ? bodyOf(fields) : bodyOfText(text);
  const readBody = (): Body | null => {
    setProblem(null);
    setWrong(body.ok ? null : body);
    return body.ok ? body.value : null;
  };

  async function plan(): Promise<void> {
    const ready = readBody();
    if (ready === null) return;
    setBusy('plan');
    setPlanned(null);
    const answer = await client.send<Dryrun>('POST', '/v1/plan', ready);
    setBusy(null);
    if (answer.ok) setPlanned(answer.value);
    else setProblem(answer.problem);
  }

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    const ready = readBody();
    if (ready === null) return;
    const written = JSON.stringify(ready);
    if (key.current.body !== written) key.current = { body: written, key: crypto.randomUUID() };
    setBusy('submit');
    const answer = await client.send<Job>('POST', '/v1/jobs', ready, key.current.key);
    setBusy(null);
    if (answer.ok) go({ page: 'job', id: answer.value.id });
    else setProblem(answer.problem);
  }

  const preview = body.ok ? JSON.stringify(body.value, null, 2) : '';
  return (
    <form class="submit" onSubmit={submit} noValidate>
      <div class="panel">
        <div class="panel-head">
          <h1>Submit a job</h1>
          <fieldset class="switch">
            <legend class="hidden">How to write the job</legend>
            <button type="button" aria-pressed={text === null} onClick={() => setText(null)}>
              form
            </button>
            <button type="button" aria-pressed={text !== null} onClick={() => setText(preview)}>
              JSON
            </button>
          </fieldset>
        </div>
        {text === null ? (
          <SubmitForm fields={fields} wrong={wrong} onChange={setFields} />
        ) : (
          <label class="field">
            Job
            <textarea
              class="code"
              rows={20}
              spellcheck={false}
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          </label>
        )}
      </div>
      <div class="submit-side">
        <section class="panel">
          {wrong !== null && (
            <p class="bad" role="alert">
              {wrong.sentence}
            </p>
          )}
          {problem !== null && <ProblemNotice problem={problem} />}
          <div class="buttons">
            <button type="button" disabled={busy !== null} onClick={() => void plan()}>
              {busy === 'plan' ? 'Asking …' : 'Dry run'}
            </button>
            <button type="submit" class="primary" disabled={busy !== null}>
              {busy === 'submit' ? 'Submitting …' : 'Submit'}
            </button>
          </div>
          <p class="soft">A dry run says where the job would go now, and stores nothing.</p>
        </section>
        {planned !== null && <DryrunResult plan={planned} />}
        {text === null && body.ok && (
          <section class="panel" aria-labelledby="request-title">
            <h2 id="request-title">The request</h2>
            <ScrollText label="The request body">{`POST /v1/jobs\n${preview}`}</ScrollText>
          </section>
        )}
      </div>
    </form>
  );
}
