import { type Renewal, renewalOf } from '../../core/contract/sign-in/issued-tokens.ts';
import type { SignInAt } from '../../core/contract/sign-in/issuer-addresses.ts';
import { defineCommand } from '../command.ts';
import { type Context, readContexts, writeContexts } from '../config/context-file.ts';
import { exitCode } from '../exit-code.ts';
import { Failure, usage } from '../failure.ts';
import type { Terminal } from '../terminal.ts';
import { signInWithBrowser } from './browser.ts';
import { signInOnDevice } from './device.ts';
import { findIssuer } from './issuer.ts';

type Health = { readonly signIn?: SignInAt };

export const command = defineCommand({
  name: 'login',
  about: 'sign in at the issuer of an API, and keep the token in the context of this API',
  args: [],
  flags: {
    device: {
      kind: 'switch',
      about: 'with a browser on another device: an address and a code are shown here',
    },
    consent: {
      kind: 'switch',
      about: 'have the issuer ask what this client may do: some let nobody stay signed in without',
    },
    port: {
      kind: 'number',
      value: 'N',
      min: 0,
      about:
        'where the browser comes back to, for issuers that know one port only; 0 for a free one',
    },
  },
  examples: [
    'edgewise login --api https://api.example.org',
    'edgewise login --api https://api.example.org --device',
  ],
  async run({ flags, api, output, terminal }) {
    if (flags.device && flags.port !== undefined) {
      throw usage('With --device no browser comes back here.', 'Leave out --port.');
    }
    if (flags.device && flags.consent) {
      throw usage('With --device the issuer asks by itself.', 'Leave out --consent.');
    }
    const service = api();
    const { signIn } = await service.get<Health>('/v1/health');
    if (signIn === undefined) {
      const next = 'Use a token: edgewise config set NAME --api URL --token TOKEN';
      throw new Failure(exitCode.failure, `Nobody signs in at ${service.url}.`, next);
    }
    const issuer = await findIssuer(signIn);
    const tokens = flags.device
      ? await signInOnDevice(issuer, terminal)
      : await signInWithBrowser(
          issuer,
          { port: flags.port ?? 0, consent: flags.consent },
          terminal,
        );
    const { clientId, addresses } = issuer;
    const mayConsent = addresses.lasts && !flags.consent && !flags.device;
    const renewal = renewalOf(tokens, { clientId, tokenAddress: addresses.token });
    const name = keep(terminal, { api: service.url, token: tokens.idToken, renewal });
    output.single({ name, api: service.url }, name, () => `${name}\n`);
    terminal.say(`You are signed in. ${whatNext(renewal, mayConsent)}`);
    return exitCode.ok;
  },
});

/** Some issuers give the right to renew only to who was asked for it (OpenID Connect Core, 11). */
function whatNext(renewal: Renewal | null, mayConsent: boolean): string {
  if (renewal !== null)
    return 'When the token ends it is renewed, for as long as the issuer lets you.';
  const again = 'When the token ends, run "edgewise login" again.';
  return mayConsent ? `${again} With --consent the issuer may let you stay signed in.` : again;
}

/** In the context that has this API, or in a new one that is called after its host. */
function keep(terminal: Terminal, context: Context): string {
  const file = readContexts(terminal);
  const before = Object.entries(file.contexts).find(
    ([, it]) => it.api.replace(/\/+$/, '') === context.api,
  );
  const name = before?.[0] ?? new URL(context.api).hostname;
  writeContexts(terminal, { current: name, contexts: { ...file.contexts, [name]: context } });
  return name;
}
