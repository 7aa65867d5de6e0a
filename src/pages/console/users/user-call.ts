/** The functions and dependencies that the routes for a single user share. */
import type { Audit } from '../audit.ts';
import { ConsoleError } from '../errors.ts';
import type { AddRoute, Call } from '../routes/api.ts';
import type { AuthUser, AuthUsers } from './auth.ts';
import type { contract } from './contract.ts';

/** The dependencies of the routes in a section of {@link userRoutes}. */
export interface UserRouteDeps {
  readonly route: AddRoute<typeof contract>;
  readonly users: AuthUsers;
  readonly audit: Audit;
  /** Returns the user in the path. @throws {ConsoleError} not_found */
  userOf(call: Call): Promise<AuthUser>;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Returns a path parameter that is a UUID. @throws {ConsoleError} not_found */
export const param = ({ request }: Call, name: string): string => {
  const value = (request.params as Record<string, string | undefined>)[name] ?? '';
  if (!uuid.test(value))
    throw new ConsoleError('not_found', {
      message: name === 'id' ? "This user doesn't exist." : "The user doesn't have this item.",
    });
  return value;
};

/** Returns the user's name in the audit log. */
export const nameOf = ({ email, phone, id }: AuthUser): string => email || phone || id;
