/** A settings file as read, before anybody knows what its keys mean: values with the place they stand at. */

export interface Place {
  /** As shown to people, for example `supabase/config.toml`. */
  readonly file: string;
  /** 1-based */
  readonly line: number;
  readonly column: number;
}

export type RawTable = Map<string, RawNode>;
export type RawValue = string | number | boolean | null | readonly RawNode[] | RawTable;

export interface RawNode {
  readonly value: RawValue;
  /** Absent in trees made from objects. */
  readonly place?: Place;
}

/** Something wrong (or worth a warning) in the settings. */
export interface Notice {
  /** Dotted, for example `auth.email.otp_length`; empty when a whole file is meant. */
  readonly key: string;
  readonly message: string;
  readonly place?: Place;
}

/** `supabase/config.toml:12: api.port: "x" isn't a port`. */
export function noticeText({ key, message, place }: Notice): string {
  const where = place === undefined ? '' : `${place.file}:${place.line}: `;
  return `${where}${key === '' ? '' : `${key}: `}${message}`;
}

/** The settings cannot be used. Carries every fault that was found, in the order of the file. */
export class ConfigError extends Error {
  readonly faults: readonly Notice[];
  constructor(faults: readonly Notice[]) {
    const sorted = [...faults].sort(byPlace);
    const lines = sorted.map(noticeText);
    super(lines.length === 1 ? lines[0] : `${lines.length} invalid settings:\n  ${lines.join('\n  ')}`);
    this.name = 'ConfigError';
    this.faults = sorted;
  }
}

function byPlace(a: Notice, b: Notice): number {
  const byFile = (a.place?.file ?? '').localeCompare(b.place?.file ?? '');
  return byFile || (a.place?.line ?? 0) - (b.place?.line ?? 0);
}

/** A tree from plain objects and arrays; `undefined` members are left out. */
export function treeFrom(value: object): RawTable {
  const table: RawTable = new Map();
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) table.set(key, nodeFrom(member));
  }
  return table;
}

function nodeFrom(value: unknown): RawNode {
  if (Array.isArray(value)) return { value: value.map(nodeFrom) };
  if (typeof value === 'object' && value !== null) return { value: treeFrom(value) };
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return { value };
  return { value: null };
}
