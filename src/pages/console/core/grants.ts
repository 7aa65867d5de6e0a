/** Prints the statements that give a recreated object the grants that it had. */
import { quoteIdentifier } from '../../../base/kernel/sql.ts';

export interface Grant {
  /** `public` means every role. */
  readonly role: string;
  readonly privilege: string;
  readonly grantable: boolean;
  /** The column to which the grant is limited. */
  readonly column?: string | null;
}

/**
 * Returns the statements. `object` is the object as in GRANT, such as `function public.f()`. `initial` lists the roles
 * to which a new object is granted without a GRANT.
 */
export function grantStatements(
  object: string,
  grants: readonly Grant[],
  initial: readonly string[],
): string[] {
  const groups = Map.groupBy(grants, ({ role, grantable, column }) =>
    JSON.stringify([role, grantable, column ?? null]),
  );
  return [
    ...(initial.length === 0 ? [] : [`revoke all on ${object} from ${initial.map(roleName).join(', ')}`]),
    ...[...groups.values()].flatMap((group) => {
      const [first] = group;
      if (first === undefined) return [];
      const columns = first.column == null ? '' : ` (${quoteIdentifier(first.column)})`;
      const privileges = group.map(({ privilege }) => `${privilege.toLowerCase()}${columns}`).join(', ');
      const option = first.grantable ? ' with grant option' : '';
      return [`grant ${privileges} on ${object} to ${roleName(first.role)}${option}`];
    }),
  ];
}

/** A role can't have the name `public`. */
const roleName = (role: string): string => (role === 'public' ? 'public' : quoteIdentifier(role));
