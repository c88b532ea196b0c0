import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * A network between two ends that can be slow, lossy and cut: what goes wrong is said, not drawn
 * by lot.
 */
export type NetworkDouble = {
  readonly port: number;
  /** Every part waits this long on its way. */
  delayMs: number;
  /** Cuts a connection after so many bytes from the agent; `null`: never. */
  dropAfterBytes: number | null;
  /** Refuses new connections and cuts those that are there. */
  setDown(isDown: boolean): void;
  connections(): number;
  stop(): Promise<void>;
};

export async function startNetwork(targetPort: number): Promise<NetworkDouble> {
  const pairs = new Set<[Socket, Socket]>();
  let isDown = false;
  let total = 0;
  const server = createServer({ noDelay: true }, (near) => {
    near.on('error', () => {});
    if (isDown) {
      near.destroy();
      return;
    }
    total += 1;
    const far = connect({ port: targetPort, host: '127.0.0.1', noDelay: true });
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    let fromAgent = 0;
    const end = (): void => {
      pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    const pass = (to: Socket) => (part: Buffer) => {
      if (to === far) fromAgent += part.length;
      if (network.dropAfterBytes !== null && fromAgent > network.dropAfterBytes) return end();
      if (network.delayMs === 0) to.write(part);
      else setTimeout(() => to.writable && to.write(part), network.delayMs);
      return undefined;
    };
    near.on('data', pass(far));
    far.on('data', pass(near));
    far.on('error', end);
    near.on('close', end);
    far.on('close', end);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const network: NetworkDouble = {
    port: (server.address() as AddressInfo).port,
    delayMs: 0,
    dropAfterBytes: null,
    setDown(down) {
      isDown = down;
      if (!down) return;
      for (const [near, far] of pairs) {
        near.destroy();
        far.destroy();
      }
    },
    connections: () => total,
    async stop() {
      network.setDown(true);
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return network;
}
