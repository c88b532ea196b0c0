import { rmSync, statSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { run } from '../../../cli/run.ts';
import { type ScriptedTerminal, scriptedTerminal } from '../scripted-terminal.ts';
import { makeSignedInPlace, type SignedInPlace } from './signed-in-place.ts';

/** `edgewise login --device`: the person is elsewhere, and time passes here only. */
let place: SignedInPlace;

beforeAll(async () => {
  place = await makeSignedInPlace();
});
afterEach(() => {
  place.issuer.trouble = 'none';
  rmSync(place.config, { force: true });
});
afterAll(() => place.close());

type Elsewhere = {
  /** Called before each question, with its number and the code that is shown. */
  readonly before?: (question: number, userCode: string) => void;
  readonly interruptAfterMs?: number;
};

async function login({ before, interruptAfterMs }: Elsewhere, ...flags: string[]) {
  const waits: number[] = [];
  const shown: ScriptedTerminal = scriptedTerminal({
    directory: place.directory,
    env: { EDGEWISE_CONFIG: place.config },
    ...(interruptAfterMs === undefined ? {} : { interruptAfterMs }),
    pass: async (ms) => {
      waits.push(ms);
      before?.(waits.length, codeIn(shown));
    },
  });
  place.issuer.devices.nowMs = () => shown.nowMs();
  const code = await run(['login', '--device', '--api', place.api, ...flags], shown);
  return { code, shown, waits };
}

const codeIn = (shown: ScriptedTerminal): string =>
  /^ {2}([0-9A-F]{4}-[0-9A-F]{4})$/m.exec(shown.talk())?.[1] ?? '';

test('shows an address and a code, waits until somebody has entered it, and keeps both tokens', async () => {
  const { code, shown, waits } = await login({
    before: (question, userCode) => {
      if (question === 3) place.issuer.devices.decide(userCode, 'approved');
    },
  });
  expect(code, shown.talk()).toBe(0);
  expect(waits).toEqual([5_000, 5_000, 5_000]);
  expect(shown.talk()).toContain(`  ${place.issuer.url}/device\n`);
  expect(shown.talk()).toContain(`Or open  ${place.issuer.url}/device?user_code=${codeIn(shown)}`);
  const kept = place.contexts()['127.0.0.1']!;
  const [, claims = ''] = kept.token.split('.');
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ sub: 'ann' });
  expect(kept.renewal?.refreshToken).toMatch(/^renewal-/);
  expect(statSync(place.config).mode & 0o077).toBe(0);
  for (const secret of [kept.token, kept.renewal!.refreshToken]) {
    expect(shown.written()).not.toContain(secret);
  }
});

test('asks more slowly when the issuer says so', async () => {
  const { code, waits } = await login({
    before: (question, userCode) => {
      // Somebody with the same code asks in between, so that the issuer finds it too often.
      const { devices } = place.issuer;
      if (question === 1) devices.nowMs = late(devices.nowMs);
      if (question === 3) devices.decide(userCode, 'approved');
    },
  });
  expect(code).toBe(0);
  expect(waits).toEqual([5_000, 10_000, 10_000]);
});

/** A clock that is a second behind. */
const late = (now: () => number) => () => now() - 1_000;

test('a code that nobody enters ends, and so does the waiting', async () => {
  const { code, shown } = await login({});
  expect([code, shown.talk()]).toEqual([6, expect.stringContaining('Nobody signed in')]);
  expect(Math.round((shown.nowMs() - Date.parse('2026-01-01T12:00:00Z')) / 60_000)).toBe(10);
});

test('an issuer for which the code has ended is believed', async () => {
  const { code, waits } = await login({
    before: () => {
      const { devices } = place.issuer;
      devices.nowMs = ahead(devices.nowMs);
    },
  });
  expect([code, waits]).toEqual([6, [5_000]]);
});

const ahead = (now: () => number) => () => now() + 3_600_000;

test('who says no there is refused here', async () => {
  const { code, shown } = await login({
    before: (_question, userCode) => place.issuer.devices.decide(userCode, 'denied'),
  });
  expect([code, shown.talk()]).toEqual([4, expect.stringContaining('access_denied')]);
});

test.each(['down', 'broken'] as const)(
  'an issuer that is %s is asked ever less often',
  async (trouble) => {
    const { code, waits } = await login({
      before: (question, userCode) => {
        place.issuer.trouble = question < 3 ? trouble : 'none';
        if (question === 4) place.issuer.devices.decide(userCode, 'approved');
      },
    });
    expect(code).toBe(0);
    expect(waits).toEqual([5_000, 10_000, 20_000, 20_000]);
  },
);

test('whoever interrupts is not asked on', async () => {
  const { code, waits } = await login({ interruptAfterMs: 5_000 });
  expect([code, waits]).toEqual([6, [5_000]]);
});

test('an issuer that does not know this client, or has no such grant, says so', async () => {
  const before = place.health;
  place.health = { ok: true, signIn: { issuer: place.issuer.url, clientId: 'nobody' } };
  const unknown = await login({});
  place.health = before;
  expect([unknown.code, unknown.shown.talk()]).toEqual([
    4,
    expect.stringContaining('invalid_client'),
  ]);
  place.issuer.hasDevices = false;
  const { code, shown } = await login({});
  place.issuer.hasDevices = true;
  expect([code, shown.talk()]).toEqual([1, expect.stringContaining('lets nobody in on another')]);
});

test('a port is for a browser here', async () => {
  expect((await login({}, '--port', '8400')).code).toBe(2);
});
