/**
 * The routes for users. With these routes, operators can find, create, invite, change, ban, impersonate and delete
 * users, reset their passwords, and manage their factors, identities and sessions.
 */

import type { UserAdministration } from '../../../services/auth/index.ts';
import type { Audit } from '../audit.ts';
import { changedKeys, changedValue, hiddenChange, type RecordedChange } from '../core/changed-values.ts';
import { ConsoleError } from '../errors.ts';
import type { Api } from '../routes/api.ts';
import type { ServiceClient } from '../service-client.ts';
import { type AuthUser, createAuthUsers } from './auth.ts';
import type { User, UserChange } from './contract.ts';
import { type ImpersonationDeps, impersonationRoutes } from './impersonation-routes.ts';
import { listRoutes } from './list-routes.ts';
import { apiKeyRoutes, factorRoutes, sessionRoutes } from './sign-in-routes.ts';
import { ssoRoutes } from './sso-routes.ts';
import { nameOf, param, type UserRouteDeps } from './user-call.ts';

export interface UsersDeps extends ImpersonationDeps {
  readonly users: UserAdministration;
  readonly callService: ServiceClient;
  readonly audit: Audit;
}

export function userRoutes(api: Api, deps: UsersDeps): void {
  const { database, clock, audit } = deps;
  const users = createAuthUsers(deps.users);
  listRoutes(api, { db: database.pool('postgres'), users, clock, audit });
  ssoRoutes(api, {
    users,
    callService: deps.callService,
    serviceProvider: deps.users.samlServiceProvider,
    audit,
  });
  const shared: UserRouteDeps = {
    route: api.feature(() => import('./contract.ts')),
    users,
    audit,
    userOf: (call) => users.get(param(call, 'id')),
  };
  accountRoutes(shared);
  accessRoutes(shared);
  factorRoutes(shared);
  sessionRoutes(shared);
  apiKeyRoutes(shared);
  impersonationRoutes(shared, deps);
}

/** Declares the routes that read, create, invite, change and delete users. */
function accountRoutes({ route, users, audit, userOf }: UserRouteDeps): void {
  route('GET /users/:id', 'read', async (call) => shown(await userOf(call)));
  route('POST /users', 'write', async (call) => {
    const user = await users.create(await call.body());
    await audit(call, 'user.create', nameOf(user), { userId: user.id });
    return shown(user);
  });
  route('POST /users/invite', 'write', async (call) => {
    const { email } = await call.body();
    const user = await users.invite(email);
    await audit(call, 'user.invite', email, { userId: user.id });
    return shown(user);
  });
  route('PATCH /users/:id', 'write', async (call) => {
    const changes = await call.body();
    const { user_metadata, app_metadata, ...rest } = changes;
    const before = await userOf(call);
    const user = await users.update(before.id, {
      ...(rest.email === undefined ? {} : { email: rest.email }),
      ...(rest.phone === undefined ? {} : { phone: rest.phone }),
      ...(rest.password === undefined ? {} : { password: rest.password }),
      ...(user_metadata === undefined
        ? {}
        : { user_metadata: replacing(before.user_metadata, user_metadata) }),
      ...(app_metadata === undefined ? {} : { app_metadata: replacing(before.app_metadata, app_metadata) }),
    });
    await audit(call, 'user.update', nameOf(before), {
      userId: before.id,
      fields: Object.keys(changes),
      changes: userChanges(before, changes),
    });
    return shown(user);
  });
  route('DELETE /users/:id', 'write', async (call) => {
    const user = await userOf(call);
    await users.remove(user.id);
    await audit(call, 'user.delete', nameOf(user), { userId: user.id });
  });
}

/** Declares the routes that ban users, confirm their contacts and reset their passwords. */
function accessRoutes({ route, users, audit, userOf }: UserRouteDeps): void {
  route('POST /users/:id/ban', 'write', async (call) => {
    const { hours, endSessions } = await call.body();
    const before = await userOf(call);
    const user = await users.update(before.id, { ban_duration: hours === 0 ? 'none' : `${hours}h` });
    const endsSessions = endSessions && hours > 0;
    if (endsSessions) await users.endSessions(user.id);
    await audit(call, hours === 0 ? 'user.unban' : 'user.ban', nameOf(user), {
      userId: user.id,
      hours,
      changes: [changedValue('banned_until', before.banned_until, user.banned_until)],
      ...(endsSessions ? { endSessions } : {}),
    });
    return shown(user);
  });
  route('POST /users/:id/confirm', 'write', async (call) => {
    const { what } = await call.body();
    const user = await users.update(
      param(call, 'id'),
      what === 'email' ? { email_confirm: true } : { phone_confirm: true },
    );
    await audit(call, 'user.confirm', nameOf(user), { userId: user.id, what });
    return shown(user);
  });
  route('POST /users/:id/reset', 'write', async (call) => {
    const { by } = await call.body();
    const user = await userOf(call);
    const email = emailOf(user);
    await audit(call, 'user.reset-password', nameOf(user), { userId: user.id, by });
    if (by === 'link') return { link: await users.recoveryLink(email) };
    await users.mailRecovery(email);
    return {};
  });
}

const emailOf = ({ email }: AuthUser): string => {
  if (email) return email;
  throw new ConsoleError('bad_request', { message: "This user doesn't have an email address." });
};

/** Returns the user with all fields that the auth service returned, including fields that the type doesn't declare. */
const shown = (user: AuthUser): User => user as User;

/** Returns the changed fields of a user for the audit log. Passwords and the values in metadata aren't recorded. */
const userChanges = (
  before: AuthUser,
  { email, phone, password, app_metadata, user_metadata }: UserChange,
): RecordedChange[] => [
  ...(email === undefined ? [] : [changedValue('email', before.email || null, email)]),
  ...(phone === undefined ? [] : [changedValue('phone', before.phone || null, phone || null)]),
  ...(password === undefined ? [] : [hiddenChange('password', true, true)]),
  ...(app_metadata === undefined ? [] : changedKeys('app_metadata', before.app_metadata ?? {}, app_metadata)),
  ...(user_metadata === undefined
    ? []
    : changedKeys('user_metadata', before.user_metadata ?? {}, user_metadata)),
];

/**
 * Returns the metadata to send to the auth service. The auth service merges the new metadata with the existing metadata
 * and deletes fields whose new value is null. Therefore, fields that the operator removed are sent as null.
 */
function replacing(
  before: Record<string, unknown> = {},
  after: Record<string, unknown>,
): Record<string, unknown> {
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  return { ...after, ...Object.fromEntries(gone.map((name) => [name, null])) };
}
