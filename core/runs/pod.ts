import type { ServicePort } from '../services/service-port.ts';

/**
 * Containers that are one chunk: they share a network and a directory, and their fate. The first
 * that ends is how the chunk ended, and all others are stopped.
 */
export type PodContainer = {
  readonly name: string;
  readonly image: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Of an instance of a service; they are among the ports of the service, too. */
  readonly ports?: readonly ServicePort[];
};

export type Pod = {
  readonly containers: readonly PodContainer[];
  readonly timeoutSeconds: number | null;
};

/** How a pod failed: with the code of the container that ended first, and its name. */
export function podFailure(container: string, code: number): string {
  return `exit code ${code} of ${container}`;
}

/** With what a program ended, where a failure says it. */
export function codeOfFailure(failure: number | string | null): number | null {
  if (typeof failure === 'number') return failure;
  const match = /^exit code (\d{1,3}) of /.exec(failure ?? '');
  return match === null ? null : Number(match[1]);
}

export type PlacedPort = { readonly path: readonly string[]; readonly port: ServicePort };

/**
 * The ports of a service with those of the containers of its pod, and where each is written. A port
 * that is at both places and the same is one: so a spec that was read can be sent again.
 */
export function portsOfAll(
  ports: readonly ServicePort[],
  run: object | undefined,
): readonly PlacedPort[] {
  const own = ports.map((port, at) => ({ path: ['ports', String(at)], port }));
  const known = new Set(ports.map(textOf));
  const more = containersOf(run).flatMap((container, index) =>
    (container.ports ?? []).flatMap((port, at) => {
      const path = ['run', 'pod', 'containers', String(index), 'ports', String(at)];
      return known.has(textOf(port)) ? [] : [{ path, port }];
    }),
  );
  return [...own, ...more];
}

const textOf = ({ name, target, port, protocol }: ServicePort): string =>
  JSON.stringify([name, target, port, protocol]);

export function containersOf(run: object | undefined): readonly PodContainer[] {
  return (run as { pod?: Pod } | undefined)?.pod?.containers ?? [];
}
