import { request as askTarget, createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

/**
 * A proxy as offices have them: it wants a user, opens tunnels, passes requests on, and alone knows
 * where names below `.test` are, which is here.
 */
export type ProxyDouble = {
  readonly url: string;
  readonly port: number;
  /** `CONNECT broker.test:8883`, `GET http://api.test/…`: what was let through. */
  readonly passed: readonly string[];
  readonly refused: readonly string[];
  close(): Promise<void>;
};

export async function startProxy(user: string, password: string): Promise<ProxyDouble> {
  const passed: string[] = [];
  const refused: string[] = [];
  const wanted = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const isWelcome = (given: string | undefined, what: string): boolean => {
    (given === wanted ? passed : refused).push(what);
    return given === wanted;
  };
  const hostOf = (name: string): string => (name.endsWith('.test') ? '127.0.0.1' : name);
  const server = createServer((request, response) => {
    const to = new URL(request.url ?? '');
    const { 'proxy-authorization': given, ...headers } = request.headers;
    if (!isWelcome(given, `${request.method} ${to.origin}`)) {
      response.writeHead(407, { 'proxy-authenticate': 'Basic' }).end();
      return;
    }
    const { method } = request;
    const path = to.pathname + to.search;
    const asked = askTarget(
      { host: hostOf(to.hostname), port: to.port, path, method, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    asked.on('error', () => response.destroy());
    request.pipe(asked);
  });
  server.on('connect', (request, socket, head) => {
    socket.on('error', () => {});
    if (!isWelcome(request.headers['proxy-authorization'], `CONNECT ${request.url}`)) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const to = new URL(`http://${request.url}`);
    const target = connect(Number(to.port || 80), hostOf(to.hostname), () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.write(head);
      target.pipe(socket).pipe(target);
    });
    target.on('error', () => socket.destroy());
    socket.on('close', () => target.destroy());
  });
  const sockets = new Set<{ destroy(): void }>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const words = [user, password].map(encodeURIComponent).join(':');
  return {
    url: `http://${words}@127.0.0.1:${port}`,
    port,
    passed,
    refused,
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
