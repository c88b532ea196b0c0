import { factLinesMax } from '../../limits.ts';

/** What the edge said about itself, flattened to the dotted names that expressions use. */
type Line = readonly [name: string, value: string];

export function flattenFacts(facts: unknown, prefix = ''): Line[] {
  if (typeof facts !== 'object' || facts === null) return [[prefix, String(facts)]];
  if (Array.isArray(facts) && facts.every((entry) => typeof entry !== 'object')) {
    return [[prefix, facts.join(', ')]];
  }
  return Object.entries(facts).flatMap(([key, value]) =>
    flattenFacts(value, prefix === '' ? key : `${prefix}.${key}`),
  );
}

export function EdgeFacts({ facts }: { facts: Readonly<Record<string, unknown>> | undefined }) {
  const lines = flattenFacts(facts ?? {}).slice(0, factLinesMax);
  return (
    <section class="panel" aria-labelledby="facts-title">
      <h2 id="facts-title">Facts</h2>
      {lines.length === 0 && <p class="soft">It has reported no facts.</p>}
      <dl class="lines">
        {lines.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
