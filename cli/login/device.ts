import { refusedSentence } from '../../core/contract/sign-in/code-grant.ts';
import {
  type DeviceGrant,
  deviceForm,
  devicePollForm,
  readDeviceAnswer,
  readDeviceGrant,
} from '../../core/contract/sign-in/device-grant.ts';
import type { IssuedTokens } from '../../core/contract/sign-in/issued-tokens.ts';
import { exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';
import type { Terminal } from '../terminal.ts';
import { askIssuer, type Issuer, oddIssuer } from './issuer.ts';

/** Signs in with a browser on another device, where the person enters the code that is shown. */
export async function signInOnDevice(issuer: Issuer, terminal: Terminal): Promise<IssuedTokens> {
  const { device, lastingScope } = issuer.addresses;
  if (device === null) {
    const sentence = `${issuer.issuer} lets nobody in on another device.`;
    const next = 'Without --device the browser is on this machine; a program uses a token.';
    throw new Failure(exitCode.failure, sentence, next);
  }
  const answer = await askIssuer(device, deviceForm(issuer, lastingScope));
  const grant = readDeviceGrant(answer, issuer);
  if (grant === null) throw refusal(issuer, answer);
  terminal.say('On any device with a browser, open this address:');
  terminal.say(`  ${grant.page}`);
  terminal.say('and enter this code:');
  terminal.say(`  ${grant.userCode}`);
  if (grant.pageWithCode !== null) terminal.say(`Or open  ${grant.pageWithCode}`);
  return untilSignedIn(issuer, grant, terminal);
}

/**
 * Asks as often as the issuer lets it, and ever less often while that cannot be reached (RFC 8628,
 * 3.5), until the code has ended.
 */
async function untilSignedIn(
  issuer: Issuer,
  grant: DeviceGrant,
  terminal: Terminal,
): Promise<IssuedTokens> {
  const endMs = terminal.nowMs() + grant.endsInMs;
  const form = devicePollForm(issuer, grant);
  let { everyMs } = grant;
  while (terminal.nowMs() + everyMs < endMs) {
    await terminal.sleep(everyMs);
    if (terminal.interrupted.aborted) break;
    const said = await askIssuer(issuer.addresses.token, form).catch(() => 'away' as const);
    if (said === 'away') {
      everyMs *= 2;
      continue;
    }
    const answer = readDeviceAnswer(said, everyMs);
    if (answer === null) throw oddIssuer(issuer.issuer);
    if (answer.kind === 'signed-in') return answer.tokens;
    if (answer.kind === 'late') break;
    if (answer.kind === 'refused') {
      throw new Failure(exitCode.notAuthorised, refusedSentence(answer.reason));
    }
    everyMs = answer.everyMs;
  }
  throw new Failure(exitCode.timedOut, 'Nobody signed in.', 'Run "edgewise login --device" again.');
}

/** An issuer that does not know this client, or does not let it do so, says it here. */
function refusal(issuer: Issuer, answer: unknown): Failure {
  const said = readDeviceAnswer(answer, 0);
  if (said?.kind !== 'refused') return oddIssuer(issuer.issuer);
  const next = 'Is the grant for devices allowed to this client at the issuer?';
  return new Failure(exitCode.notAuthorised, refusedSentence(said.reason), next);
}
