import { jobspecSchema, type Resource } from '../core/contract/jobspec/jobspec-schema.ts';
import type { JobspecPlan } from '../core/contract/jobspec/plan.ts';
import { planJobspec } from '../core/contract/jobspec/plan-jobspec.ts';
import { checkBody } from '../core/contract/validation.ts';
import { readClusterTree } from '../core/graph/cluster-tree.ts';
import type { GraphDigest } from '../core/graph/digest.ts';
import { readDigest, writeDigest } from '../core/graph/digest-document.ts';
import { makeDigest } from '../core/graph/make-digest.ts';
import { readCluster } from '../core/graph/read-cluster.ts';
import { satisfies } from '../core/graph/satisfy.ts';
import {
  type ProductCluster,
  productClusters,
  productRequests,
} from '../test/core/graph/product-clusters.ts';
import { medianOf } from './core/timing.ts';
import type { Figures } from './run.ts';

/**
 * What it costs to ask whether a cluster has what a jobspec asks for: 10⁴ vertices that all differ,
 * 20,000 equal nodes beside a single one, and 48 clusters for each of 18 jobspecs, read as they are
 * stored.
 */
export async function run(): Promise<readonly Figures[]> {
  const plan = planOf({ type: 'node', count: 1, with: [{ type: 'core', count: 8 }] });
  const one = measure(
    'one node',
    digestOf(1, () => 8),
    plan,
  );
  const equal = measure('20,000 equal nodes', equalNodes(20_000), plan);
  return [
    {
      ...measure(
        '10,000 vertices that differ',
        digestOf(5_000, (at) => at + 8),
        plan,
      ),
      goalMs: 5,
    },
    one,
    { ...equal, timesOfOne: Math.round((equal.ms / one.ms) * 100) / 100 },
    products(),
  ];
}

function planOf(resource: Resource): JobspecPlan {
  const tasks = [{ command: 'true', resources: 'r' }];
  const checked = checkBody(jobspecSchema, { version: 1, resources: { r: resource }, tasks });
  const planned = checked.ok ? planJobspec(checked.value) : checked;
  if (!planned.ok) throw new Error(planned.errors[0]!.message);
  return planned.plan;
}

/** Short ones many times: a single one is shorter than what the clock tells apart. */
function measure(figure: string, digest: GraphDigest, plan: JobspecPlan) {
  const shapes = digest.shapes.length;
  const times = shapes > 100 ? 10 : 10_000;
  const { ms, result } = medianOf(() => {
    let matched = 0;
    for (let at = 0; at < times; at++) {
      if (satisfies({ digest, facts: null }, plan).matches) matched++;
    }
    return matched;
  });
  if (result !== times) throw new Error(`${figure}: has not what is asked for`);
  return { figure, shapes, ms: ms / times };
}

/** So many nodes, each with a vertex that counts for its cores. */
function digestOf(count: number, coresOf: (node: number) => number): GraphDigest {
  const nodes: [string, unknown][] = [['root', { metadata: { type: 'cluster' } }]];
  const edges: { source: string; target: string; relation: string }[] = [];
  for (let at = 0; at < count; at++) {
    nodes.push([`n${at}`, { metadata: { type: 'node' } }]);
    nodes.push([`c${at}`, { metadata: { type: 'core', size: coresOf(at) } }]);
    edges.push({ source: 'root', target: `n${at}`, relation: 'contains' });
    edges.push({ source: `n${at}`, target: `c${at}`, relation: 'contains' });
  }
  const read = readClusterTree({ graph: { nodes: Object.fromEntries(nodes), edges } });
  if (!read.ok) throw new Error(read.errors[0]!.message);
  return makeDigest(read.value, []);
}

/** More than one document may say with each by itself: the cluster says them as limits. */
function equalNodes(count: number): GraphDigest {
  const limits = { limits: { nodes: count, coresPerNode: 8 } };
  const at = { nodes: ['nodes'], subsystem: () => [] };
  const read = readCluster(limits, new Map(), at);
  if (read.kind !== 'read') throw new Error('these limits are refused');
  return read.cluster.digest;
}

/** All that a request reads and decides between the database and its answer. */
function products(): Figures {
  const stored = productClusters(1).map(textsOf);
  const plans = productRequests().map(({ resource }) => planOf(resource));
  const { ms, result } = medianOf(() => {
    let matches = 0;
    for (const plan of plans) {
      for (const { tree, kinds } of stored) {
        const digest = readDigest(JSON.parse(tree), JSON.parse(kinds))!;
        if (satisfies({ digest, facts: null }, plan).matches) matches++;
      }
    }
    return matches;
  });
  const figure = '48 clusters, one of 18 jobspecs';
  return { figure, matches: result, ms: ms / plans.length, goalMs: 100 };
}

function textsOf({ nodes, subsystems }: ProductCluster) {
  const at = { nodes: ['nodes'], subsystem: (name: string) => ['subsystems', name] };
  const read = readCluster(nodes, new Map(Object.entries(subsystems)), at);
  const written = read.kind === 'read' ? writeDigest(read.cluster.digest) : null;
  if (written === null || !written.ok) throw new Error('a cluster is refused');
  return written.texts;
}
