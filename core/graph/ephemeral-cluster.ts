import { isRecord } from '../protocol/json.ts';
import type { GraphDigest, Shape } from './digest.ts';
import { type Checked, Mistakes, type Path, shown } from './json-graph.ts';
import { ephemeralAmountMax, ephemeralTypesMax } from './limits.ts';

/**
 * A cluster without fixed nodes says how far it may grow: so many nodes, so much on each. It is
 * read as a graph of that many equal nodes below one cluster.
 */
export function readEphemeral(document: unknown, at: Path = []): Checked<GraphDigest> {
  const mistakes = new Mistakes(at);
  const limits = isRecord(document) && isRecord(document.limits) ? document.limits : null;
  if (limits === null) {
    mistakes.add(['limits'], 'Limits are an object with "nodes" and "coresPerNode".');
    return { ok: false, errors: mistakes.errors };
  }
  const { nodes, coresPerNode = 0, gpusPerNode = 0, types = {}, ...others } = limits;
  for (const name of Object.keys(others)) {
    mistakes.add(['limits', name], `There is no field ${shown(name)} here.`);
  }
  const perNode = new Map<string, number>();
  const take = (type: string, amount: unknown, path: Path, min: number) => {
    if (!isAmount(amount, min)) {
      mistakes.add(path, `This is a whole number from ${min} to ${ephemeralAmountMax}.`);
    } else if (amount > 0) perNode.set(type, amount);
  };
  if (!isAmount(nodes, 1)) {
    mistakes.add(['limits', 'nodes'], `This is a whole number from 1 to ${ephemeralAmountMax}.`);
  }
  readTypes(types, take, mistakes);
  take('core', coresPerNode, ['limits', 'coresPerNode'], 0);
  take('gpu', gpusPerNode, ['limits', 'gpusPerNode'], 0);
  if (!mistakes.none) return { ok: false, errors: mistakes.errors };
  return { ok: true, value: digestOf(Number(nodes), perNode) };
}

function isAmount(amount: unknown, min: number): amount is number {
  return Number.isInteger(amount) && Number(amount) >= min && Number(amount) <= ephemeralAmountMax;
}

const typePattern = /^[A-Za-z][A-Za-z0-9._-]{0,62}$/;
const taken = new Set(['cluster', 'node', 'core', 'gpu']);

function readTypes(
  types: unknown,
  take: (type: string, amount: unknown, path: Path, min: number) => void,
  mistakes: Mistakes,
): void {
  const entries = isRecord(types) ? Object.entries(types) : null;
  if (entries === null || entries.length > ephemeralTypesMax) {
    const sentence = `Types are an object of at most ${ephemeralTypesMax} amounts a node.`;
    mistakes.add(['limits', 'types'], sentence);
    return;
  }
  for (const [type, amount] of entries) {
    const path = ['limits', 'types', type];
    if (taken.has(type) || !typePattern.test(type)) {
      mistakes.add(path, `${shown(type)} is no name of a further type.`);
    } else take(type, amount, path, 1);
  }
}

function digestOf(nodes: number, perNode: ReadonlyMap<string, number>): GraphDigest {
  const bare = { size: 1, unit: '', attached: [] };
  const types = [...perNode.keys()].sort();
  const leaves: Shape[] = types.map((type) => ({ ...bare, type, children: [] }));
  const below = types.map((type, shape) => ({ shape, times: perNode.get(type)! }));
  const node: Shape = { ...bare, type: 'node', children: below };
  const root: Shape = {
    ...bare,
    type: 'cluster',
    children: [{ shape: leaves.length, times: nodes }],
  };
  const all = types.map((type) => [type, nodes * perNode.get(type)!] as const);
  const counted = [...all, ['cluster', 1] as const, ['node', nodes] as const];
  const counts = new Map(counted.sort(([a], [b]) => (a < b ? -1 : 1)));
  const vertices = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return { vertices, counts, shapes: [...leaves, node, root], kinds: [], subsystems: [] };
}
