import { useState } from 'preact/hooks';
import { createClient } from '../api/client.ts';
import { takeTokenFromAddress } from '../api/session.ts';

/** Signs in with a token: asks the API once whether it knows it, and keeps it for the tab only. */
export type SignInProps = {
  readonly api: string;
  readonly reason: string | null;
  readonly onToken: (token: string) => void;
};

export function SignInPage({ api, reason, onToken }: SignInProps) {
  const [token, setToken] = useState(takeTokenFromAddress);
  const [busy, setBusy] = useState(false);
  const [sentence, setSentence] = useState(reason);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    const trimmed = token.trim();
    if (trimmed === '') {
      setSentence('Enter a token first.');
      return;
    }
    setBusy(true);
    const bound = fetch.bind(globalThis);
    const client = createClient({ api, token: trimmed, fetch: bound, onSignedOut: () => {} });
    const answer = await client.read('/v1/stats');
    setBusy(false);
    // A token with a narrow scope may be refused the statistics and still be a good token.
    if (answer.ok || answer.problem.kind === 'forbidden') onToken(trimmed);
    else if (answer.problem.kind === 'signed-out')
      setSentence('The API does not accept this token.');
    else setSentence(answer.problem.sentence);
  }

  return (
    <main class="alone">
      <form class="sign-in" onSubmit={submit}>
        <svg class="mark" viewBox="0 0 20 20" aria-hidden="true">
          <rect class="a" x="0" y="0" width="9" height="9" rx="2" />
          <rect class="b" x="11" y="0" width="9" height="9" rx="2" />
          <rect class="c" x="0" y="11" width="9" height="9" rx="2" />
          <rect class="a" x="11" y="11" width="9" height="9" rx="2" />
        </svg>
        <h1>Edgewise</h1>
        <p class="soft">
          The fleet at <code>{api}</code>
        </p>
        <label for="token">Token</label>
        <input
          id="token"
          type="password"
          autocomplete="off"
          spellcheck={false}
          value={token}
          aria-describedby="token-help"
          aria-invalid={sentence !== null}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
        <p id="token-help" class="soft">
          Kept in this tab until you close it or sign out.
        </p>
        <p class="bad" role="alert">
          {sentence}
        </p>
        <button type="submit" class="primary" disabled={busy}>
          {busy ? 'Signing in …' : 'Sign in'}
        </button>
      </form>
    </main>
  );
}
