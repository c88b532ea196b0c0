import { useEffect, useState } from 'preact/hooks';
import type { Job } from '../../core/contract/resources.ts';
import { DryrunResult } from '../component/job/dryrun-result.tsx';
import { SubmitForm } from '../component/job/submit-form.tsx';
import { FeedNotice, ProblemNotice } from '../component/notice.tsx';
import { ScrollText } from '../component/scroll-box.tsx';
import { useResource } from '../live/use-live.ts';
import {
  bodyOf,
  bodyOfSpec,
  bodyOfText,
  emptyFields,
  type SubmitFields,
} from '../model/submit-fields.ts';
import { type Submission, useSubmission } from '../model/use-submission.ts';

/** How often a job is asked for that another one is to be like; until it is there. */
const modelEveryMs = 5_000;

/**
 * Submits a job, by form or as JSON, after as many dry runs as one likes; or one like a job that
 * was.
 */
export function SubmitPage({ like }: { like: string }) {
  const modelPath = like === '' ? null : `/v1/jobs/${encodeURIComponent(like)}`;
  const model = useResource<Job>(modelPath, modelEveryMs, true);
  const [fields, setFields] = useState<SubmitFields>(emptyFields);
  const [text, setText] = useState<string | null>(null);
  const body = text === null ? bodyOf(fields) : bodyOfText(text);
  const submission = useSubmission(body);
  const preview = body.ok ? JSON.stringify(body.value, null, 2) : '';

  useEffect(() => {
    const { value } = model;
    if (value !== null) setText(JSON.stringify(bodyOfSpec(value.spec), null, 2));
  }, [model.value]);

  const submit = (event: Event) => {
    event.preventDefault();
    void submission.submit();
  };
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
        {modelPath !== null && <FeedNotice live={model} what="the job" />}
        {text === null ? (
          <SubmitForm fields={fields} wrong={submission.wrong} onChange={setFields} />
        ) : (
          <JsonField text={text} onText={setText} />
        )}
      </div>
      <SubmitSide submission={submission} request={text === null ? preview : ''} />
    </form>
  );
}

function JsonField({ text, onText }: { text: string; onText: (text: string) => void }) {
  return (
    <label class="field">
      Job
      <textarea
        class="code"
        rows={20}
        spellcheck={false}
        value={text}
        onInput={(event) => onText(event.currentTarget.value)}
      />
    </label>
  );
}

function SubmitSide({ submission, request }: { submission: Submission; request: string }) {
  const { busy, problem, wrong, planned, plan } = submission;
  return (
    <div class="submit-side">
      <section class="panel" aria-label="Submit">
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
      {request !== '' && (
        <section class="panel" aria-labelledby="request-title">
          <h2 id="request-title">The request</h2>
          <ScrollText label="The request body">{`POST /v1/jobs\n${request}`}</ScrollText>
        </section>
      )}
    </div>
  );
}
