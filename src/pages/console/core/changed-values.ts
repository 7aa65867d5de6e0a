/**
 * Old and new values for the audit log. Values are stored as short texts, so no single value can take up much space in
 * the log.
 */
interface ChangedValue {
  readonly name: string;
  /** The old value, as text. Null if there was no old value. */
  readonly from: string | null;
  readonly to: string | null;
}

/** A change whose old and new values must not be stored, because they are secret. */
interface HiddenChange {
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

const mask = '••••••';
const startsWithUrl = /^\s*[a-z][a-z\d+.-]*:\/\//i;

/**
 * Masks the passwords of URLs in a text. A password may contain characters that should have been percent-encoded, such as
 * `@`, `/`, `?` and `#`. In that case, the end of the password is ambiguous, and more than the password is masked.
 *
 * @example maskPasswords('postgres://me:p@ss@host/db') // 'postgres://••••••@host/db'
 * @example maskPasswords('me:p@ss@host') // 'me:••••••@host'
 */
export function maskPasswords(text: string): string {
  // If the text is a single URL, the password can also contain spaces. Otherwise, a space ends a URL.
  if (startsWithUrl.test(text) && text.split('://').length === 2) return maskWord(text);
  return text.replaceAll(/\S+/g, maskWord);
}

/** Masks the passwords in every key and string of a value, and returns the value as JSON. */
export const maskedJson = (value: unknown): string =>
  JSON.stringify(value, (_, item: unknown) => {
    if (typeof item === 'string') return maskPasswords(item);
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
    return Object.fromEntries(Object.entries(item).map(([key, each]) => [maskPasswords(key), each]));
  });

function maskWord(word: string): string {
  const colon = word.indexOf(':');
  return word.startsWith('://', colon) ? maskUserInfo(word, colon + 3) : maskAfterColon(word, colon);
}

/** Masks the user information, which begins at `start` and can contain a password (RFC 3986, section 3.2.1). */
function maskUserInfo(word: string, start: number): string {
  const rest = word.slice(start);
  const toLastAt = rest.slice(0, Math.max(0, rest.lastIndexOf('@')));
  // Without a colon, the URL has only a user name, and an `@` can be part of the path, as in `https://host/@name`.
  const end = toLastAt.includes(':') ? toLastAt.length : rest.split(/[/?#]/, 1)[0]?.lastIndexOf('@');
  return end === undefined || end < 0 ? word : `${word.slice(0, start)}${mask}${rest.slice(end)}`;
}

/** Without a scheme, a password is recognized by the colon before it and the `@` after it. */
function maskAfterColon(word: string, colon: number): string {
  const at = word.lastIndexOf('@');
  return colon === -1 || at < colon ? word : `${word.slice(0, colon + 1)}${mask}${word.slice(at)}`;
}
