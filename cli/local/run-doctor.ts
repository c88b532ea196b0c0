import { statSync } from 'node:fs';
import type { Edge, Page, Stats } from '../../core/contract/resources.ts';
import type { Api } from '../client/api.ts';
import { type Call, defineCommand } from '../command.ts';
import { contextPath, readContexts } from '../config/context-file.ts';
import { exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';
import type { Table } from '../output/table.ts';
import { findEndpoints } from './endpoints-file.ts';
import { isAlive } from './process-life.ts';

/**
 * Looks at everything between this client and a job that runs, in the order in which it breaks, and
 * says what to do.
 */
type Finding = {
  readonly check: string;
  readonly state: 'ok' | 'late' | 'failed';
  readonly detail: string;
};

const findingTable: Table<Finding> = {
  name: (finding) => finding.check,
  columns: [
    { title: 'CHECK', of: (finding) => finding.check },
    { title: 'RESULT', of: (finding) => resultWords[finding.state] },
    { title: 'DETAIL', of: (finding) => finding.detail },
  ],
};

const resultWords = { ok: 'ok', late: 'look', failed: 'FAILED' } as const;

export const command = defineCommand({
  name: 'doctor',
  about: 'check everything between this client and a running job',
  args: [],
  flags: {},
  examples: ['edgewise doctor'],
  async run(call) {
    const findings: Finding[] = [checkProgram(), checkConfiguration(call)];
    const access = checkAccess(call);
    findings.push(...access.findings);
    if (access.api !== null) findings.push(...(await checkApi(access.api, call)));
    call.output.list({ items: findings, nextCursor: null }, findings, findingTable);
    const failed = findings.filter((finding) => finding.state === 'failed').length;
    if (failed === 0) return exitCode.ok;
    call.terminal.say(`${failed} of ${findings.length} checks failed.`);
    return exitCode.failure;
  },
});

function ok(check: string, detail: string): Finding {
  return { check, state: 'ok', detail };
}

function failed(check: string, error: unknown): Finding {
  const remedy = error instanceof Failure && error.remedy !== null ? ` ${error.remedy}` : '';
  return { check, state: 'failed', detail: `${(error as Error).message}${remedy}` };
}

function checkProgram(): Finding {
  return ok('program', `Node ${process.versions.node} on ${process.platform} ${process.arch}`);
}

function checkConfiguration({ terminal }: Call): Finding {
  try {
    const { contexts, current } = readContexts(terminal);
    const path = contextPath(terminal);
    const names = Object.keys(contexts).length;
    if (names === 0) return ok('configuration', 'no contexts');
    if ((statSync(path).mode & 0o077) !== 0) {
      const detail = `${path} holds tokens and can be read by others. Run: chmod 600 ${path}`;
      return { check: 'configuration', state: 'late', detail };
    }
    return ok('configuration', `${names} contexts, current: ${current ?? 'none'}`);
  } catch (error) {
    return failed('configuration', error);
  }
}

function checkAccess(call: Call): { findings: Finding[]; api: Api | null } {
  try {
    const { source } = call.settings();
    const api = call.api();
    const findings = [ok('address', `${api.url} from ${source}`)];
    const local = findEndpoints(call.terminal.directory, call.terminal.env.EDGEWISE_STATE);
    if (local !== null && local.api === api.url && !isAlive(local.pid)) {
      const detail = `${local.path} is left over: process ${local.pid} is gone. Run: npm start`;
      findings.push({ check: 'local cloud', state: 'late', detail });
    }
    return { findings, api };
  } catch (error) {
    return { findings: [failed('address', error)], api: null };
  }
}

async function checkApi(api: Api, { terminal }: Call): Promise<Finding[]> {
  const findings: Finding[] = [];
  const check = async (name: string, look: () => Promise<Finding>): Promise<boolean> => {
    try {
      findings.push(await look());
      return true;
    } catch (error) {
      findings.push(failed(name, error));
      return false;
    }
  };
  const reached = await check('api', async () => {
    const startMs = terminal.nowMs();
    const health = await api.get<{ version: string }>('/v1/health');
    return ok('api', `version ${health.version}, ${Math.round(terminal.nowMs() - startMs)} ms`);
  });
  if (!reached) return findings;
  const allowed = await check('token', async () => {
    await api.get('/v1/jobs', { limit: 1 });
    return ok('token', 'may read jobs');
  });
  if (!allowed) return findings;
  await check('edges', async () => judgeEdges(await api.get<Page<Edge>>('/v1/edges')));
  await check('work', async () => judgeWork(await api.get<Stats>('/v1/stats')));
  return findings;
}

function judgeEdges({ items }: Page<Edge>): Finding {
  const connected = items.filter((edge) => edge.state === 'connected').length;
  if (connected > 0) return ok('edges', `${connected} of ${items.length} connected`);
  const detail = 'none is connected, so nothing can run. Run: edgewise fleet 10 20';
  return { check: 'edges', state: 'late', detail };
}

function judgeWork({ jobs, power }: Stats): Finding {
  const pending = jobs.pending ?? 0;
  const detail = `${pending} jobs wait, ${jobs.running ?? 0} run, ${power.free ?? 0} power is free`;
  if (pending > 0 && (jobs.running ?? 0) === 0) {
    return { check: 'work', state: 'late', detail: `${detail}. Run: edgewise explain last` };
  }
  return ok('work', detail);
}
