import {
  type IssuerAddresses,
  issuerDocumentUrl,
  readIssuerAddresses,
  type SignInAt,
} from '../../core/contract/sign-in/issuer-addresses.ts';
import { readBounded } from '../client/bounded-body.ts';
import { exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';
import { issuerBytesMax, requestMsMax } from '../limits.ts';

/** Who signs people in at an API, and where. */
export type Issuer = SignInAt & { readonly addresses: IssuerAddresses };

export async function findIssuer(signIn: SignInAt): Promise<Issuer> {
  const document = await askIssuer(issuerDocumentUrl(signIn.issuer));
  const addresses = readIssuerAddresses(document, signIn.issuer);
  if (addresses === null) throw oddIssuer(signIn.issuer);
  return { ...signIn, addresses };
}

export function oddIssuer(issuer: string): Failure {
  return new Failure(exitCode.failure, `${issuer} does not answer as an issuer of OpenID Connect.`);
}

/**
 * The issuer is nobody that gets a token of ours, so it is not asked like the API. What it refuses
 * is an answer as well; only silence is a failure. A form goes nowhere else: it holds secrets.
 */
export async function askIssuer(url: string, form: string | null = null): Promise<unknown> {
  const type = 'application/x-www-form-urlencoded';
  const headers = { 'content-type': type, accept: 'application/json' };
  const sent = form === null ? {} : ({ method: 'POST', body: form, redirect: 'error' } as const);
  try {
    const signal = AbortSignal.timeout(requestMsMax);
    const answer = await fetch(url, { headers, ...sent, signal });
    if (answer.status >= 500) throw new Error(`it answers ${answer.status}`);
    return JSON.parse(String(await readBounded(answer, issuerBytesMax)));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    if (error instanceof Failure) throw error;
    const { host } = new URL(url);
    throw new Failure(exitCode.failure, `${host} cannot be reached.`, String(error));
  }
}
