/** Parses the Prefer header (RFC 7240) and formats Preference-Applied. */
import { rowNumber } from './range.ts';

export interface Preferences {
  readonly resolution?: 'merge-duplicates' | 'ignore-duplicates' | undefined;
  readonly missing?: 'default' | 'null' | undefined;
  readonly return?: 'representation' | 'minimal' | 'headers-only' | undefined;
  readonly count?: 'exact' | 'planned' | 'estimated' | undefined;
  readonly tx?: 'commit' | 'rollback' | undefined;
  readonly handling?: 'strict' | 'lenient' | undefined;
  readonly timezone?: string | undefined;
  readonly maxAffected?: number | undefined;
  /** The invalid preferences, which are rejected if `handling=strict` is set. */
  readonly invalid: readonly string[];
}

const KNOWN = {
  resolution: ['merge-duplicates', 'ignore-duplicates'],
  missing: ['default', 'null'],
  return: ['representation', 'minimal', 'headers-only'],
  count: ['exact', 'planned', 'estimated'],
  tx: ['commit', 'rollback'],
  handling: ['strict', 'lenient'],
} as const;

type Kind = keyof typeof KNOWN;
const KINDS = Object.keys(KNOWN) as Kind[];

const NONE: Preferences = { invalid: [] };

/**
 * Parses the header. `txOverride` specifies whether clients can choose how the transaction ends. If `txOverride` is
 * false, the preference `tx` is ignored.
 */
export function readPreferences(header: string | undefined, txOverride: boolean): Preferences {
  if (header === undefined) return NONE;
  const given = header.split(',').map((one) => one.trim());
  const found: Record<string, unknown> = {};
  const invalid: string[] = [];
  for (const preference of given) {
    const equals = preference.indexOf('=');
    const name = preference.slice(0, Math.max(equals, 0));
    const value = preference.slice(equals + 1);
    if (name === 'timezone') found.timezone ??= value;
    else if (name === 'max-affected') found.maxAffected ??= value;
    else if (KINDS.includes(name as Kind) && (KNOWN[name as Kind] as readonly string[]).includes(value)) {
      found[name] ??= value;
    } else invalid.push(preference);
  }
  if (!txOverride) delete found.tx;
  const affected = found.maxAffected as string | undefined;
  found.maxAffected =
    affected !== undefined && /^\s*-?\d+\s*$/.test(affected) ? rowNumber(affected) : undefined;
  return { ...found, invalid };
}

const APPLIED = ['resolution', 'missing', 'return', 'count', 'tx', 'handling', 'timezone'] as const;

/** Formats the preferences that had an effect. `applies` returns whether a preference changed the plan. */
export function preferenceApplied(
  preferences: Preferences,
  applies: (kind: keyof Preferences) => boolean,
): string | undefined {
  const parts: string[] = [];
  for (const kind of APPLIED) {
    const value = preferences[kind];
    if (value !== undefined && applies(kind)) parts.push(`${kind}=${value}`);
  }
  if (preferences.handling === 'strict' && preferences.maxAffected !== undefined && applies('maxAffected')) {
    parts.push(`max-affected=${preferences.maxAffected}`);
  }
  return parts.length === 0 ? undefined : parts.join(', ');
}
