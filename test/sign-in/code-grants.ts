import { createHash, randomBytes } from 'node:crypto';

type Asked = {
  readonly challenge: string;
  readonly nonce: string | null;
  readonly to: string;
  readonly scope: string;
};

/** Codes that a browser came back with and that were not yet exchanged (RFC 6749 with RFC 7636). */
export class CodeGrants {
  private readonly open = new Map<string, Asked>();

  /** Where the browser goes back to. */
  authorize(query: URLSearchParams, isDenied: boolean): string {
    const to = query.get('redirect_uri') ?? '';
    const back = new URL(to);
    back.searchParams.set('state', query.get('state') ?? '');
    if (isDenied) back.searchParams.set('error', 'access_denied');
    else {
      const code = randomBytes(8).toString('hex');
      const challenge = query.get('code_challenge') ?? '';
      const scope = query.get('scope') ?? '';
      this.open.set(code, { challenge, nonce: query.get('nonce'), to, scope });
      back.searchParams.set('code', code);
    }
    return back.href;
  }

  /** Once, whoever asks. */
  exchange(form: URLSearchParams): Asked | null {
    const code = form.get('code') ?? '';
    const asked = this.open.get(code);
    this.open.delete(code);
    const verifier = form.get('code_verifier') ?? '';
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    if (asked?.challenge !== challenge || asked.to !== form.get('redirect_uri')) return null;
    return asked;
  }
}
