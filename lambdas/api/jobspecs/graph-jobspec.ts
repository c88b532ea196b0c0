import type { Unit } from '../../../core/contract/jobspec/plan.ts';
import { unitStates } from '../../../core/jobs/submission-status.ts';
import { planOfText } from '../../submissions/make-jobs.ts';
import { badQuery, checkQuery, jobOfPath } from '../http/call.ts';
import { defineOperation } from '../operation.ts';
import { jobsOfSubmission, type SubmissionReading, visibleSubmission } from './submission-view.ts';

/** `GET /v1/jobspecs/{id}/graph`: tasks and groups, and who waits for whom. */
export const graphJobspec = defineOperation({
  name: 'graphJobspec',
  read: (call) => {
    checkQuery(call, ['format']);
    const { format = 'json' } = call.query;
    if (format !== 'json' && format !== 'dot')
      throw badQuery('format', 'This must be json or dot.');
    return { id: jobOfPath(call), format };
  },
  run: async ({ id, format }, { caller }, deps: SubmissionReading) => {
    const submission = await visibleSubmission(id, caller, deps);
    const plan = planOfText(submission.text);
    const states = unitStates(submission, await jobsOfSubmission(submission, deps));
    const graph: Graph = { nodes: [], edges: [] };
    for (const unit of plan.units) addUnit(graph, unit, null, states.get(unit.name)!);
    return { graph, format };
  },
  answer: ({ graph, format }) => {
    if (format === 'json') return { status: 200, body: graph };
    const headers = { 'content-type': 'text/vnd.graphviz; charset=utf-8' };
    return { status: 200, headers, body: dotOf(graph) };
  },
});

type Node = { name: string; group: string | null; kind: 'task' | 'group'; state: string };
type Graph = { readonly nodes: Node[]; readonly edges: { from: string; to: string }[] };

/** Names of what is in a group are paths, so that two tasks of one name are two. */
function addUnit(graph: Graph, unit: Unit, group: string | null, state: string): void {
  const pathOf = (name: string) => (group === null ? name : `${group}/${name}`);
  const path = pathOf(unit.name);
  graph.nodes.push({ name: path, group, kind: unit.kind, state });
  for (const before of unit.after) graph.edges.push({ from: pathOf(before), to: path });
  if (unit.kind === 'task') return;
  for (const member of unit.members) addUnit(graph, member, path, state);
}

function dotOf({ nodes, edges }: Graph): string {
  const word = (text: string) => JSON.stringify(text);
  const lines = nodes.map(({ name, kind, state }) => {
    const shape = kind === 'group' ? 'box' : 'ellipse';
    return `  ${word(name)} [shape=${shape}, label=${word(`${name}\n${state}`)}];`;
  });
  const inside = nodes.flatMap(({ name, group }) =>
    group === null ? [] : [`  ${word(group)} -> ${word(name)} [style=dotted];`],
  );
  const arrows = edges.map(({ from, to }) => `  ${word(from)} -> ${word(to)};`);
  return ['digraph jobspec {', ...lines, ...inside, ...arrows, '}', ''].join('\n');
}
