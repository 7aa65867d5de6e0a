/** Creates, changes and removes the users whom an organization's identity provider manages (RFC 7644). */

import { sql } from '../../../../base/kernel/sql.ts';
import { isPostgresError } from '../../../../base/shared/errors.ts';
import type { Caller } from '../../common/caller.ts';
import { isEmail, parseEmail } from '../../common/contact.ts';
import { isJsonObject, type JsonObject } from '../../common/json.ts';
import { findUserWithEmail } from '../../common/user-queries.ts';
import type { AuthContext } from '../../context.ts';
import { endSessionsOf } from '../../oauth-server/notify-clients.ts';
import { recordOperatorEvent } from '../../security-events/record.ts';
import { deleteSessions } from '../../sessions/queries.ts';
import {
  addIdentity,
  confirmEmail,
  createUser,
  draftUser,
  identityClaims,
  runAfterUserCreated,
  runBeforeUserCreated,
} from '../../sign-up/accounts.ts';
import { findConnectionOf } from '../connections/queries.ts';
import { findConfirmedAccount, isInDomains } from '../connections/sign-in.ts';
import { recordOrganizationEvent } from '../history.ts';
import { addMember, removeMember } from '../members.ts';
import { ScimError } from './errors.ts';
import { applyPatch, parsePatch } from './patch.ts';
import {
  countScimUsers,
  deleteScimUser,
  findScimUser,
  insertScimUser,
  listScimUsers,
  type ScimUser,
  setRemoved,
  updateScimUser,
} from './queries.ts';
import { applyGroupRoles, roleForNew } from './roles.ts';
import { normalize, users } from './schema.ts';

const maxUsers = 20_000;

export interface ScimCall {
  readonly organizationId: string;
  readonly caller: Caller;
}

interface Content {
  readonly userName: string;
  readonly externalId: string | null;
  readonly active: boolean;
  readonly data: JsonObject;
}

/** @throws {ScimError} invalidValue */
function contentOf(value: JsonObject): Content {
  const data = normalize(users, value);
  const { userName, externalId, active = true } = data;
  if (typeof userName !== 'string') throw new ScimError(400, 'userName is required', 'invalidValue');
  return {
    userName,
    externalId: typeof externalId === 'string' ? externalId : null,
    active: active === true,
    data,
  };
}

/** Returns the address of the account: the primary address, or else the first one, or else the user name. */
function addressOf({ userName, data }: Content): string {
  const emails = (Array.isArray(data.emails) ? data.emails : []).filter(isJsonObject);
  const chosen = emails.find((each) => each.primary === true) ?? emails[0];
  const email = typeof chosen?.value === 'string' ? chosen.value.trim() : userName.trim();
  if (!isEmail(email)) throw new ScimError(400, 'The user needs an email address', 'invalidValue');
  try {
    return parseEmail(email);
  } catch {
    throw new ScimError(400, 'The email address is invalid', 'invalidValue');
  }
}

const taken = (detail: string): ScimError => new ScimError(409, detail, 'uniqueness');

export async function createScimUser(ctx: AuthContext, call: ScimCall, body: JsonObject): Promise<ScimUser> {
  const { organizationId } = call;
  const content = contentOf(body);
  const email = addressOf(content);
  if (!(await isInDomains(ctx.pool, organizationId, email)))
    throw new ScimError(400, 'The email address must belong to a verified domain', 'invalidValue');
  const [same] = await listScimUsers(ctx.pool, organizationId, { userName: content.userName });
  if (same !== undefined) throw taken('A user with this userName exists');
  if ((await countScimUsers(ctx.pool, organizationId)) >= maxUsers)
    throw new ScimError(403, `An organization has at most ${maxUsers} users`);
  const userId =
    (await findAccount(ctx, organizationId, email)) ?? (await createAccount(ctx, call, content, email));
  const id = await insert(ctx, organizationId, userId, content);
  if (id === undefined) throw taken('A user with this email address exists');
  try {
    if (content.active) await enter(ctx, organizationId, userId);
    else await leave(ctx, organizationId, userId);
  } catch (error) {
    // The identity provider sends the user again.
    if (!(error instanceof ScimError)) await deleteScimUser(ctx.pool, id);
    throw error;
  }
  return requireScimUser(ctx, organizationId, id);
}

async function insert(
  ctx: AuthContext,
  organizationId: string,
  userId: string,
  content: Content,
): Promise<string | undefined> {
  try {
    return await insertScimUser(ctx.pool, { organizationId, userId }, content, ctx.clock.now());
  } catch (error) {
    if (isPostgresError(error) && error.code === '23505') throw taken('A user with this userName exists');
    throw error;
  }
}

/** Returns the account that belongs to the address, by the same rules as for a sign-in. */
async function findAccount(
  ctx: AuthContext,
  organizationId: string,
  email: string,
): Promise<string | undefined> {
  const connection = await findConnectionOf(ctx.pool, organizationId);
  const provider = `sso:${connection?.id ?? ''}`;
  const [own] = await ctx.pool.query<{ id: string }>(sql`
    select u.id::text from auth.users u
    where u.email = ${email} and u.deleted_at is null and (
      exists (select from auth.identities i where i.user_id = u.id and i.provider = ${provider})
      or exists (
        select from _plinth.scim_users s where s.user_id = u.id and s.organization_id = ${organizationId}))
    limit 1`);
  return own?.id ?? findConfirmedAccount(ctx, ctx.pool, email);
}

