/**
 * Lines of comma-separated values as RFC 4180 has them: a first line of names, CRLF, quotes around
 * what has a comma, a quote or a line break in it. A value is written as it is.
 */
export function formatCsv(rows: readonly (readonly (string | number)[])[]): string {
  return rows.map((row) => `${row.map(field).join(',')}\r\n`).join('');
}

function field(value: string | number): string {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
