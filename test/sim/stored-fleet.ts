import { applyPlan } from '../../core/apply-plan.ts';
import type { Ask, Cell, CellEdge, CellJob, EdgeConfig, EdgeReport } from '../../core/cell.ts';
import { newCellMeta, newShare } from '../../core/cell.ts';
import { cellFactsOf } from '../../core/edge-facts.ts';
import type { JobStatus } from '../../core/job-status.ts';
import type { JobHistory, Move } from '../../core/move-ranges.ts';
import type { CellId, EdgeName, JobId } from '../../core/names.ts';
import type { ChunkEnd, Execution, JobCellStatus, Plan } from '../../core/plan.ts';
import { emptyRanges } from '../../core/ranges.ts';
import type { EdgeEvent } from '../../core/wire/edge-event.ts';

/**
 * Everything that the table would hold, with the table's promises and no others: one row changes at
 * a time, except in the transaction of a commit, which names the version that it saw.
 */
export class StoredFleet {
  readonly cells = new Map<CellId, Cell>();
  readonly statuses = new Map<JobId, JobStatus>();
  readonly jobCells = new Map<JobId, Map<CellId, JobCellStatus>>();
  readonly executions = new Map<string, Execution>();
  readonly chunkEnds = new Map<string, ChunkEnd>();
  readonly #owed = new Map<JobId, number>();
  readonly #sequences = new Map<EdgeName, { boot: string; sequence: number | null }>();
  readonly #connections = new Map<EdgeName, number>();

  addCell(id: CellId, nowMs: number): void {
    this.cells.set(id, {
      meta: newCellMeta(id, 'default', nowMs),
      edges: new Map(),
      jobs: new Map(),
      queues: new Map(),
      tickAtMs: null,
    });
  }

  addEdge(cell: CellId, edge: CellEdge): void {
    const stored = this.cells.get(cell)!;
    this.cells.set(cell, { ...stored, edges: new Map(stored.edges).set(edge.name, edge) });
  }

  addJob(cell: CellId, job: CellJob): void {
    const stored = this.cells.get(cell)!;
    this.cells.set(cell, { ...stored, jobs: new Map(stored.jobs).set(job.id, job) });
  }

  configure(cell: CellId, edge: EdgeName, change: Partial<EdgeConfig>): void {
    this.#changeEdge(cell, edge, (row) => ({ ...row, config: { ...row.config, ...change } }));
  }

  ask(cell: CellId, job: JobId, change: Partial<Ask>): void {
    const stored = this.cells.get(cell)!;
    const row = stored.jobs.get(job);
    if (row === undefined) return;
    const jobs = new Map(stored.jobs).set(job, { ...row, ask: { ...row.ask, ...change } });
    this.cells.set(cell, { ...stored, jobs });
  }

  tick(cell: CellId, atMs: number): void {
    this.cells.set(cell, { ...this.cells.get(cell)!, tickAtMs: atMs });
  }

  /** Answers what was stored before, or `null` when the version had moved. */
  commit(plan: Plan): { before: Cell; after: Cell } | null {
    if (plan.meta === null) throw new Error('there is nothing to commit');
    const before = this.cells.get(plan.meta.id)!;
    if (before.meta.version !== plan.seenVersion) return null;
    const after = applyPlan(before, plan);
    this.cells.set(plan.meta.id, after);
    for (const [job, status] of plan.jobStatuses) {
      const cells = this.jobCells.get(job) ?? new Map<CellId, JobCellStatus>();
      this.jobCells.set(job, cells.set(plan.meta.id, status));
    }
    for (const job of plan.endedJobs) {
      this.#owed.set(job, plan.jobStatuses.get(job)?.endedAtMs ?? 0);
    }
    for (const row of plan.executions) this.executions.set(`${row.job}/${row.edge}`, row);
    for (const row of plan.chunkEnds) this.chunkEnds.set(`${row.job}/${row.chunk}`, row);
    return { before, after };
  }

