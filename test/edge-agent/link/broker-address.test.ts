import { expect, test } from 'vitest';
import { parseBrokerAddress } from '../../../edge-agent/link/broker-address.ts';

test.each([
  ['broker.test', 'mqtts', 'broker.test', 8883],
  ['broker.test:443', 'mqtts', 'broker.test', 443],
  ['mqtts://broker.test', 'mqtts', 'broker.test', 8883],
  ['[::1]:8884', 'mqtts', '::1', 8884],
  ['mqtt://127.0.0.1', 'mqtt', '127.0.0.1', 1883],
  ['mqtt://localhost:18830', 'mqtt', 'localhost', 18_830],
  ['mqtt://[::1]:1884', 'mqtt', '::1', 1884],
])('%s is a broker', (text, protocol, host, port) => {
  expect(parseBrokerAddress(text)).toEqual({ protocol, host, port });
});

test.each(['mqtt://broker.test', 'mqtt://10.0.0.1:1883', 'mqtt://127.0.0.1.broker.test'])(
  'plain MQTT leaves this machine nowhere: %s',
  (text) => expect(parseBrokerAddress(text)).toBeNull(),
);

test.each(['', 'mqtts://', 'http://broker.test', 'broker.test/x', 'a b', 'me@broker.test', 'b:no'])(
  '"%s" is no address of a broker',
  (text) => expect(parseBrokerAddress(text)).toBeNull(),
);
