import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { type Client, type Ended, runClient, startClient } from '../cli/client.ts';
import { makeProduct, type Product } from '../product.ts';
import { killEverything } from './process-cluster.ts';

/**
 * Three clusters of one pool: an agent over processes, one over a Slurm of two nodes, and one that
 * takes its work by itself over HTTPS. Where Slurm cannot be had, `noSlurm` says why.
 */
const slurmScript = fileURLToPath(new URL('../../edge-agent/slurm/one-host.sh', import.meta.url));

export class ThreeClusters {
  readonly product: Product;
  readonly noSlurm: string | null;
  /** Its configuration takes no path with a blank. */
  readonly #slurmDirectory: string;
  #programs: Client[] = [];

  private constructor(product: Product) {
    this.product = product;
    this.#slurmDirectory = mkdtempSync('/tmp/edgewise-slurm-');
    this.noSlurm = this.#startSlurm();
  }

  static async start(): Promise<ThreeClusters> {
    const three = new ThreeClusters(await makeProduct());
    await three.product.startCloud();
    await three.#describeAll();
    return three;
  }

  at(name: string): string {
    return join(this.product.place.directory, name);
  }

  cli(...words: string[]): Promise<Ended> {
    return runClient(this.product.place.directory, ...words);
  }

  document(name: string, content: object): string {
    writeFileSync(this.at(name), JSON.stringify(content));
    return this.at(name);
  }

  /** What the programs of the clusters said. */
  text(): string {
    return this.#programs.map((program) => program.text()).join('\n');
  }

  /** kill -9 of the control plane, the agents and all that they run; Slurm itself goes on. */
  async killEverything(): Promise<void> {
    await killEverything(this.product);
  }

  /** As their owners start them. */
  async startAgain(): Promise<void> {
    await this.product.startCloud();
    this.#startPrograms();
  }

  async remove(): Promise<void> {
    for (const { process } of this.#programs) process.kill('SIGTERM');
    await Promise.all(this.#programs.map(({ ended }) => ended));
    spawnSync(slurmScript, ['stop', this.#slurmDirectory]);
    rmSync(this.#slurmDirectory, { recursive: true, force: true });
    await this.product.remove();
  }

  async #describeAll(): Promise<void> {
    const pull = ['--nodes', this.document('keebler.json', graphOf(1, 4, 2)), '--mode', 'pull'];
    await this.#did('cluster', 'register', 'keebler', '--pool', 'hpc', ...pull, '--save');
    this.#startPrograms();
    await this.product.untilConnected(this.noSlurm === null ? 3 : 2);
    const box = this.document('box.json', graphOf(1, 2, 0));
    await this.#did('cluster', 'nodes', 'box', '--file', box);
    const spack = this.#subsystem('spack', 'package', { name: 'ior', version: '0.5.3' });
    await this.#did('cluster', 'subsystem', 'set', 'box', 'spack', spack);
    if (this.noSlurm === null) await this.#describeTower();
  }

  async #did(...words: string[]): Promise<Ended> {
    const said = await this.cli(...words);
    expect(said, said.err).toMatchObject({ code: 0 });
    return said;
  }

  #startPrograms(): void {
    const start = (name: string, words: readonly string[], env = {}) => {
      const all = [...words, '--data', this.at(`agent-${name}`)];
      this.#programs.push(startClient(this.product.place.directory, all, env));
    };
    const agent = (name: string, executor: string) =>
      ['agent', '--name', name, '--pool', 'hpc', '--quiet', '--executor', executor] as const;
    start('box', agent('box', 'process'));
    const receive = ['cluster', 'receive', 'keebler', '--run', '--executor', 'process'];
    start('keebler', [...receive, '--max', '20', '--every', '1s', '--context', 'keebler']);
    if (this.noSlurm !== null) return;
    start('tower', [...agent('tower', 'slurm'), '--transport', 'http'], this.#slurmEnv());
  }

  #startSlurm(): string | null {
    chmodSync(this.#slurmDirectory, 0o755);
    // Three ports each, of which none is another's that runs beside it.
    const port = String(30_000 + 3 * (process.pid % 3_000));
    const env = { ...process.env, SLURM_PORT: port, SLURM_NODES: '2', SLURM_CPUS: '2' };
    const words = ['start', this.#slurmDirectory];
    const started = spawnSync(slurmScript, words, { encoding: 'utf8', env });
    return started.status === 0 ? null : started.stdout.trim() || started.stderr.trim();
  }

  #slurmEnv() {
    return { SLURM_CONF: join(this.#slurmDirectory, 'slurm.conf') };
  }

  /** As Slurm itself says what it has. */
  async #describeTower(): Promise<void> {
    const env = { ...process.env, ...this.#slurmEnv() };
    const sinfo = spawnSync('sinfo', ['-h', '-N', '-o', '%N %c %G'], { encoding: 'utf8', env });
    writeFileSync(this.at('sinfo.txt'), sinfo.stdout);
    const words = ['cluster', 'describe', '--name', 'tower', '--sinfo', this.at('sinfo.txt')];
    writeFileSync(this.at('tower.json'), (await this.cli(...words)).out);
    await this.#did('cluster', 'nodes', 'tower', '--file', this.at('tower.json'));
  }

  #subsystem(name: string, type: string, said: object): string {
    const nodes = { root: { metadata: { type: name } }, it: { metadata: { type, ...said } } };
    const edges = [{ source: 'n0', target: 'it', relation: 'contains' }];
    return this.document(`${name}.json`, { graph: { nodes, edges } });
  }

  /** Each run says when it begins and ends, for `mostAtOnce`. */
  counting(file: string): string {
    return `echo + >> "${this.at(file)}"; sleep 0.5; echo - >> "${this.at(file)}"`;
  }

  /** So many were there at once at most, and so many in all. */
  mostAtOnce(file: string): { most: number; runs: number } {
    let [now, most, runs] = [0, 0, 0];
    for (const line of readFileSync(this.at(file), 'utf8').trim().split('\n')) {
      now += line === '+' ? 1 : -1;
      if (line === '+') runs += 1;
      most = Math.max(most, now);
    }
    return { most, runs };
  }
}

function graphOf(nodes: number, cores: number, gpus: number) {
  const vertices: Record<string, object> = { c: { metadata: { type: 'cluster' } } };
  const edges: object[] = [];
  const add = (id: string, parent: string, type: string, size: number) => {
    if (size === 0) return;
    vertices[id] = { metadata: { type, size } };
    edges.push({ source: parent, target: id, relation: 'contains' });
  };
  for (let node = 0; node < nodes; node++) {
    add(`n${node}`, 'c', 'node', 1);
    add(`c${node}`, `n${node}`, 'core', cores);
    add(`g${node}`, `n${node}`, 'gpu', gpus);
  }
  return { graph: { nodes: vertices, edges } };
}

export const node = (cores: number, more: object = {}) => ({
  type: 'node',
  count: 1,
  with: [{ type: 'core', count: cores }],
  ...more,
});
