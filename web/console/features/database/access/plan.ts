/** Determines the changes that give a role the chosen privileges on an object and its columns. */
import type { SchemaChange } from '../../tables/schema/api.ts';
import type { GrantedObject, GrantTarget, Privilege } from './api.ts';

/** The privileges of a role on an object. Columns without own privileges can be missing. */
export interface Held {
  readonly object: ReadonlySet<Privilege>;
  /** The privileges on the whole object that the role can grant to others. */
  readonly grantable: ReadonlySet<Privilege>;
  readonly columns: ReadonlyMap<string, ReadonlySet<Privilege>>;
}

/** The privileges that can be granted on single columns. */
export const columnPrivileges: readonly Privilege[] = ['select', 'insert', 'update', 'references'];

const tablePrivileges: readonly Privilege[] = [
  'select',
  'insert',
  'update',
  'delete',
  'truncate',
  'references',
  'trigger',
  'maintain',
];

/** Returns the privileges that exist for objects of a kind, in the order of the form. */
export function privilegesOf(kind: GrantedObject['kind'], hasMaintain: boolean): readonly Privilege[] {
  if (kind === 'schema') return ['usage', 'create'];
  if (kind === 'sequence') return ['usage', 'select', 'update'];
  if (kind === 'function' || kind === 'procedure') return ['execute'];
  return hasMaintain ? tablePrivileges : tablePrivileges.filter((each) => each !== 'maintain');
}

interface Wanted {
  readonly target: GrantTarget;
  readonly role: string;
  readonly before: Held;
  readonly after: Held;
}

/**
 * Returns the changes in order. Revoking a privilege on a table also revokes it on all columns, so the columns that keep
 * the privilege get it again. While a role has a privilege on the table, privileges on columns have no effect, so they
 * aren't changed.
 */
export function privilegeChanges({ target, role, before, after }: Wanted): SchemaChange[] {
  const revoked = [...before.object].filter((privilege) => !after.object.has(privilege));
  const passedOn = [...after.object].filter(
    (privilege) => after.grantable.has(privilege) && !before.grantable.has(privilege),
  );
  const granted = [...after.object].filter(
    (privilege) => !before.object.has(privilege) && !passedOn.includes(privilege),
  );
  const keptBack = [...before.grantable].filter(
    (privilege) => after.object.has(privilege) && !after.grantable.has(privilege),
  );
  const option = { target, role, grantOption: true as const };
  const onColumns = (kind: 'grant' | 'revoke', columnsOf: (privilege: Privilege) => readonly string[]) => {
    const lists = columnPrivileges
      .map((privilege) => ({ privilege, columns: columnsOf(privilege) }))
      .filter(({ columns }) => columns.length > 0);
    return [...Map.groupBy(lists, ({ columns }) => JSON.stringify(columns)).values()].flatMap((group) => {
      const [first] = group;
      if (first === undefined) return [];
      const privileges = group.map(({ privilege }) => privilege);
      return [{ kind, target, role, privileges, columns: first.columns }];
    });
  };
  const names = [...new Set([...before.columns.keys(), ...after.columns.keys()])];
  const has = (held: Held, column: string, privilege: Privilege): boolean =>
    held.columns.get(column)?.has(privilege) === true;
  return [
    ...(revoked.length === 0 ? [] : [{ kind: 'revoke' as const, target, role, privileges: revoked }]),
    ...onColumns('revoke', (privilege) =>
      after.object.has(privilege) || revoked.includes(privilege)
        ? []
        : names.filter((column) => has(before, column, privilege) && !has(after, column, privilege)),
    ),
    ...(keptBack.length === 0 ? [] : [{ kind: 'revoke' as const, ...option, privileges: keptBack }]),
    ...(granted.length === 0 ? [] : [{ kind: 'grant' as const, target, role, privileges: granted }]),
    ...(passedOn.length === 0 ? [] : [{ kind: 'grant' as const, ...option, privileges: passedOn }]),
    ...onColumns('grant', (privilege) =>
      after.object.has(privilege)
        ? []
        : names.filter(
            (column) =>
              has(after, column, privilege) &&
              (revoked.includes(privilege) || !has(before, column, privilege)),
          ),
    ),
  ];
}
