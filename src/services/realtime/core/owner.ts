/**
 * Determines from row policies which users might be able to see a row. A policy such as `owner = (select auth.uid())`
 * limits a row to its owner. If a table has 500 subscribers, PostgreSQL must be queried only for the owner and not for
 * the other 499. This step only excludes subscribers who can't see the row, and PostgreSQL determines visibility for
 * the other subscribers. A policy that isn't recognized doesn't exclude any subscribers.
 *
 * `pg_get_expr` formats the expressions with an empty search_path, so names in other schemas are qualified and
 * operators are parenthesized.
 */

export interface RowPolicy {
  readonly permissive: boolean;
  /** The USING expression of a SELECT or ALL policy. Null if the policy has no expression. */
  readonly using: string | null;
}

/**
 * Returns the owner columns. If a user can see a row, at least one of these columns contains the user's ID (the `sub`
 * claim). Returns undefined if access isn't restricted to owners.
 *
 * @example
 * ownerColumns([{ permissive: true, using: '(owner = ( SELECT auth.uid() AS uid))' }], new Set(['owner'])) // ['owner']
 */
export function ownerColumns(
  policies: readonly RowPolicy[],
  /**
   * The columns in which two values are equal if and only if their texts are equal: uuid columns, and text columns with
   * a deterministic collation.
   */
  comparable: ReadonlySet<string>,
): readonly string[] | undefined {
  const columns = new Set<string>();
  // Restrictive policies are skipped because they can only reduce access. A table without a permissive policy denies
  // all access, but such tables are too rare to optimize.
  for (const { permissive, using } of policies) {
    if (!permissive) continue;
    const column = using === null ? undefined : ownerOf(using, comparable);
    if (column === undefined) return undefined;
    columns.add(column);
  }
  return columns.size === 0 ? undefined : [...columns];
}

/** Whether this ID reliably identifies a caller. Only IDs with a single canonical spelling are reliable. */
export function isPlainId(sub: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(sub);
}

function ownerOf(using: string, comparable: ReadonlySet<string>): string | undefined {
  for (const condition of splitAt(unwrap(using), ' AND ')) {
    const sides = splitAt(unwrap(condition), ' = ');
    if (sides.length !== 2) continue;
    const [left, right] = sides as [string, string];
    const [name, other] = isCallerId(right) ? [left, right] : [right, left];
    const column = columnName(name);
    if (column !== undefined && comparable.has(column) && isCallerId(other)) return column;
  }
  return undefined;
}

function columnName(text: string): string | undefined {
  if (/^[a-z_][a-z0-9_]*$/.test(text)) return text;
  const quoted = /^"((?:[^"]|"")+)"$/.exec(text);
  return quoted?.[1]?.replaceAll('""', '"');
}

/**
 * Whether the expression is `auth.uid()` or the claim `sub`, either of which can be cast to uuid or text or enclosed in
 * a subselect.
 */
function isCallerId(text: string): boolean {
  const bare = unselect(text);
  if (bare === 'auth.uid()' || bare === "current_setting('request.jwt.claim.sub'::text, true)") return true;
  const claim = / ->> 'sub'::text$/.exec(bare);
  if (claim !== null) return isClaims(bare.slice(0, claim.index));
  const cast = /::(uuid|text)$/.exec(bare);
  return cast !== null && isCallerId(bare.slice(0, cast.index));
}

function isClaims(text: string): boolean {
  const bare = unselect(text);
  if (bare === 'auth.jwt()') return true;
  const cast = /::jsonb?$/.exec(bare);
  return (
    cast !== null && unwrap(bare.slice(0, cast.index)) === "current_setting('request.jwt.claims'::text, true)"
  );
}

/** Removes outer parentheses and unwraps a subselect that has no FROM clause. */
function unselect(text: string): string {
  const bare = unwrap(text);
  const select = /^SELECT (.*) AS (?:\w+|"[^"]+")$/s.exec(bare);
  return select === null ? bare : unselect(select[1] as string);
}

function unwrap(text: string): string {
  let bare = text.trim();
  while (bare.startsWith('(') && closes(bare, 0) === bare.length - 1) bare = bare.slice(1, -1).trim();
  return bare;
}

/** Splits the text at separators outside parentheses and quotes. */
function splitAt(text: string, separator: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const skipped = closes(text, at);
    if (skipped !== undefined) at = skipped;
    else if (text.startsWith(separator, at)) {
      parts.push(text.slice(start, at));
      at += separator.length - 1;
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

/**
 * Returns the index of the character that closes the parenthesis or quote at index `at`, or undefined if none begins
 * there.
 */
function closes(text: string, at: number): number | undefined {
  const open = text[at];
  if (open === "'" || open === '"') {
    // A doubled quote counts as the end of one string and the beginning of another string, which doesn't affect the
    // result.
    const end = text.indexOf(open, at + 1);
    return end < 0 ? text.length : end;
  }
  if (open !== '(') return undefined;
  for (let index = at + 1; index < text.length; index++) {
    if (text[index] === ')') return index;
    index = closes(text, index) ?? index;
  }
  return text.length;
}
