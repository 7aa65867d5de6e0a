/** A parsed settings file: untyped values with their positions. */

export interface Place {
  /** The path to show in messages, for example `supabase/config.toml`. */
  readonly file: string;
  /** 1-based */
  readonly line: number;
  readonly column: number;
}

export type RawTable = Map<string, RawNode>;
export type RawValue = string | number | boolean | null | readonly RawNode[] | RawTable;

export interface RawNode {
  readonly value: RawValue;
  /** Absent in trees built from objects. */
  readonly place?: Place;
}

/** An error or warning about the settings. */
export interface Notice {
  /** A dotted key, for example `auth.email.otp_length`. Empty for a whole file. */
  readonly key: string;
  readonly message: string;
  readonly place?: Place;
}

/** `supabase/config.toml:12: api.port: "x" isn't a port`. */
export function noticeText({ key, message, place }: Notice): string {
  const where = place === undefined ? '' : `${place.file}:${place.line}: `;
  return `${where}${key === '' ? '' : `${key}: `}${message}`;
}

/** Invalid settings, with all errors in file order. */
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

/** Converts plain objects and arrays to a tree. Omits `undefined` members. */
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
