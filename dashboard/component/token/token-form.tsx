import { useState } from 'preact/hooks';
import type { Token } from '../../../core/contract/resources.ts';
import { type Scope, scopes } from '../../../core/contract/scopes.ts';
import type { Problem } from '../../api/problem.ts';
import { useClient } from '../../live/use-live.ts';
import { lifetimes, scopeWords, tokenBodyOf } from '../../model/token-fields.ts';
import { ProblemNotice } from '../notice.tsx';

/**
 * Makes a token. Which values are allowed the API says; here only what cannot be sent is kept from
 * being sent.
 */
export function TokenForm({ onMade }: { onMade: (token: Token) => void }) {
  const client = useClient();
  const [chosen, setChosen] = useState<readonly Scope[]>([]);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const enrols = chosen.includes('edges:enrol');

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    setBusy(true);
    setProblem(null);
    const answer = await client.send<Token>('POST', '/v1/tokens', tokenBodyOf(new FormData(form)));
    setBusy(false);
    if (!answer.ok) return setProblem(answer.problem);
    form.reset();
    setChosen([]);
    onMade(answer.value);
  };
  const toggle = (scope: Scope) =>
    setChosen((old) =>
      old.includes(scope) ? old.filter((one) => one !== scope) : [...old, scope],
    );
  return (
    <form class="panel token-form" onSubmit={submit} aria-labelledby="new-token-title">
      <h2 id="new-token-title">New token</h2>
      <Text name="name" words="Name" hint="who or what uses it" required />
      <fieldset class="scopes">
        <legend>It may</legend>
        {scopes.map((scope) => (
          <label key={scope}>
            <input
              type="checkbox"
              name="scope"
              value={scope}
              checked={chosen.includes(scope)}
              onChange={() => toggle(scope)}
            />
            {scopeWords[scope]} <code class="soft">{scope}</code>
          </label>
        ))}
      </fieldset>
      <Text name="pool" words="Only in the pool" hint="any" />
      <Text name="queue" words="Only in the queue" hint="any" />
      {enrols && <Text name="edge" words="Only the edge" hint="any" />}
      {enrols && <Text name="uses" words="Edges it may enrol" hint="any number" type="number" />}
      <label class="field">
        Valid for
        <select name="ttlSeconds">
          {lifetimes.map(([seconds, words]) => (
            <option key={words} value={seconds ?? ''}>
              {seconds === null ? (enrols ? '1 hour (as usual)' : 'ever (as usual)') : words}
            </option>
          ))}
        </select>
      </label>
      {problem !== null && <ProblemNotice problem={problem} />}
      <div class="buttons">
        <button type="submit" class="primary" disabled={busy || chosen.length === 0}>
          {busy ? 'One moment …' : 'Make the token'}
        </button>
      </div>
    </form>
  );
}

type TextProps = {
  readonly name: string;
  readonly words: string;
  readonly hint: string;
  readonly type?: 'number';
  readonly required?: boolean;
};

function Text({ name, words, hint, type, required }: TextProps) {
  return (
    <label class="field">
      {words}
      <input
        name={name}
        type={type ?? 'text'}
        min="1"
        autocomplete="off"
        placeholder={hint}
        required={required}
      />
    </label>
  );
}
