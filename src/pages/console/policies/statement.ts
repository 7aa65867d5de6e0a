/** Generates the SQL for a policy change. Names are quoted. The operator writes the conditions in SQL. */
import { quoteIdentifier } from '../../../base/kernel/sql.ts';
import { significant, tokenize } from '../../../base/shared/sql/lex.ts';
import { ConsoleError } from '../errors.ts';
import type { Policy } from '../why/core/gates.ts';

export type PolicyText = Pick<Policy, 'name' | 'command' | 'permissive' | 'roles' | 'using' | 'check'>;

export type PolicyChange =
  | { readonly kind: 'create'; readonly policy: PolicyText }
  /**
   * `previous` is the current name of the policy. The policy is dropped and created again because ALTER POLICY can't
   * change the command or kind of a policy.
   */
  | { readonly kind: 'replace'; readonly previous: string; readonly policy: PolicyText }
  | { readonly kind: 'drop' | 'off'; readonly name: string }
  | { readonly kind: 'security'; readonly enabled: boolean; readonly forced: boolean };

export interface TableName {
  readonly schema: string;
  readonly name: string;
}

/**
 * Returns the statements for a policy change, in order. The statements must run in a single transaction.
 * @throws {ConsoleError} bad_request if a condition isn't a single expression
 */
export function policyStatements(table: TableName, change: PolicyChange): string[] {
  const on = `${quoteIdentifier(table.schema)}.${quoteIdentifier(table.name)}`;
  switch (change.kind) {
    case 'create':
      return [createText(on, change.policy)];
    case 'replace':
      return [dropText(on, change.previous), createText(on, change.policy)];
    case 'drop':
    case 'off':
      return [dropText(on, change.name)];
    case 'security':
      return [
        `alter table ${on} ${change.enabled ? 'enable' : 'disable'} row level security`,
        `alter table ${on} ${change.forced ? 'force' : 'no force'} row level security`,
      ];
  }
}

const dropText = (on: string, name: string): string => `drop policy ${quoteIdentifier(name)} on ${on}`;

function createText(on: string, { name, command, permissive, roles, using, check }: PolicyText): string {
  const lines = [
    `create policy ${quoteIdentifier(name)} on ${on}`,
    ...(permissive ? [] : ['  as restrictive']),
    `  for ${command}`,
    `  to ${roles.map((role) => (role === 'public' ? 'public' : quoteIdentifier(role))).join(', ')}`,
    ...(using === null ? [] : [`  using (${whole('using', using)})`]),
    ...(check === null ? [] : [`  with check (${whole('check', check)})`]),
  ];
  return lines.join('\n');
}

/**
 * Checks that a condition is a single expression, so that the condition can't close the parentheses around it or
 * comment them out.
 */
function whole(field: string, condition: string): string {
  const tokens = tokenize(condition);
  const wrong = (why: string): never => {
    throw new ConsoleError('bad_request', { message: `${field}: ${why}` });
  };
  if (significant(tokens).length === 0) wrong('The condition is empty.');
  if (tokens.some(({ isOpen }) => isOpen)) wrong("A quote or comment isn't closed.");
  let depth = 0;
  for (const { kind, text } of tokens) {
    if (kind !== 'symbol') continue;
    if (text === ';') wrong('A condition must be a single expression without a semicolon.');
    if (text === '(') depth++;
    if (text === ')') depth--;
    if (depth < 0) wrong('The condition has more closing than opening parentheses.');
  }
  if (depth !== 0) wrong("A parenthesis isn't closed.");
  // Adds a line break after the condition, because a line comment at its end would comment out the text that follows.
  return tokens.at(-1)?.kind === 'comment' ? `${condition}\n` : condition;
}
