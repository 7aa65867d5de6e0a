/** Comma-separated values (RFC 4180) into records by header name. */

/** Undefined: a quote that never ends, or a line whose number of fields differs from the header's. */
export function readCsv(text: string): { header: string[]; rows: string[][] } | { fault: string } {
  const lines = splitRecords(text);
  if (lines === undefined) return { fault: 'Unterminated quoted field' };
  const [header, ...rows] = lines;
  if (header === undefined) return { fault: 'not enough input' };
  if (rows.some((row) => row.length !== header.length)) {
    return { fault: 'All lines must have same number of fields' };
  }
  return { header, rows };
}

function splitRecords(text: string): string[][] | undefined {
  const records: string[][] = [];
  let record: string[] = [];
  let at = 0;
  while (at < text.length) {
    let field = '';
    if (text[at] === '"') {
      at++;
      for (;;) {
        const quote = text.indexOf('"', at);
        if (quote === -1) return undefined;
        field += text.slice(at, quote);
        at = quote + 1;
        if (text[at] !== '"') break;
        field += '"';
        at++;
      }
    }
    const end = /[,\r\n]|$/g;
    end.lastIndex = at;
    const stop = end.exec(text)?.index ?? text.length;
    field += text.slice(at, stop);
    record.push(field);
    at = stop;
    if (text[at] === ',') {
      at++;
      if (at === text.length) record.push('');
      continue;
    }
    records.push(record);
    record = [];
    at += text.startsWith('\r\n', at) ? 2 : 1;
  }
  if (record.length > 0) records.push(record);
  // Blank lines hold no record.
  return records.filter((fields) => fields.length > 1 || fields[0] !== '');
}
