/**
 * Formats the `hint` of permission errors. The text about privileges is the same as in the hosted service (supautils
 * 3.2), so users can find it with a search.
 */

import type { MissingRow, PolicyRow } from './queries.ts';
import type { Privilege } from './required-privileges.ts';

/**
 * The level of detail of a hint. `short` is safe to show to any client. `full` is for developers and includes column
 * and policy names.
 */
export type Extent = 'short' | 'full';

const ORDER: readonly Privilege[] = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];

/**
 * The hint if the role has all privileges that the request itself requires, but lacks a privilege on an object that the
 * request uses indirectly.
 */
export const BEHIND_THE_REQUEST =
  "The request itself is allowed, but a policy, view, trigger or function behind it requires this privilege. Grant it, or run that function with its owner's privileges (SECURITY DEFINER).";

/** The hint if the row was rejected by a table other than the one that the request writes to. */
export const ROW_BEHIND_THE_REQUEST =
  'The row-level security policies of a table behind this request (written by a view, trigger or function) reject the row.';

/** Returns a hint about privileges. `role` is quoted for SQL, and `missing` must not be empty. */
export function privilegeHint(role: string, missing: readonly MissingRow[], extent: Extent): string {
  const grants = grantsOf(missing, extent).map((grant) => `GRANT ${grant} TO ${role};`);
  const readable = extent === 'full' ? readableColumns(missing) : undefined;
  const instead =
    readable === undefined ? '' : ` Or select only the columns that it can read: ${readable.join(', ')}.`;
  return `Grant the required privileges to the current role with: ${grants.join(' ')}${instead}`;
}

/** Returns a hint about the token's role and the login role. The names of both roles are quoted for SQL. */
export const membershipHint = (role: string, login: string): string =>
  `The login role can't switch to this role. To let tokens use the role, run: GRANT ${role} TO ${login};`;

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

/**
 * Returns the list of columns for a GRANT, or an empty string to grant the privilege on the whole table. Columns are
 * only listed in `full` hints, if the role has the privilege on other columns and doesn't need it on all columns.
 */
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

export interface RejectedRow {
  /** The names of the role and the table, quoted for SQL. */
  readonly role: string;
  readonly table: string;
  /** The commands whose policies must accept the written row. The first command is that of the write itself. */
  readonly commands: readonly Command[];
  /**
   * Whether the statement also returns the row that it writes. With `Prefer: return=minimal`, the row wouldn't be
   * returned.
   */
  readonly returned: boolean;
}

/** Returns a hint without querying the policies, so that the hint doesn't disclose anything about them. */
export function shortPolicyHint({ role, commands, returned }: RejectedRow): string {
  const [first = 'INSERT', ...more] = commands;
  const policies =
    more.length === 0
      ? `a policy FOR ${first} accepts`
      : `policies FOR ${[first, ...more].join(' and FOR ')} accept`;
  const instead = returned
    ? ' With Prefer: return=minimal, policies FOR SELECT are not checked for the new row.'
    : '';
  return `Row-level security allows ${role} to write only rows that ${policies}.${instead}`;
}

const VERBS = { SELECT: 'select from', INSERT: 'insert into', UPDATE: 'update' } as const;
const CLAUSES = { SELECT: 'USING', INSERT: 'WITH CHECK', UPDATE: 'USING' } as const;

/** Returns a hint about the table's policies. `policies` contains the policies that apply to the role. */
export function fullPolicyHint(row: RejectedRow, policies: readonly PolicyRow[]): string {
  const { role, table, commands, returned } = row;
  const appliesTo = (command: Command) =>
    policies.filter((policy) => policy.command === command || policy.command === '*');
  // Restrictive policies only narrow the access that permissive policies grant. Without a permissive policy, all rows
  // are denied.
  const lacking = commands.find((command) => !appliesTo(command).some(({ permissive }) => permissive));
  if (lacking !== undefined) {
    const because = lacking === 'SELECT' && returned ? ', and the response would return the new row' : '';
    const create = `CREATE POLICY ${lacking.toLowerCase()}_by_role ON ${table} FOR ${lacking} TO ${role} ${CLAUSES[lacking]} (…);`;
    const instead =
      lacking === 'SELECT' && returned ? " Or don't request the new row (Prefer: return=minimal)." : '';
    return `No policy allows ${role} to ${VERBS[lacking]} ${table}${because}. To create one, run: ${create}${instead}`;
  }
  const named = commands.map((command) => {
    const names = appliesTo(command).map(({ name, permissive }) =>
      permissive ? name : `${name} (restrictive)`,
    );
    return `FOR ${command}: ${names.join(', ')}`;
  });
  return `The row does not satisfy the policies on ${table} that apply to ${role}. ${named.join('; ')}.`;
}
