import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeProduct, type Product } from '../product.ts';

/**
 * The official device SDK, installed for this test alone because it brings native code of half a
 * hundred megabytes, against the broker and the shadow service of the local cloud.
 */
const sdk = 'aws-iot-device-sdk-v2@1.28.0';
const program = 'shadow-program.mjs';
const installMs = 300_000;

let product: Product;
let directory: string;
let missing: string | null = null;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'edgewise-device-'));
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  try {
    const options = { cwd: directory, stdio: 'pipe', timeout: installMs } as const;
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--no-save', sdk], options);
  } catch (error) {
    missing = `${sdk} could not be installed: ${String(error).split('\n')[0]}`;
    return;
  }
  copyFileSync(new URL(program, import.meta.url), join(directory, program));
  product = await makeProduct();
  await product.startCloud();
}, installMs + 120_000);

afterAll(async () => {
  await product?.remove();
  rmSync(directory, { recursive: true, force: true });
});

type Whole = {
  mqtt: { host: string; port: number; ca: string };
  operator: { cert: string; key: string; clientId: string };
};

test('an unchanged device program connects with its certificate and uses a shadow', (context) => {
  if (missing !== null) {
    console.log(`skipped: ${missing}`);
    return context.skip(missing);
  }
  const whole = JSON.parse(readFileSync(product.place.endpoints()!.path, 'utf8')) as Whole;
  const { mqtt, operator } = whole;
  const place = [mqtt.host, String(mqtt.port), mqtt.ca];
  const identity = [operator.cert, operator.key, operator.clientId];
  const said = execFileSync(process.execPath, [program, ...place, ...identity], {
    cwd: directory,
    timeout: 60_000,
    encoding: 'utf8',
  });
  expect(JSON.parse(said.trim().split('\n').at(-1)!)).toEqual({
    state: { colour: 'green' },
    version: 1,
  });
}, 90_000);
