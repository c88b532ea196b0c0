import { createHash } from 'node:crypto';

/**
 * Bills of materials in CycloneDX: the one that npm writes of the lock file, made the same for
 * everybody who has the same lock file, and one for each thing that is shipped, with exactly what
 * is in it.
 */
export type Component = {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version?: string;
  readonly properties?: readonly Property[];
  readonly [field: string]: unknown;
};

type Property = { readonly name: string; readonly value: string };

export type Bill = {
  readonly serialNumber?: string;
  readonly metadata: { readonly component: Component; readonly [field: string]: unknown };
  readonly components: readonly Component[];
  readonly dependencies: readonly {
    readonly ref: string;
    readonly dependsOn?: readonly string[];
  }[];
  readonly [field: string]: unknown;
};

/** A thing that is shipped: its name, and `name@version` of every package that is in it. */
export type Shipment = { readonly name: string; readonly packages: ReadonlySet<string> };

const shippedIn = 'edgewise:shipped-in';

/** Everything that is needed, with the things that it is shipped in; a tool is in none. */
export function wholeBill(written: Bill, shipments: readonly Shipment[]): Bill {
  const { component } = written.metadata;
  const { name, version } = splitRef(component['bom-ref']);
  const components = written.components.map((one) => {
    const within = shipments.filter(({ packages }) => packages.has(one['bom-ref']));
    const found = within.map((shipment) => ({ name: shippedIn, value: shipment.name }));
    // npm names a workspace after its folder.
    const named = { ...one, name: splitRef(one['bom-ref']).name };
    return { ...named, properties: [...(one.properties ?? []), ...found] };
  });
  const metadata = {
    ...written.metadata,
    component: { ...component, type: 'application', name, version },
  };
  return numbered({ ...written, metadata, components });
}

/** What is in one thing. A package that the lock file does not know is a defect of the build. */
export function billOf(whole: Bill, { name, packages }: Shipment): Bill {
  const unknown = [...packages].filter(
    (ref) => !whole.components.some((one) => one['bom-ref'] === ref),
  );
  if (unknown.length > 0) throw new Error(`${name} holds ${unknown.join(', ')}, not locked`);
  const { version } = whole.metadata.component;
  const own = `${name}@${version}`;
  const components = whole.components.filter((one) => packages.has(one['bom-ref']));
  const known = new Set(packages);
  const inside = whole.dependencies
    .filter(({ ref }) => known.has(ref))
    .map(({ ref, dependsOn = [] }) => ({
      ref,
      dependsOn: dependsOn.filter((to) => known.has(to)),
    }));
  const component = { ...whole.metadata.component, 'bom-ref': own, name, purl: undefined };
  return numbered({
    ...whole,
    metadata: { ...whole.metadata, component },
    components,
    dependencies: [{ ref: own, dependsOn: [...packages].sort() }, ...inside],
  });
}

/** The number follows from the content, and no time is in it: the same twice, and elsewhere. */
function numbered({ serialNumber: _drawn, ...bill }: Bill): Bill {
  const { timestamp: _now, ...metadata } = bill.metadata;
  const content = { ...bill, metadata };
  const hash = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  const variant = ((Number.parseInt(hash.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  const groups = [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `${variant}${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ];
  return { ...content, metadata, serialNumber: `urn:uuid:${groups.join('-')}` } as Bill;
}

/** `@scope/name@1.2.3` */
function splitRef(ref: string): { readonly name: string; readonly version: string } {
  const at = ref.lastIndexOf('@');
  return { name: ref.slice(0, at), version: ref.slice(at + 1) };
}
