import { isRecord } from '../../protocol/json.ts';
import { type IssuedTokens, readIssuedTokens } from './issued-tokens.ts';
import { isAddress, type SignInAt } from './issuer-addresses.ts';
import {
  deviceGrantMsMax,
  devicePollMsDefault,
  devicePollMsMax,
  deviceSlowerMs,
  userCodeLengthMax,
} from './limits.ts';

/**
 * How somebody signs in where there is no browser (RFC 8628): this device shows an address and a
 * short code, the person enters it on another one, and the issuer is asked until that is done.
 */
export type DeviceGrant = {
  /** Known to this device only. */
  readonly deviceCode: string;
  readonly userCode: string;
  readonly page: string;
  /** The page with the code in it, where the issuer has one. */
  readonly pageWithCode: string | null;
  readonly endsInMs: number;
  readonly everyMs: number;
};

/** The form that begins it. */
export function deviceForm({ clientId }: SignInAt, scope: string): string {
  return new URLSearchParams({ client_id: clientId, scope }).toString();
}

/** `null` for what is no such answer, and for what nobody could type or a terminal would obey. */
export function readDeviceGrant(answer: unknown, { issuer }: SignInAt): DeviceGrant | null {
  if (!isRecord(answer)) return null;
  const { device_code: deviceCode, user_code: userCode, expires_in: endsIn, interval } = answer;
  // Some wrote it so before there was a number to the specification.
  const page = answer.verification_uri ?? answer.verification_url;
  const whole = answer.verification_uri_complete;
  const mayBePlain = issuer.startsWith('http://');
  if (typeof deviceCode !== 'string' || deviceCode === '') return null;
  if (typeof userCode !== 'string' || !/^[!-~](?:[ -~]*[!-~])?$/.test(userCode)) return null;
  if (userCode.length > userCodeLengthMax) return null;
  if (typeof page !== 'string' || !isAddress(page, mayBePlain)) return null;
  return {
    deviceCode,
    userCode,
    page,
    pageWithCode: typeof whole === 'string' && isAddress(whole, mayBePlain) ? whole : null,
    endsInMs: millisecondsOf(endsIn, deviceGrantMsMax, deviceGrantMsMax),
    everyMs: millisecondsOf(interval, devicePollMsDefault, devicePollMsMax),
  };
}

function millisecondsOf(seconds: unknown, otherwise: number, most: number): number {
  const isTime = typeof seconds === 'number' && seconds > 0;
  return Math.min(isTime ? Math.ceil(seconds * 1_000) : otherwise, most);
}

/** The form that asks whether the person is done. */
export function devicePollForm({ clientId }: SignInAt, { deviceCode }: DeviceGrant): string {
  return new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: deviceCode,
    client_id: clientId,
  }).toString();
}

export type DeviceAnswer =
  | { readonly kind: 'signed-in'; readonly tokens: IssuedTokens }
  | { readonly kind: 'wait'; readonly everyMs: number }
  | { readonly kind: 'late' }
  | { readonly kind: 'refused'; readonly reason: string };

/** What the issuer said, asked at this distance from the time before; `null` for no such answer. */
export function readDeviceAnswer(answer: unknown, everyMs: number): DeviceAnswer | null {
  const tokens = readIssuedTokens(answer);
  if (tokens !== null) return { kind: 'signed-in', tokens };
  if (!isRecord(answer) || typeof answer.error !== 'string') return null;
  const { error, error_description: said } = answer;
  switch (error) {
    case 'authorization_pending':
      return { kind: 'wait', everyMs };
    case 'slow_down':
      return { kind: 'wait', everyMs: everyMs + deviceSlowerMs };
    case 'expired_token':
      return { kind: 'late' };
    default: {
      const reason = typeof said === 'string' && said !== '' ? said : error;
      return { kind: 'refused', reason };
    }
  }
}
