import { createHash, randomBytes } from 'node:crypto';
import {
  authorizationUrl,
  exchangeForm,
  readCode,
  readSignInTokens,
} from '../../core/contract/sign-in/code-grant.ts';
import type { IssuedTokens } from '../../core/contract/sign-in/issued-tokens.ts';
import { exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';
import type { Terminal } from '../terminal.ts';
import { askIssuer, type Issuer, oddIssuer } from './issuer.ts';
import { openLoopback } from './loopback.ts';

/** Signs in with a browser on this machine, which comes back with a code. */
export async function signInWithBrowser(
  { addresses, ...signIn }: Issuer,
  { port, consent }: { readonly port: number; readonly consent: boolean },
  terminal: Terminal,
): Promise<IssuedTokens> {
  const loopback = await openLoopback(port);
  try {
    const [state, nonce, verifier] = [secret(), secret(), secret()];
    const { redirectUri } = loopback;
    const attempt = { ...signIn, redirectUri, state, nonce, verifier, consent };
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const asked = { ...addresses, scope: addresses.lastingScope };
    terminal.say('Open this address in a browser on this machine:');
    terminal.say(`  ${authorizationUrl(asked, attempt, challenge)}`);
    const outcome = readCode(await loopback.answer(terminal.interrupted), attempt);
    if (!outcome.ok) throw new Failure(exitCode.notAuthorised, outcome.sentence);
    const form = exchangeForm(attempt, outcome.code);
    const tokens = readSignInTokens(await askIssuer(addresses.token, form), attempt);
    if (tokens === null) throw oddIssuer(signIn.issuer);
    return tokens;
  } finally {
    loopback.close();
  }
}

const secret = (): string => randomBytes(32).toString('base64url');
