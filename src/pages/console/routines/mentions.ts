/**
 * Finds functions whose source calls a routine, by its name. PostgreSQL records dependencies only for bodies in the SQL
 * standard's form, not for bodies that are text.
 */
import { sql } from '../../../base/kernel/sql.ts';
import { significant, tokenize } from '../../../base/shared/sql/lex.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { Dependent } from './contract.ts';
import { signatureOf } from './queries.ts';

export async function listMentions(
  db: Queryable,
  { oid, name }: { readonly oid: number; readonly name: string },
): Promise<Dependent[]> {
  const candidates = await db.query<{ name: string; signature: string; source: string }>(sql`
    select p.proname as name, ${signatureOf(sql.raw('p'), sql.raw('n'))} as signature, p.prosrc as source
    from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    join pg_catalog.pg_language l on l.oid = p.prolang
    where p.oid <> ${oid}::int8::oid and l.lanname in ('sql', 'plpgsql') and p.prosqlbody is null
      and n.nspname not in ('_plinth', 'pg_catalog', 'information_schema') and n.nspname not like 'pg\\_%'
      and pg_catalog.strpos(pg_catalog.lower(p.prosrc), pg_catalog.lower(${name})) > 0
    order by n.nspname, p.proname`);
  return candidates
    .filter(({ source }) => calls(source, name))
    .map(({ name, signature }) => ({ kind: 'function', name, table: null, signature }));
}

/**
 * Whether the source contains a call of the name, which is followed by a parenthesis, outside of comments. Calls in
 * dynamic SQL, which is a string, also count.
 */
export function calls(source: string, name: string): boolean {
  const tokens = significant(tokenize(source));
  return tokens.some(({ kind, text }, index) => {
    if (kind === 'string') return isCalledIn(text, name);
    if (tokens[index + 1]?.text !== '(') return false;
    return kind === 'word' ? text === name : kind === 'name' && text === `"${name.replaceAll('"', '""')}"`;
  });
}

function isCalledIn(text: string, name: string): boolean {
  const lower = text.toLowerCase();
  const wanted = name.toLowerCase();
  for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, at + 1)) {
    const before = lower[at - 1] ?? ' ';
    if (!/[\w$\u0080-\uffff]/.test(before) && /^"?\s*\(/.test(lower.slice(at + wanted.length))) return true;
  }
  return false;
}
