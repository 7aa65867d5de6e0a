/**
 * The account that manages the passwords of Plinth's roles on a server. Roles belong to the whole server, so the
 * account is stored in the comment of the role `authenticator` (docs/decisions/0051-external-preflight.md).
 */
import { quoteLiteral } from '../../../../base/kernel/sql.ts';

const prefix = 'Plinth manages the passwords of its roles through the login ';

export function managerIn(comment: string | null): string | undefined {
  return comment?.startsWith(prefix) ? comment.slice(prefix.length) : undefined;
}

/**
 * Returns the statement that stores the account in the role's comment.
 * @example manageStatement('app') // "comment on role authenticator is 'Plinth manages … the login app'"
 */
export const manageStatement = (login: string): string =>
  `comment on role authenticator is ${quoteLiteral(prefix + login)}`;
