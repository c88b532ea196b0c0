/** A map of texts in CBOR (RFC 8949): as much of it as an error of a newer protocol needs. */
export function cborText(map: Readonly<Record<string, string>>): Buffer {
  const entries = Object.entries(map);
  return Buffer.concat([
    head(mapType, entries.length),
    ...entries.flatMap(([name, value]) => [text(name), text(value)]),
  ]);
}

const textType = 3;
const mapType = 5;

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([head(textType, bytes.length), bytes]);
}

/** Three bits of type, and the length: in the same byte below 24, otherwise in the next two. */
function head(type: number, length: number): Buffer {
  const high = type << 5;
  if (length < 24) return Buffer.from([high | length]);
  return Buffer.from([high | 25, length >> 8, length & 0xff]);
}
