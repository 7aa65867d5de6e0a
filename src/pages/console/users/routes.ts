/**
 * The routes for users. With these routes, operators can find, create, invite, change, ban, impersonate and delete
 * users, reset their passwords, and manage their factors, identities and sessions.
 */

import type { Clock } from '../../../base/kernel/clock.ts';
import type { Database } from '../../../platform/database/types.ts';
import type { Keys } from '../../../platform/keys/types.ts';
import type { UserAdministration } from '../../../services/auth/index.ts';
import type { Audit } from '../audit.ts';
import { changedKeys, changedValue, hiddenChange, type RecordedChange } from '../core/changed-values.ts';
import { ConsoleError } from '../errors.ts';
import { identify } from '../persona/act.ts';
import { mintToken } from '../persona/token.ts';
import type { AddRoute, Api, Call } from '../routes/api.ts';
import type { ServiceClient } from '../service-client.ts';
import { type AuthUser, createAuthUsers } from './auth.ts';
import type { contract, User, UserChange, UserEventPage, UserSession } from './contract.ts';
import { listRoutes } from './list-routes.ts';
import { activeImpersonations } from './queries.ts';
import { ssoRoutes } from './sso-routes.ts';

export interface UsersDeps {
  readonly database: Database;
  readonly keys: Keys;
  readonly users: UserAdministration;
  readonly callService: ServiceClient;
  readonly apiUrl: () => string;
  readonly clock: Clock;
  readonly audit: Audit;
}

const impersonationSeconds = 15 * 60;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function userRoutes(api: Api, deps: UsersDeps): void {
  const { database, clock, audit } = deps;
  const db = database.pool('postgres');
  const users = createAuthUsers(deps.users);

  const route = api.feature(() => import('./contract.ts'));
  listRoutes(api, { db, users, clock, audit });
  ssoRoutes(api, {
    users,
    callService: deps.callService,
    serviceProvider: deps.users.samlServiceProvider,
    audit,
  });

  const idOf = (call: Call): string => param(call, 'id');
  const userOf = (call: Call): Promise<AuthUser> => users.get(idOf(call));
  const emailOf = ({ email }: AuthUser): string => {
    if (email) return email;
    throw new ConsoleError('bad_request', { message: "This user doesn't have an email address." });
  };

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
      idOf(call),
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
  route('DELETE /users/:id/factors', 'write', async (call) => {
    const user = await userOf(call);
    await users.resetFactors(user.id);
    await audit(call, 'user.reset-factors', nameOf(user), { userId: user.id });
  });
  route('DELETE /users/:id/factors/:factor', 'write', async (call) => {
    const user = await userOf(call);
    await users.removeFactor(user.id, param(call, 'factor'));
    await audit(call, 'user.remove-factor', nameOf(user), {
      userId: user.id,
      factorId: param(call, 'factor'),
    });
  });
  route('DELETE /users/:id/identities/:identity', 'write', async (call) => {
    const user = await userOf(call);
    await users.unlink(user.id, param(call, 'identity'));
    await audit(call, 'user.unlink', nameOf(user), {
      userId: user.id,
      identityId: param(call, 'identity'),
    });
  });
  route('GET /users/:id/sessions', 'read', async (call) => ({
    sessions: (await users.sessions(idOf(call))) as readonly UserSession[],
  }));
  route('GET /users/:id/events', 'read', async (call) =>
    eventPage(await users.events(idOf(call), (await call.query()).before)),
  );
  route('DELETE /users/:id/sessions', 'write', async (call) => {
    const user = await userOf(call);
    await users.endSessions(user.id);
    await audit(call, 'user.end-sessions', nameOf(user), { userId: user.id });
  });
  route('DELETE /users/:id/sessions/:session', 'write', async (call) => {
    const user = await userOf(call);
    await users.endSession(user.id, param(call, 'session'));
    await audit(call, 'user.end-session', nameOf(user), {
      userId: user.id,
      sessionId: param(call, 'session'),
    });
  });

  impersonationRoutes(route, deps, userOf);
}

/**
 * Declares the routes with which an operator acts as a user. The tokens are short-lived, and they contain the
 * operator's identity.
 */
function impersonationRoutes(
  route: AddRoute<typeof contract>,
  { database, keys, clock, audit, apiUrl }: UsersDeps,
  userOf: (call: Call) => Promise<AuthUser>,
): void {
  const db = database.pool('postgres');
  const own = database.pool('supabase_admin');
  route('POST /users/:id/impersonate', 'write', async (call) => {
    const user = await userOf(call);
    const identity = await identify(db, { kind: 'user', id: user.id }, clock.now(), call.operator.role);
    // The `act` claim identifies the operator who is acting as the user (RFC 8693, section 4.1).
    const actor = { act: { sub: `operator:${call.operator.name}` } };
    const { token, expiresAt } = await mintToken(db, keys, identity, {
      nowMs: clock.now(),
      lifetimeSeconds: impersonationSeconds,
      extra: actor,
    });
    const until = new Date(expiresAt).toISOString();
    await audit(call, 'user.impersonate', nameOf(user), { userId: user.id, expiresAt: until });
    return { accessToken: token, expiresAt: until, url: apiUrl(), publishableKey: keys.publishableKey };
  });
  route('GET /impersonations', 'read', async ({ operator }) => ({
    impersonations: await activeImpersonations(own, operator.id, new Date(clock.now()).toISOString()),
  }));
}

const param = ({ request }: Call, name: string): string => {
  const value = (request.params as Record<string, string | undefined>)[name] ?? '';
  if (!uuid.test(value))
    throw new ConsoleError('not_found', {
      message: name === 'id' ? "This user doesn't exist." : "The user doesn't have this item.",
    });
  return value;
};

const eventPage = (page: unknown): UserEventPage => page as UserEventPage;

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

const nameOf = ({ email, phone, id }: AuthUser): string => email || phone || id;

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
