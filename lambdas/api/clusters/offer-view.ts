import type { OfferAnswer } from '../../../core/contract/clusters/offer-body.ts';
import { count, formatRanges } from '../../../core/model/ranges.ts';
import { isRecord } from '../../../core/protocol/json.ts';
import type { Offer, WholeSubmission } from '../../../core/scheduler/offers.ts';
import { parseYaml } from '../../submissions/parse-yaml.ts';
import { timeOf } from '../jobs/view/job-view.ts';
import type { Ports } from '../ports.ts';

type Spec = Offer['intent']['spec'];

export type DocumentPorts = { readonly submissions: Pick<Ports['submissions'], 'find'> };

/** An offer as it is answered; a jobspec with its document, and the most that a job of it needs. */
export async function offerView(
  cluster: string,
  offer: Offer,
  deps: DocumentPorts,
): Promise<OfferAnswer> {
  const { job, intent, chunks, fits, whole } = offer;
  const { spec } = intent;
  const common = {
    cluster,
    queue: spec.queue,
    priority: spec.priority,
    nodes: nodesOfOffer(offer),
    submittedAt: timeOf(intent.submittedAtMs),
    fits,
  };
  if (whole !== null) return { ...common, ...(await wholeView(whole, deps)) };
  return {
    ...common,
    id: job,
    kind: 'job',
    name: spec.name,
    tasks: count(chunks),
    chunks: formatRanges(chunks),
    resources: { ...spec.resources },
    command: commandOf(spec.run),
    jobspec: null,
  };
}

async function wholeView({ id, tasks, intents }: WholeSubmission, { submissions }: DocumentPorts) {
  const found = await submissions.find(id);
  const document = found === null ? null : parseYaml(found.text, 'The jobspec');
  const resources = new Map<string, number>();
  for (const { spec } of intents) {
    for (const [name, amount] of Object.entries(spec.resources)) {
      resources.set(name, Math.max(amount, resources.get(name) ?? 0));
    }
  }
  return {
    id,
    kind: 'jobspec' as const,
    name: found?.name ?? null,
    tasks,
    chunks: null,
    resources: Object.fromEntries(resources),
    command: null,
    jobspec: isRecord(document) ? document : null,
  };
}

export function nodesOfOffer({ intent, whole }: Offer): number {
  return Math.max(...(whole?.intents ?? [intent]).map(({ spec }) => nodesOf(spec)));
}

export function nodesOf({ placement, resources }: Spec): number {
  return placement.nodes ?? resources.nodes ?? 1;
}

/** What it runs, as one line; a simulation runs nothing. */
function commandOf(run: Spec['run']): string | null {
  for (const part of Object.values(run)) {
    if (typeof part !== 'object' || part === null || !('argv' in part)) continue;
    const words: readonly unknown[] = Array.isArray(part.argv) ? part.argv : [];
    return words.join(' ');
  }
  return null;
}