async function createAccount(
  ctx: AuthContext,
  { organizationId, caller }: ScimCall,
  { data }: Content,
  email: string,
): Promise<string> {
  if (!ctx.settings.signupEnabled) throw new ScimError(403, 'The project accepts no new users');
  const { audience } = ctx.settings;
  const isTaken = (await findUserWithEmail(ctx.pool, email, audience)) !== undefined;
  const connection = await findConnectionOf(ctx.pool, organizationId);
  // The address of the other account isn't proven, so the new account can only be used with single sign-on.
  if (isTaken && connection?.isActive !== true) throw taken('Another account has this email address');
  const draft = await draftUser(ctx, {
    aud: audience,
    provider: isTaken ? `sso:${connection?.id}` : 'email',
    email,
    data: { ...namesIn(data), email, email_verified: true },
    isSsoUser: isTaken,
  });
  await runBeforeUserCreated(ctx, caller, draft);
  const user = await ctx.pool.transaction(async (tx) => {
    const created = await createUser(ctx, tx, draft);
    if (!isTaken) {
      const claims = { ...namesIn(data), ...identityClaims(created, { email, emailVerified: true }) };
      created.identities = [await addIdentity(ctx, tx, created, { provider: 'email', data: claims })];
    }
    await confirmEmail(ctx, tx, created);
    return created;
  });
  await runAfterUserCreated(ctx, caller, user);
  return user.id;
}

function namesIn({ name, displayName }: JsonObject): JsonObject {
  const { formatted, givenName, familyName } = isJsonObject(name) ? name : {};
  const parts = [givenName, familyName].filter((part) => typeof part === 'string').join(' ');
  const full = [displayName, formatted, parts].find((each) => typeof each === 'string' && each !== '');
  return full === undefined ? {} : { full_name: full, name: full };
}

export async function requireScimUser(
  ctx: AuthContext,
  organizationId: string,
  id: string,
): Promise<ScimUser> {
  const found = await findScimUser(ctx.pool, organizationId, id);
  if (found === undefined) throw new ScimError(404, 'The user does not exist');
  return found;
}

export async function replaceScimUser(
  ctx: AuthContext,
  call: ScimCall,
  user: ScimUser,
  body: JsonObject,
): Promise<ScimUser> {
  return change(ctx, call, user, contentOf(body));
}

export async function patchScimUser(
  ctx: AuthContext,
  call: ScimCall,
  user: ScimUser,
  body: JsonObject,
): Promise<ScimUser> {
  return change(ctx, call, user, contentOf(applyPatch(users, user.data, parsePatch(body))));
}

async function change(
  ctx: AuthContext,
  { organizationId }: ScimCall,
  user: ScimUser,
  content: Content,
): Promise<ScimUser> {
  const { id, user_id: userId } = user;
  const email = addressOf(content);
  if (content.active && !(await isInDomains(ctx.pool, organizationId, email)))
    throw new ScimError(400, 'The email address must belong to a verified domain', 'invalidValue');
  const [same] = await listScimUsers(ctx.pool, organizationId, { userName: content.userName });
  if (same !== undefined && same.id !== id) throw taken('A user with this userName exists');
  // First, so that a sign-in at the same time either is rejected, or its session ends below.
  if (!(await updateScimUser(ctx.pool, user, content, ctx.clock.now())))
    throw new ScimError(412, 'The user has changed in the meantime');
  if (content.active && !user.active) await enter(ctx, organizationId, userId);
  if (!content.active) await leave(ctx, organizationId, userId);
  return requireScimUser(ctx, organizationId, id);
}

export async function removeScimUser(
  ctx: AuthContext,
  { organizationId }: ScimCall,
  user: ScimUser,
): Promise<void> {
  await ctx.pool.transaction((tx) => setRemoved(tx, user.id, ctx.clock.now()));
  await leave(ctx, organizationId, user.user_id);
}

async function enter(ctx: AuthContext, organizationId: string, userId: string): Promise<void> {
  const role = await roleForNew(ctx, organizationId);
  if (role === undefined) throw new ScimError(500, 'The organization has no role for new members');
  if (await addMember(ctx, { organizationId, userId, role })) {
    const event = { organizationId, kind: 'member_added', actor: 'scim', userId, details: { role } } as const;
    await recordOrganizationEvent(ctx, ctx.pool, event);
  }
  const [row] = await ctx.pool.query<{ id: string }>(sql`
    select id::text from _plinth.scim_users where organization_id = ${organizationId} and user_id = ${userId}`);
  await applyGroupRoles(ctx, organizationId, row === undefined ? [] : [row.id]);
}

/**
 * Ends the user's sessions, and removes the membership. Runs again if the identity provider repeats the request, because an
 * earlier attempt may have failed halfway.
 */
async function leave(ctx: AuthContext, organizationId: string, userId: string): Promise<void> {
  const removed = await removeMember(ctx, organizationId, userId);
  if (removed === 'removed') {
    const event = { organizationId, kind: 'member_removed', actor: 'scim', userId } as const;
    await recordOrganizationEvent(ctx, ctx.pool, event);
  }
  await endSessionsOf(ctx, userId, async (tx) => {
    if (!(await deleteSessions(tx, userId))) return;
    const details = { scope: 'global' };
    await recordOperatorEvent(ctx, tx, { userId, kind: 'sessions_ended', details });
  });
  if (removed === 'last-owner')
    throw new ScimError(
      409,
      'The sessions have ended, but the only owner of an organization remains a member',
    );
}
