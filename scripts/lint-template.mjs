/**
 * `npm run lint:template`: what is deployed, judged by cfn-lint (pinned, from PyPI) as well, which
 * knows the schemas of AWS and the documented limits of each service. One line for each template;
 * whatever it says that is not accepted here, with a reason, is a failure.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endWith, Stop } from './repository.mjs';
import { ensurePackages } from './setup/packages.mjs';
import { ensurePythonTool } from './setup/python-tools.mjs';
import { ensureSynthesis, synthesisOf } from './setup/synthesis.mjs';

/** One of each kind: kept, and thrown away. */
const stages = ['production', 'trial'];

/** Where the parts that are not everywhere are known to be. */
const regions = ['eu-west-1', 'us-east-1', 'ap-southeast-2'];

/** @type {{ id: string, said: RegExp, reason: string }[]} */
const accepted = [
  {
    id: 'W3005',
    said: /./,
    reason: 'CDK says a dependency on a role also where a reference says it; both mean the same',
  },
  {
    id: 'W1030',
    said: /^\{'Ref': '(Api|Dashboard)Certificate'\} is not/,
    reason: 'where the parameter is empty a condition leaves out what it would be needed for',
  },
];

/** @param {Finding} finding */
const isAccepted = ({ Rule, Message }) =>
  accepted.some(({ id, said }) => id === Rule.Id && said.test(Message));

/** @typedef {{ Rule: { Id: string }, Message: string, Location: { Path: unknown } }} Finding */

async function main() {
  ensurePackages();
  const { folder, reason } = ensurePythonTool('cfn-lint');
  if (folder === null) throw new Stop(reason);
  for (const stage of stages) await ensureSynthesis(stage);
  const templates = stages.map((stage) => join(synthesisOf(stage), 'Edgewise.template.json'));
  const found = templates.flatMap((path) => findingsIn(folder, path));
  for (const { Rule, Message } of found) console.log(`${Rule.Id} ${Message}`);
  const seesErrors = findingsInBroken(folder, templates[0] ?? '').length > 0;
  if (!seesErrors) console.log('cfn-lint finds nothing in a template that is broken on purpose');
  const failed = found.length + (seesErrors ? 0 : 1);
  console.log(
    `${stages.length + 1 - Math.min(failed, stages.length + 1)} passed, ${failed} failed`,
  );
  process.exitCode = failed > 0 ? 1 : 0;
}

/** @param {string} folder @param {string} path @returns {Finding[]} */
function findingsIn(folder, path) {
  const words = ['--format', 'json', '--regions', ...regions];
  const done = spawnSync(join(folder, 'cfn-lint'), [...words, '--template', path], {
    encoding: 'utf8',
  });
  try {
    /** @type {Finding[]} */
    const found = JSON.parse(done.stdout || '[]');
    return found.filter((finding) => !isAccepted(finding));
  } catch {
    throw new Stop(`cfn-lint failed: ${done.stderr.trim()}`);
  }
}

/**
 * A judge that finds nothing must be able to find something.
 *
 * @param {string} folder
 * @param {string} path
 */
function findingsInBroken(folder, path) {
  const place = mkdtempSync(join(tmpdir(), 'edgewise-template-'));
  try {
    const template = JSON.parse(readFileSync(path, 'utf8'));
    template.Resources.Table.Properties.BillingMode = 'FREE_OF_CHARGE';
    const broken = join(place, 'broken.template.json');
    writeFileSync(broken, JSON.stringify(template));
    return findingsIn(folder, broken);
  } finally {
    rmSync(place, { recursive: true });
  }
}

await main().catch(endWith);
