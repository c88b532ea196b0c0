import { randomBytes } from 'node:crypto';

type Waiting = {
  readonly userCode: string;
  readonly scope: string;
  readonly endMs: number;
  everyMs: number;
  askedAtMs: number;
  decision: 'none' | 'approved' | 'denied';
};

const endsInSeconds = 600;
const everySeconds = 5;

/** Devices that wait until somebody has entered their code (RFC 8628), strict about how often. */
export class DeviceGrants {
  /** Whose time it is: that of a test may pass as it likes. */
  nowMs: () => number = Date.now;
  private readonly waiting = new Map<string, Waiting>();

  begin(form: URLSearchParams, url: string): object {
    const [deviceCode, digits] = [randomBytes(16), randomBytes(4)].map((it) => it.toString('hex'));
    const userCode = `${digits!.slice(0, 4)}-${digits!.slice(4)}`.toUpperCase();
    const nowMs = this.nowMs();
    this.waiting.set(deviceCode!, {
      userCode,
      scope: form.get('scope') ?? '',
      endMs: nowMs + endsInSeconds * 1_000,
      everyMs: everySeconds * 1_000,
      askedAtMs: nowMs,
      decision: 'none',
    });
    return {
      device_code: deviceCode,
      user_code: userCode,
      verification_uri: `${url}/device`,
      verification_uri_complete: `${url}/device?user_code=${userCode}`,
      expires_in: endsInSeconds,
      interval: everySeconds,
    };
  }

  /** What the person says to the page. */
  decide(userCode: string, decision: 'approved' | 'denied'): void {
    for (const one of this.waiting.values()) if (one.userCode === userCode) one.decision = decision;
  }

  /** The scope, once, when the person has approved; the error until then. */
  poll(form: URLSearchParams): { readonly scope: string } | { readonly error: string } {
    const code = form.get('device_code') ?? '';
    const one = this.waiting.get(code);
    if (one === undefined) return { error: 'invalid_grant' };
    const nowMs = this.nowMs();
    const isEarly = nowMs - one.askedAtMs < one.everyMs;
    one.askedAtMs = nowMs;
    if (nowMs >= one.endMs) return { error: 'expired_token' };
    if (isEarly) {
      one.everyMs += everySeconds * 1_000;
      return { error: 'slow_down' };
    }
    if (one.decision === 'none') return { error: 'authorization_pending' };
    this.waiting.delete(code);
    return one.decision === 'approved' ? { scope: one.scope } : { error: 'access_denied' };
  }
}
