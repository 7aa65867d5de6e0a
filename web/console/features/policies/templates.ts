/**
 * Defines policy templates. The templates use `(select auth.uid())`, because PostgreSQL evaluates a subquery once per
 * statement instead of once per row.
 */
import type { MemberFunction, MemberTable, Policy, SecuredTable, TemplateChoices } from './api.ts';
import { sqlName } from './sql-name.ts';
import type { PolicyTextId } from './text.ts';

/** The operator's choices for a template. */
export interface TemplateInput {
  /** The column that contains the owner's ID. */
  readonly owner: string;
  /** The column that identifies the group. */
  readonly column: string;
  readonly source: MemberSource | undefined;
  readonly group: string;
  readonly user: string;
}

export type MemberSource =
  | { readonly kind: 'table'; readonly table: MemberTable }
  | { readonly kind: 'function'; readonly function: MemberFunction };

export interface Template {
  readonly label: PolicyTextId;
  /** The fields of the template. */
  readonly fields?: 'owner' | 'member';
  readonly build: (input: TemplateInput) => Policy;
}

const signedIn: Pick<Policy, 'permissive' | 'roles' | 'using' | 'check'> = {
  permissive: true,
  roles: ['authenticated'],
  using: null,
  check: null,
};
const isOwner = ({ owner }: TemplateInput): string => `(select auth.uid()) = ${sqlName(owner)}`;

export const templates: readonly Template[] = [
  {
    label: 'policies.template-read-own',
    fields: 'owner',
    build: (input) => ({
      ...signedIn,
      name: 'Users can read their own rows',
      command: 'select',
      using: isOwner(input),
    }),
  },
  {
    label: 'policies.template-own',
    fields: 'owner',
    build: (input) => ({
      ...signedIn,
      name: 'Users can read and change their own rows',
      command: 'all',
      using: isOwner(input),
    }),
  },
  {
    label: 'policies.template-insert-own',
    fields: 'owner',
    build: (input) => ({
      ...signedIn,
      name: 'Users can insert their own rows',
      command: 'insert',
      check: isOwner(input),
    }),
  },
  {
    label: 'policies.template-update-own',
    fields: 'owner',
    build: (input) => ({
      ...signedIn,
      name: 'Users can update their own rows',
      command: 'update',
      using: isOwner(input),
      check: isOwner(input),
    }),
  },
  {
    label: 'policies.template-delete-own',
    fields: 'owner',
    build: (input) => ({
      ...signedIn,
      name: 'Users can delete their own rows',
      command: 'delete',
      using: isOwner(input),
    }),
  },
  {
    label: 'policies.template-read-all',
    build: () => ({
      ...signedIn,
      name: 'Anyone can read',
      command: 'select',
      roles: ['anon', 'authenticated'],
      using: 'true',
    }),
  },
  {
    label: 'policies.template-signed-in',
    build: () => ({ ...signedIn, name: 'Signed-in users can read', command: 'select', using: 'true' }),
  },
  {
    label: 'policies.template-claim',
    build: () => ({
      ...signedIn,
      name: 'Staff can do everything',
      command: 'all',
      using: `(select auth.jwt() -> 'app_metadata' ->> 'role') = 'staff'`,
    }),
  },
  {
    label: 'policies.template-member',
    fields: 'member',
    build: (input) => ({ ...signedIn, name: 'Members read', command: 'select', using: membership(input) }),
  },
  {
    label: 'policies.template-mfa',
    build: () => ({
      ...signedIn,
      name: 'Second factor required',
      command: 'all',
      permissive: false,
      using: `(select auth.jwt() ->> 'aal') = 'aal2'`,
    }),
  },
];

function membership({ column, source, group, user }: TemplateInput): string {
  const own = sqlName(column);
  if (source === undefined) return '';
  if (source.kind === 'function') {
    const { schema, name, argument } = source.function;
    return argument === null
      ? `${own} in (select ${sqlName(schema, name)}())`
      : `${sqlName(schema, name)}(${own})`;
  }
  const { schema, name } = source.table;
  const table = sqlName(schema, name);
  return `${own} in (select m.${sqlName(group)} from ${table} m where m.${sqlName(user)} = (select auth.uid()))`;
}

/** Returns the most likely choices for a table. */
export function likelyInput(table: SecuredTable, choices: TemplateChoices): TemplateInput {
  const [owner] = ownersOf(choices);
  return { ...likelyMembers(table, choices, sourcesOf(choices)[0]), owner: owner?.name ?? 'user_id' };
}

/** Returns the columns that can contain a user's ID, most likely first. `auth.uid()` is a uuid. */
export function ownersOf({ columns }: TemplateChoices): TemplateChoices['columns'] {
  const likelihood = ({ references, isUser, isKey }: TemplateChoices['columns'][number]): number =>
    references === 'auth.users' ? 3 : isUser ? 2 : isKey ? 0 : 1;
  return columns
    .filter(({ type }) => type === 'uuid')
    .toSorted((left, right) => likelihood(right) - likelihood(left));
}

/** Returns the columns of the table and of `source` that most likely determine membership. */
export function likelyMembers(
  { schema, name }: SecuredTable,
  { columns }: TemplateChoices,
  source: MemberSource | undefined,
): Pick<TemplateInput, 'column' | 'source' | 'group' | 'user'> {
  const fallback =
    columns.find(({ isKey, isUser }) => !isKey && !isUser)?.name ?? columns[0]?.name ?? 'group_id';
  if (source === undefined) return { source, column: fallback, group: 'group_id', user: 'user_id' };
  if (source.kind === 'function') {
    const typed = columns.filter(({ type }) => type === source.function.argument);
    const column = typed.find(({ references, isKey }) => references !== null && !isKey) ?? typed[0];
    return { source, column: column?.name ?? fallback, group: '', user: '' };
  }
  const { groups, users } = source.table;
  const [user = 'user_id'] = users;
  for (const group of groups) {
    const column =
      group.references === `${schema}.${name}`
        ? columns.find(({ isKey }) => isKey)
        : columns.find(
            (each) =>
              (each.references !== null && each.references === group.references) || each.name === group.name,
          );
    if (column !== undefined) return { source, column: column.name, group: group.name, user };
  }
  return { source, column: fallback, group: groups[0]?.name ?? 'group_id', user };
}

/** Returns all tables and functions that can determine membership. Functions come last. */
export const sourcesOf = ({ memberTables, memberFunctions }: TemplateChoices): MemberSource[] => [
  ...memberTables.map((table) => ({ kind: 'table', table }) as const),
  ...memberFunctions.map((each) => ({ kind: 'function', function: each }) as const),
];

/** Returns a source's key in a select element. */
export const keyOfSource = (source: MemberSource): string =>
  source.kind === 'table'
    ? `table ${sqlName(source.table.schema, source.table.name)}`
    : `function ${sqlName(source.function.schema, source.function.name)}(${source.function.argument ?? ''})`;
