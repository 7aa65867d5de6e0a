/**
 * Old and new values for the audit log. Values are stored as short texts, so no single value can take up much space in
 * the log.
 */
import { maskedJson, maskPasswords } from './mask-passwords.ts';

export interface ChangedValue {
  readonly name: string;
  /** The old value, as text. Null if there was no old value. */
  readonly from: string | null;
  readonly to: string | null;
}

/** A change whose old and new values must not be stored, because they are secret. */
export interface HiddenChange {
  readonly name: string;
  readonly hidden: 'set' | 'changed' | 'removed';
}

export type RecordedChange = ChangedValue | HiddenChange;

const maxValueLength = 300;

export const changedValue = (name: string, from: unknown, to: unknown): ChangedValue => ({
  name,
  from: valueText(from),
  to: valueText(to),
});

export const hiddenChange = (name: string, wasSet: boolean, isSet: boolean): HiddenChange => ({
  name,
  hidden: !wasSet ? 'set' : isSet ? 'changed' : 'removed',
});

/**
 * Compares the top-level keys of an object before and after a change, and doesn't record the values. Used for the
 * metadata of users.
 */
export function changedKeys(
  name: string,
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): HiddenChange[] {
  const has = (object: object, key: string): boolean => Object.hasOwn(object, key);
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter(
      (key) =>
        has(before, key) !== has(after, key) || JSON.stringify(before[key]) !== JSON.stringify(after[key]),
    )
    .map((key) => hiddenChange(`${name}.${key}`, has(before, key), has(after, key)));
}

function valueText(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return cutText(typeof value === 'string' ? maskPasswords(value) : maskedJson(value), maxValueLength);
}

/**
 * Truncates a text and appends its full length. Replaces NUL and unpaired surrogates, which PostgreSQL's jsonb rejects.
 */
export function cutText(text: string, maxLength: number): string {
  const cut =
    text.length <= maxLength ? text : `${text.slice(0, maxLength)}… (${text.length} characters in all)`;
  return cut.toWellFormed().replaceAll('\0', '\ufffd');
}

/** Limits the size of the details in an audit log entry. Texts and lists that were truncated end with a note. */
export function boundedDetail(detail: object): object {
  const whole = bounded(detail, 2000, 200);
  return JSON.stringify(whole).length <= maxDetailLength
    ? (whole as object)
    : (bounded(detail, 100, 20) as object);
}

const maxDetailLength = 64_000;

function bounded(value: unknown, maxLength: number, maxItems: number): unknown {
  if (typeof value === 'string') return cutText(value, maxLength);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (Array.isArray(value)) {
    const items = value.slice(0, maxItems).map((item) => bounded(item, maxLength, maxItems));
    return value.length <= maxItems ? items : [...items, `… (${value.length} in all)`];
  }
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, maxItems)
      .map(([name, item]) => [cutText(name, 200), bounded(item, maxLength, maxItems)]),
  );
}
