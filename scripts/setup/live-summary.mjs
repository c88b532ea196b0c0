/**
 * The pulse of a running stage: one line of edges, jobs and chunks, drawn over itself on a terminal
 * and written every few seconds elsewhere. It only reads `GET /v1/stats`; what it cannot read it
 * says instead.
 */
const terminalEveryMs = 1_000;
const logEveryMs = 5_000;
const requestMsMax = 4_000;

/** @typedef {Readonly<Record<string, number | undefined>>} Counts */
/** @typedef {Record<'edges' | 'jobs' | 'chunks' | 'power' | 'rates', Counts>} Stats */

/** @param {{ api: string, token: string, out?: NodeJS.WriteStream }} access */
export function startSummary({ api, token, out = process.stdout }) {
  const live = out.isTTY === true && process.env.TERM !== 'dumb';
  let stopped = false;
  /** @type {NodeJS.Timeout} */
  let timer;
  const look = async () => {
    const line = await readLine(api, token);
    if (stopped) return;
    if (live) out.write(`\r\u001b[2K${line.slice(0, Math.max(20, (out.columns ?? 80) - 1))}`);
    else out.write(`${line}\n`);
    timer = setTimeout(look, live ? terminalEveryMs : logEveryMs);
  };
  timer = setTimeout(look, 0);
  return {
    /** Writes a line of its own without tearing the live one. */
    say: (/** @type {string} */ text) => out.write(live ? `\r\u001b[2K${text}\n` : `${text}\n`),
    stop: () => {
      stopped = true;
      clearTimeout(timer);
      if (live) out.write('\r\u001b[2K');
    },
  };
}

/** @param {string} api @param {string} token */
async function readLine(api, token) {
  try {
    const response = await fetch(`${api}/v1/stats`, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(requestMsMax),
    });
    if (!response.ok) return `the API answers ${response.status}`;
    return formatStats(/** @type {Stats} */ (await response.json()));
  } catch {
    return 'the API does not answer';
  }
}

/** @param {Stats} stats */
export function formatStats({ edges, jobs, chunks, power, rates }) {
  const waiting = (jobs.pending ?? 0) + (jobs.scheduled ?? 0) + (jobs.waiting ?? 0);
  const bad = ['failed', 'cancelled'].map((word) => {
    const count = jobs[word] ?? 0;
    return count > 0 ? `, ${number(count)} ${word}` : '';
  });
  const away = (edges.disconnected ?? 0) + (edges.lost ?? 0);
  const ended = `${number(jobs.done)} done${bad.join('')}`;
  return [
    `edges ${number(edges.connected)} connected${away > 0 ? `, ${number(away)} away` : ''}`,
    `power ${number((power.total ?? 0) - (power.free ?? 0))} of ${number(power.total)} in use`,
    `jobs ${number(waiting)} waiting, ${number(jobs.running)} running, ${ended}`,
    `chunks ${number(chunks.running)} running, ${number(chunks.done)} done`,
    `${number(rates.jobsPerMinute)} jobs/min`,
  ].join(' | ');
}

/** @param {number | undefined} value */
function number(value) {
  return Math.round(value ?? 0).toLocaleString('en-US');
}
