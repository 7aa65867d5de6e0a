/** The types of a parsed settings file. The parsed values have positions but haven't been validated. */

export interface SourceLocation {
  /** The file's path as shown in messages, such as `supabase/config.toml`. */
  readonly file: string;
  /** The line number, starting at 1. */
  readonly line: number;
  readonly column: number;
}

export type RawTable = Map<string, RawNode>;
export type RawValue = string | number | boolean | null | readonly RawNode[] | RawTable;

export interface RawNode {
  readonly value: RawValue;
  /** The position. Absent if the tree was created from an object instead of a file. */
  readonly location?: SourceLocation;
}

/** An error or warning about the settings. */
export interface Notice {
  /** The setting's key, such as `auth.email.otp_length`. Empty if the notice applies to a whole file. */
  readonly key: string;
  readonly message: string;
  readonly location?: SourceLocation;
}

/** Returns a notice's text, such as `supabase/config.toml:12: api.port: "x" isn't a port`. */
export function noticeText({ key, message, location }: Notice): string {
  const where = location === undefined ? '' : `${location.file}:${location.line}: `;
  return `${where}${key === '' ? '' : `${key}: `}${message}`;
}

/** An error for invalid settings. Contains all errors, in the order in which they occur in the file. */
export class ConfigError extends Error {
  readonly faults: readonly Notice[];
  constructor(faults: readonly Notice[]) {
    const sorted = [...faults].sort(byLocation);
    const lines = sorted.map(noticeText);
    super(lines.length === 1 ? lines[0] : `${lines.length} invalid settings:\n  ${lines.join('\n  ')}`);
    this.name = 'ConfigError';
    this.faults = sorted;
  }
}

function byLocation(a: Notice, b: Notice): number {
  const byFile = (a.location?.file ?? '').localeCompare(b.location?.file ?? '');
  return byFile || (a.location?.line ?? 0) - (b.location?.line ?? 0);
}

/** Converts plain objects and arrays to a settings tree. Omits members whose value is `undefined`. */
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
