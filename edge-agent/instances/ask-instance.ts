import { get } from 'node:http';
import type { AgentSpec } from '../../core/protocol/agent-spec.ts';
import type { Probe } from '../../core/services/readiness.ts';
import { fillRun, hasTemplates } from '../../core/sweeps/fill-run.ts';
import type { ChunkOrder, Executor } from '../executors/executor.ts';
import type { Instance } from './instance-readiness.ts';
import type { PortBook } from './port-book.ts';

/** Asks an instance whether it is ready: by its port on this host, or where it runs. */
export function askInstance(
  asked: Instance & { readonly edge: string; readonly spec: AgentSpec },
  probe: Probe,
  deps: {
    readonly ports: Pick<PortBook, 'of'>;
    readonly executor: Executor | undefined;
  },
): Promise<boolean> {
  if ('http' in probe) {
    const port = deps.ports.of(asked).get(probe.http.port);
    if (port === undefined) return Promise.resolve(false);
    return askHttp(port, probe.http.path, probe.http.timeoutSeconds * 1_000);
  }
  const { argv, timeoutSeconds } = probe.exec;
  const { executor } = deps;
  if (executor?.probe === undefined) return Promise.resolve(false);
  return executor.probe(orderOf(asked), argv, timeoutSeconds * 1_000);
}

/** As it was started. */
function orderOf(asked: Instance & { edge: string; spec: AgentSpec }): ChunkOrder {
  const { job, chunk, spec } = asked;
  if (!hasTemplates(spec.run)) return asked;
  const run = fillRun(spec.run, { job, chunk, parameters: null });
  return { ...asked, spec: { ...spec, run } };
}

/** Nothing of the answer is read but its status. */
export function askHttp(port: number, path: string, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const headers = { connection: 'close', 'user-agent': 'edgewise-agent' };
    const request = get(
      { host: '127.0.0.1', port, path, headers, signal, agent: false },
      (answer) => {
        const { statusCode = 0 } = answer;
        answer.destroy();
        resolve(statusCode >= 200 && statusCode < 400);
      },
    );
    request.on('error', () => resolve(false));
  });
}
