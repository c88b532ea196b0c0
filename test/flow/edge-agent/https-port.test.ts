import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeProduct, type Product } from '../product.ts';

/**
 * Behind a firewall that lets out HTTPS alone an edge reaches its broker on 443, where AWS IoT
 * wants to read in the handshake that it is MQTT. What listens there passes bytes on, as a firewall
 * would, and keeps the first ones.
 */
const httpsPort = 443;
let product: Product;
let firewall: Server;
let missing: string | null = null;
const beginnings: Buffer[] = [];
const sockets = new Set<Socket>();

beforeAll(async () => {
  let brokerPort = 0;
  firewall = createServer((inside) => {
    const outside = connect(brokerPort, '127.0.0.1');
    for (const socket of [inside, outside]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.once('close', () => sockets.delete(socket));
    }
    inside.once('data', (bytes) => beginnings.push(bytes));
    inside.pipe(outside).pipe(inside);
  });
  missing = await new Promise((resolve) => {
    firewall.once('error', ({ message }) => resolve(`port ${httpsPort} is not ours: ${message}`));
    firewall.listen(httpsPort, '127.0.0.1', () => resolve(null));
  });
  if (missing !== null) return;
  product = await makeProduct();
  await product.startCloud();
  brokerPort = product.place.portBase + 2;
});
afterAll(async () => {
  await product?.remove();
  for (const socket of sockets) socket.destroy();
  if (firewall.listening) await new Promise((resolve) => firewall.close(resolve));
});

test('an edge does a job over port 443', async ({ skip }) => {
  if (missing !== null) return skip(missing);
  product.startAgent('behind-a-firewall', '--mqtt-endpoint', `127.0.0.1:${httpsPort}`);
  await product.untilConnected(1);
  const { id } = await product.submit({ power: 1 });
  expect((await product.done(id)).status.percent).toBe(100);
  expect(beginnings.length).toBeGreaterThan(0);
  for (const bytes of beginnings) expect(bytes.includes('x-amzn-mqtt-ca')).toBe(true);
});
