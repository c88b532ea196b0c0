/**
 * One port for HTTP and HTTPS: a TLS handshake begins with 0x16, a request with a letter. Some
 * clients, as those for MQTT over WebSocket, know no address without TLS.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { firstByteMsMax } from '../../limits.ts';

const handshake = 0x16;

export type ServerCertificate = { readonly certPem: string; readonly keyPem: string };

/**
 * The server takes both from now on. It knows a connection as its own when a request has begun;
 * what is returned ends the others as well, which a server that closes would wait for.
 */
export function takePlainAndTls(
  server: Server,
  { certPem, keyPem }: ServerCertificate,
): () => void {
  const open = new Set<Socket>();
  const [plain] = server.listeners('connection');
  const tls = createTlsServer(
    { cert: certPem, key: keyPem, ALPNProtocols: ['http/1.1'], noDelay: true },
    (socket) => plain?.call(server, socket),
  );
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    const ignore = () => undefined;
    const patience = setTimeout(() => socket.destroy(), firstByteMsMax).unref();
    socket.on('error', ignore);
    socket.once('close', () => clearTimeout(patience));
    socket.once('readable', () => {
      const chunk = socket.read() as Buffer | null;
      if (chunk === null) return void socket.destroy();
      clearTimeout(patience);
      socket.off('error', ignore);
      socket.unshift(chunk);
      if (chunk[0] === handshake) tls.emit('connection', socket);
      else plain?.call(server, socket);
    });
  });
  return () => {
    for (const socket of open) socket.destroy();
  };
}
