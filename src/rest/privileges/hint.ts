/**
 * What to do about a refusal, in words: the text of `hint`. Pure. The sentence about privileges is the one that the
 * hosted service answers with (supautils 3.2), so that those who know it find it again.
 */
import type { Privilege } from './needs.ts';
import type { MissingRow, PolicyRow } from './queries.ts';

/** `short`: what may be told to anybody. `full`: for developers, with columns and names of policies. */
export type Extent = 'short' | 'full';

const ORDER: readonly Privilege[] = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];

/** The request may do all that it asks for itself, and yet something was refused. */
export const BEHIND_THE_REQUEST =
  'The request itself is allowed: a policy, view, trigger or function behind it needs this privilege. Grant it, or let that function run as its owner (SECURITY DEFINER).';

/** A row was refused by another table than the one that is written to. */
export const ROW_BEHIND_THE_REQUEST =
  'The row-level security policies of a table behind this request (written by a view, trigger or function) refuse the row.';

/** `role` as SQL writes it; `missing` not empty. */
export function privilegeHint(role: string, missing: readonly MissingRow[], extent: Extent): string {
  const grants = grantsOf(missing, extent).map((grant) => `GRANT ${grant} TO ${role};`);
  const readable = extent === 'full' ? readableColumns(missing) : undefined;
  const instead = readable === undefined ? '' : ` Or select only what it may read: ${readable.join(', ')}.`;
  return `Grant the required privileges to the current role with: ${grants.join(' ')}${instead}`;
}

/** Both as SQL writes them: the role of the token, and the one that signs in. */
export const membershipHint = (role: string, login: string): string =>
  `The login role may not act as this role. If tokens are to use it, grant it with: GRANT ${role} TO ${login};`;

function grantsOf(missing: readonly MissingRow[], extent: Extent): string[] {
  const schemas = missing
    .filter(({ kind }) => kind === 'schema')
    .map(({ name }) => `USAGE ON SCHEMA ${name}`);
  const relations = new Map<string, MissingRow[]>();
  for (const row of missing) {
    if (row.kind !== 'relation') continue;
    relations.set(row.name, [...(relations.get(row.name) ?? []), row]);
  }
  const tables = [...relations].map(([name, rows]) => {
    const byPrivilege = ORDER.flatMap((privilege) => {
      const row = rows.find((one) => one.privilege === privilege);
      return row === undefined ? [] : [privilege + columnList(row, extent)];
    });
    return `${byPrivilege.join(', ')} ON ${name}`;
  });
  const others = missing.flatMap(({ kind, name }) => {
    if (kind === 'sequence') return [`USAGE ON SEQUENCE ${name}`];
    return kind === 'routine' ? [`EXECUTE ON FUNCTION ${name}`] : [];
  });
  return [...schemas, ...tables, ...others];
}

/** Where a role has rights on columns, it lacks those on further ones; else the whole table is meant. */
function columnList({ allowed, columns, every }: MissingRow, extent: Extent): string {
  const single = extent === 'full' && allowed.length > 0 && columns.length > 0 && !every;
  return single ? ` (${columns.join(', ')})` : '';
}

function readableColumns(missing: readonly MissingRow[]): readonly string[] | undefined {
  return missing.find(
    ({ privilege, every, allowed }) => privilege === 'SELECT' && every && allowed.length > 0,
  )?.allowed;
}

export type Command = 'SELECT' | 'INSERT' | 'UPDATE';

export interface RefusedRow {
  /** Role and table as SQL writes them. */
  readonly role: string;
  readonly table: string;
  /** Whose policies have to let the row pass, the write's own first. */
  readonly commands: readonly Command[];
  /** The row is wanted back, which `Prefer: return=minimal` would not do. */
  readonly returned: boolean;
}

/** Without a look at the policies, so that nothing is told of them. */
export function shortPolicyHint({ role, commands, returned }: RefusedRow): string {
  const [first = 'INSERT', ...more] = commands;
  const also = more.length === 0 ? '' : `, and so do its policies FOR ${more.join(' and ')}`;
  const instead = returned
    ? ' With Prefer: return=minimal no policy FOR SELECT is asked for the new row.'
    : '';
  return `Row-level security lets ${role} write only rows that a policy FOR ${first} accepts${also}.${instead}`;
}

const VERBS = { SELECT: 'select from', INSERT: 'insert into', UPDATE: 'update' } as const;
const CLAUSES = { SELECT: 'USING', INSERT: 'WITH CHECK', UPDATE: 'USING' } as const;

/** `policies`: those of the table that apply to the role. */
export function fullPolicyHint(row: RefusedRow, policies: readonly PolicyRow[]): string {
  const { role, table, commands, returned } = row;
  const appliesTo = (command: Command) =>
    policies.filter((policy) => policy.command === command || policy.command === '*');
  // Restrictive policies only take away: without a permissive one nothing is left.
  const lacking = commands.find((command) => !appliesTo(command).some(({ permissive }) => permissive));
  if (lacking !== undefined) {
    const because = lacking === 'SELECT' && returned ? ', and the new row is to be returned' : '';
    const create = `CREATE POLICY ${lacking.toLowerCase()}_by_role ON ${table} FOR ${lacking} TO ${role} ${CLAUSES[lacking]} (…);`;
    const instead =
      lacking === 'SELECT' && returned ? ' Or ask for nothing back (Prefer: return=minimal).' : '';
    return `No policy lets ${role} ${VERBS[lacking]} ${table}${because}. Create one: ${create}${instead}`;
  }
  const named = commands.map((command) => {
    const names = appliesTo(command).map(({ name, permissive }) =>
      permissive ? name : `${name} (restrictive)`,
    );
    return `FOR ${command}: ${names.join(', ')}`;
  });
  return `The row does not satisfy the policies of ${table} that apply to ${role}. ${named.join('; ')}.`;
}
