import { isRecord } from '../../core/protocol/json.ts';
import { usage } from '../failure.ts';
import type { JobBody } from '../job/input/job-flags.ts';

/**
 * A workload of RIK as a service: `kind: Pod` with its replicas, `kind: Function` as the virtual
 * machine that it is. What cannot be said is refused here, and not half of it run.
 */
export function isWorkload(file: JobBody): boolean {
  return typeof file.apiVersion === 'string' && 'spec' in file && !('run' in file);
}

export function serviceOfWorkload(file: JobBody): JobBody {
  refuseOthers(file, ['apiVersion', 'kind', 'name', 'replicas', 'spec'], 'The workload');
  if (file.kind === 'Function') return serviceOfFunction(file);
  if (file.kind !== 'Pod') throw usage(`A workload of the kind ${shown(file.kind)} is not known.`);
  const spec = isRecord(file.spec) ? file.spec : {};
  const containers: readonly unknown[] = Array.isArray(spec.containers) ? spec.containers : [];
  if (containers.length === 0) throw usage('The workload has no container.');
  const all = containers.map((one) => {
    if (!isRecord(one)) throw usage('A container of the workload is no table.');
    if (typeof one.image !== 'string') throw usage('A container of the workload has no image.');
    refuseOthers(one, ['name', 'image', 'env', 'ports'], 'A container of the workload');
    const { name, image } = one;
    return { name, image, env: environmentOf(one.env), ports: portsOf(one.ports) };
  });
  const { name, replicas } = file;
  const [first] = all;
  const size = { name, chunks: replicas ?? 1 };
  if (first !== undefined && all.length === 1) {
    const { image, env, ports } = first;
    return { ...size, run: { container: { image, env } }, ...(ports.length > 0 && { ports }) };
  }
  const pod = all.map(({ ports, ...one }) => ({ ...one, ...(ports.length > 0 && { ports }) }));
  return { ...size, run: { pod: { containers: pod } } };
}

/** A virtual machine: the API refuses it unless an edge runs such. */
function serviceOfFunction({ name, replicas, spec }: JobBody): JobBody {
  const { function: wanted, containers = [], ...more } = isRecord(spec) ? spec : {};
  refuseOthers(more, [], 'The function of the workload');
  if (Array.isArray(containers) && containers.length > 0) {
    throw usage('A workload of the kind "Function" has no containers.');
  }
  const { execution, ...others } = isRecord(wanted) ? wanted : {};
  refuseOthers(others, [], 'The function of the workload');
  if (!isRecord(execution) || typeof execution.rootfs !== 'string') {
    throw usage('The function of the workload has no "execution" with a "rootfs".');
  }
  refuseOthers(execution, ['rootfs'], 'The function of the workload');
  return { name, chunks: replicas ?? 1, run: { vm: { rootfs: execution.rootfs } } };
}

const portFields = ['name', 'port', 'targetPort', 'target_port', 'protocol', 'type'];

/** As RIK writes it: the port of the host, and where the container listens. */
function portsOf(ports: unknown): readonly object[] {
  const entries: readonly unknown[] = Array.isArray(ports) ? ports : [ports ?? []].flat();
  return entries.map((entry, at) => {
    if (!isRecord(entry)) throw usage('A port of the workload is no table.');
    refuseOthers(entry, portFields, 'A port of the workload');
    const { name = at === 0 ? 'http' : `port-${at}`, port = null, protocol = 'tcp' } = entry;
    const target = entry.targetPort ?? entry.target_port ?? null;
    return { name, port, target, protocol: String(protocol).toLowerCase() };
  });
}

/** As Kubernetes writes it, a list of names with values, or a table. */
function environmentOf(env: unknown): Record<string, unknown> {
  if (env === undefined) return {};
  if (isRecord(env)) return env;
  const entries = Array.isArray(env) ? env : [];
  return Object.fromEntries(
    entries.map((entry) => {
      if (!isRecord(entry) || typeof entry.name !== 'string') {
        throw usage('The environment of the workload is neither a table nor a list of names.');
      }
      return [entry.name, entry.value ?? ''];
    }),
  );
}

function refuseOthers(value: object, known: readonly string[], what: string): void {
  const unknown = Object.keys(value).filter((name) => !known.includes(name));
  if (unknown.length > 0) throw usage(`${what} has ${unknown.join(', ')}, which is not known.`);
}

const shown = (value: unknown): string => JSON.stringify(value) ?? 'none';