  historiesIn(cell: CellId, jobs: readonly JobId[]): ReadonlyMap<JobId, JobHistory> {
    const histories = new Map<JobId, JobHistory>();
    for (const job of jobs) {
      const ended = this.jobCells.get(job)?.get(cell);
      const executions = [...this.executions.values()].filter((row) => row.job === job);
      if (ended !== undefined) histories.set(job, { ended, executions });
    }
    return histories;
  }

  /** Both plans or neither; a job that is new in the target brings along what is asked. */
  commitMove(move: Move): readonly { before: Cell; after: Cell; plan: Plan }[] | null {
    const plans = [move.from, move.to];
    const isCurrent = (plan: Plan) =>
      this.cells.get(plan.meta!.id)!.meta.version === plan.seenVersion;
    if (!plans.every(isCurrent)) return null;
    const target = move.to.meta!.id;
    for (const [id, ask] of move.asks) {
      this.addJob(target, { id, ask, share: newShare(emptyRanges) });
    }
    return plans.map((plan) => ({ ...this.commit(plan)!, plan }));
  }

  owedFolds(atMs: number): JobId[] {
    return [...this.#owed].flatMap(([job, endedAtMs]) => (endedAtMs < atMs ? [job] : []));
  }

  settle(job: JobId, endedAtMs: number): void {
    if ((this.#owed.get(job) ?? Number.POSITIVE_INFINITY) <= endedAtMs) this.#owed.delete(job);
  }

  cellOf(edge: EdgeName): CellId | undefined {
    for (const [id, cell] of this.cells) if (cell.edges.has(edge)) return id;
    return undefined;
  }

  /** The conditions are those of the table's conditional writes. */
  store(cell: CellId, event: EdgeEvent): 'stored' | 'older' {
    const row = this.cells.get(cell)?.edges.get(event.edge);
    if (row === undefined) return 'older';
    const report: EdgeReport = row.report ?? {
      prog: null,
      version: 0,
      receivedAtMs: 0,
      connected: false,
      connectionVersion: 0,
      connectionAtMs: 0,
    };
    switch (event.kind) {
      case 'prog': {
        if (!this.#isNewer(report, event)) return 'older';
        const { prog, atMs: receivedAtMs } = event;
        this.#sequences.set(event.edge, { boot: prog.boot, sequence: prog.sequence });
        const version = event.version ?? report.version;
        // A report proves a connection, as it does when the row is read.
        const proven = !report.connected && receivedAtMs > report.connectionAtMs;
        const connectionAtMs = proven ? receivedAtMs : report.connectionAtMs;
        const connected = report.connected || proven;
        const next = { ...report, prog, receivedAtMs, version, connected, connectionAtMs };
        this.#changeEdge(cell, event.edge, (old) => ({ ...old, report: next }));
        return 'stored';
      }
      case 'facts':
        this.#changeEdge(cell, event.edge, (old) => ({ ...old, facts: cellFactsOf(event.facts) }));
        return 'stored';
      case 'connected':
      case 'disconnected': {
        const connected = event.kind === 'connected';
        const known = this.#connections.get(event.edge) ?? -1;
        if (connected ? event.version <= known : event.version < known) return 'older';
        this.#connections.set(event.edge, event.version);
        this.#changeEdge(cell, event.edge, (old) => ({
          ...old,
          report: {
            ...report,
            connected,
            connectionVersion: event.version,
            connectionAtMs: event.atMs,
          },
        }));
        return 'stored';
      }
    }
  }

  #isNewer(report: EdgeReport, event: EdgeEvent & { kind: 'prog' }): boolean {
    const { version, prog } = event;
    if (version !== null && report.prog !== null && version <= report.version) return false;
    const last = this.#sequences.get(event.edge);
    if (last === undefined || last.boot !== prog.boot) return true;
    return last.sequence === null || prog.sequence === null || prog.sequence > last.sequence;
  }

  #changeEdge(cell: CellId, edge: EdgeName, change: (row: CellEdge) => CellEdge): void {
    const stored = this.cells.get(cell);
    const row = stored?.edges.get(edge);
    if (stored === undefined || row === undefined) return;
    this.cells.set(cell, { ...stored, edges: new Map(stored.edges).set(edge, change(row)) });
  }
}
