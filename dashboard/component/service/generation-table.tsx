import type { Chunk, Job } from '../../../core/contract/resources.ts';
import type { GenerationAnswer } from '../../../core/contract/services/generation-body.ts';
import { type GenerationRow, generationRows } from '../../model/service-instances.ts';
import { Ago } from '../ago.tsx';
import { Meter } from '../meter.tsx';
import { ScrollBox } from '../scroll-box.tsx';

/** Generations side by side: what each runs, and how many instances have it. */
type GenerationTableProps = {
  readonly service: Job;
  readonly instances: readonly Chunk[];
  readonly kept: readonly GenerationAnswer[];
};

const columns = ['Generation', 'Instances', 'Ready', 'Runs', 'Made'];

export function GenerationTable({ service, instances, kept }: GenerationTableProps) {
  const rows = generationRows(service, instances, kept);
  const rollout = service.status.service?.rollout ?? 'done';
  return (
    <section class="panel" aria-labelledby="generations-title">
      <h2 id="generations-title">
        Generations <span class="soft">rollout {rollout}</span>
      </h2>
      <ScrollBox label="Generations of the service">
        <table>
          <thead>
            <tr>
              {columns.map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row key={row.generation} row={row} of={instances.length} />
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </section>
  );
}

function Row({ row, of }: { row: GenerationRow; of: number }) {
  const { generation, runs, createdAt, instances, ready, isTarget } = row;
  return (
    <tr aria-current={isTarget ? 'true' : undefined}>
      <th scope="row">
        {generation} {isTarget && <span class="chip">wanted</span>}
      </th>
      <td class="with-meter">
        <Meter value={instances} of={of} label={`Generation ${generation}`} tone="load" />
        <span>{instances}</span>
      </td>
      <td class="figures">{ready}</td>
      <td>
        {runs === null ? <span class="soft">not kept</span> : <code class="cut">{runs}</code>}
      </td>
      <td class="soft">{createdAt !== null && <Ago at={createdAt} />}</td>
    </tr>
  );
}
