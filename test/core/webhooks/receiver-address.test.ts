import fc from 'fast-check';
import { expect, test } from 'vitest';
import { faultOfReceiver, isAllowedAddress } from '../../../core/webhooks/receiver-address.ts';

test.each([
  'https://example.com/hook',
  'http://example.com:8080/x?y=z',
  'https://10.0.0.7/inside',
  'https://[2001:db8::1]/',
  'https://localhost.example.com/',
])('%s may be notified', (url) => {
  expect(faultOfReceiver(url, false)).toBeNull();
});

test.each([
  'ftp://example.com/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'example.com',
  '',
  'https://user:secret@example.com/',
  'http://127.0.0.1/',
  'http://127.1/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://017700000001/',
  'http://localhost/',
  'http://LOCALHOST./',
  'http://a.localhost:80/',
  'http://0.0.0.0/',
  'http://169.254.169.254/latest/meta-data/',
  'http://2852039166/',
  'http://[::1]/',
  'http://[::]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:a9fe:a9fe]/',
  'http://[64:ff9b::169.254.169.254]/',
  'http://[2002:7f00:1::]/',
  'http://[fe80::1]/',
  'http://[fd00:ec2::254]/',
  'http://[ff02::1]/',
  'http://224.0.0.1/',
  'http://255.255.255.255/',
  'http://１２７.0.0.1/',
])('%s is refused', (url) => {
  expect(faultOfReceiver(url, false)).not.toBeNull();
});

test('on one machine the machine itself may be notified, and its neighbourhood never', () => {
  for (const url of ['http://127.0.0.1:9/', 'http://localhost/', 'http://[::1]/']) {
    expect(faultOfReceiver(url, true)).toBeNull();
  }
  for (const url of ['http://169.254.169.254/', 'http://[fe80::1]/', 'http://0.0.0.0/']) {
    expect(faultOfReceiver(url, true)).not.toBeNull();
  }
});

test('what is no address is none that is allowed, and the kind of writing changes nothing', () => {
  for (const text of [
    '',
    'x',
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
    '::1::2',
    '1:2',
    'fe80::1%eth0',
  ]) {
    expect(isAllowedAddress(text, true)).toBe(false);
  }
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      expect(isAllowedAddress(`::ffff:${address}`, false)).toBe(isAllowedAddress(address, false));
    }),
  );
});
