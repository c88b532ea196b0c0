import { useState } from 'preact/hooks';
import type { SignInAt } from '../../core/contract/sign-in/issuer-addresses.ts';
import { createClient } from '../api/client.ts';
import { takeTokenFromAddress } from '../api/session.ts';
import { beginSignIn, loadSignIn } from '../api/sign-in.ts';
import { BrandMark } from '../component/brand-mark.tsx';
import { NextTry } from '../component/notice.tsx';
import { useRetried } from '../live/use-retried.ts';

/**
 * Signs in at the issuer of the deployment where there is one, or with a token: asks the API once
 * whether it knows it, and keeps it for the tab only.
 */
export type SignInProps = {
  readonly api: string;
  readonly reason: string | null;
  readonly onToken: (token: string) => void;
};

export function SignInPage({ api, reason, onToken }: SignInProps) {
  const [token, setToken] = useState(takeTokenFromAddress);
  const [busy, setBusy] = useState(false);
  const [sentence, setSentence] = useState(reason);
  const signIn = useRetried(() => loadSignIn(api), api);
  const issuer = signIn.value?.at ?? null;

  async function leave(at: SignInAt): Promise<void> {
    setBusy(true);
    setSentence(await beginSignIn(at));
    setBusy(false);
  }

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
        <BrandMark />
        <h1>Edgewise</h1>
        <p class="soft">
          The fleet at <code>{api}</code>
        </p>
        {signIn.value === null && signIn.retryAtMs !== null && (
          <div class="stale-note">
            <p>The API does not answer.</p>
            <NextTry retryAtMs={signIn.retryAtMs} onRetry={signIn.retry} />
          </div>
        )}
        {issuer === null ? null : (
          <>
            <button type="button" class="primary" disabled={busy} onClick={() => leave(issuer)}>
              Sign in at {new URL(issuer.issuer).host}
            </button>
            <p class="soft">Or with a token:</p>
          </>
        )}
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
