import { expect } from 'vitest';
import { makeProduct, type Product } from '../product.ts';
import { until } from '../start/stage.ts';
import { type Ask, askOf, type Said } from './cluster-program.ts';
import { killEverything, type ProcessCluster } from './process-cluster.ts';

/** The product as programs of users see it: requests over HTTP, and what is answered. */
export type RulesStage = {
  readonly product: Product;
  readonly ask: Ask;
  /** With the token of whoever owns the fleet. */
  admin(method: string, path: string, body?: unknown): Promise<Said>;
  /** What is answered where that is what must be. */
  expecting(status: number, method: string, path: string, body?: unknown): Promise<Said['json']>;
  register(name: string, pool: string, more: object): Promise<Said['json']>;
  token(body: object): Promise<string>;
  /** kill -9 of all there is, and what was running starts again as its owners start it. */
  killAndStart(agents: readonly ProcessCluster[]): Promise<void>;
};

export async function startRules(): Promise<RulesStage> {
  const product = await makeProduct();
  await product.startCloud();
  const ask = askOf(product);
  const admin: RulesStage['admin'] = (method, path, body) =>
    ask(product.place.endpoints()!.token!, method, path, body);
  const expecting: RulesStage['expecting'] = async (wanted, method, path, body) => {
    const { status, json } = await admin(method, path, body);
    expect(status, `${method} ${path}: ${JSON.stringify(json)}`).toBe(wanted);
    return json;
  };
  return {
    product,
    ask,
    admin,
    expecting,
    register: (name, pool, more) =>
      expecting(201, 'POST', '/v1/edges', { name, pool, mode: 'pull', ...more }),
    token: async (body) => {
      const made = await expecting(201, 'POST', '/v1/tokens', { name: 'some', ...body });
      return made.secret;
    },
    killAndStart: async (agents) => {
      await killEverything(product);
      await product.startCloud();
      for (const agent of agents) agent.start();
      await until('the API answers', async () => (await admin('GET', '/v1/stats')).status === 200);
    },
  };
}

export type Tree = {
  readonly type: string;
  readonly size?: number;
  readonly below?: readonly Tree[];
} & Readonly<Record<string, unknown>>;

/** A document of JSON Graph Format from a tree; the ids are numbers in the order of a walk down. */
export function graphOf(root: Tree) {
  const nodes: Record<string, object> = {};
  const edges: object[] = [];
  const visit = ({ below = [], ...metadata }: Tree): string => {
    const id = String(Object.keys(nodes).length);
    nodes[id] = { metadata };
    for (const it of below) {
      const target = visit(it);
      edges.push({ source: id, target, relation: 'contains' });
    }
    return id;
  };
  visit(root);
  return { graph: { nodes, edges } };
}

export const times = (count: number, it: Tree): readonly Tree[] =>
  Array.from({ length: count }, () => it);
