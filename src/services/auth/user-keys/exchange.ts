/**
 * Exchanges users' API keys for short-lived access tokens, with which the gateway replaces the key in a request. A key is
 * read from the database again after a few seconds, so a revoked key, a banned user or a changed role takes effect on all
 * nodes without messages between them.
 */

import { isUserKey } from '../../../base/shared/user-keys.ts';
import { accessTokenClaims } from '../common/claims.ts';
import type { JsonObject } from '../common/json.ts';
import { isBanned } from '../common/render-user.ts';
import type { User } from '../common/rows.ts';
import { toMs } from '../common/times.ts';
import { findUserById } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { customClaims } from '../sessions/issue.ts';
import { hashOfUserKey } from './manage.ts';
import { findLiveUserKey, noteUserKeyUse, type UserKey } from './queries.ts';

/** How long a revoked key can still be used. */
const recheckUserKeyMs = 5000;
const noteUseEveryMs = 60_000;
/** Tokens are reused for this long, so that requests rarely wait for a signature and the project's hook. */
const reuseSeconds = 30;
const maxCachedKeys = 5000;

/** The authentication method (amr) of a request with a key. */
const method = 'api_key';

/**
 * Returns an access token that is valid for at least this many seconds, or undefined if the key is unknown, revoked or
 * expired, or its user can't sign in.
 */
export type ExchangeUserKey = (key: string, validSeconds: number) => Promise<string | undefined>;

interface KnownKey {
  readonly key: UserKey;
  readonly user: User;
  /** The issued tokens by their minimum lifetime. */
  readonly tokens: Map<number, { readonly token: Promise<string | undefined>; readonly exp: number }>;
}

interface Entry {
  readonly checkedAtMs: number;
  readonly known: Promise<KnownKey | undefined>;
}

export function createUserKeyExchange(ctx: AuthContext): ExchangeUserKey {
  const entries = new Map<string, Entry>();

  function lookUp(hash: string): Promise<KnownKey | undefined> {
    const now = ctx.clock.now();
    const entry = entries.get(hash);
    // The clock may have been set back.
    if (entry !== undefined && Math.abs(now - entry.checkedAtMs) < recheckUserKeyMs) return entry.known;
    const known = read(ctx, hash, entry?.known);
    entries.delete(hash);
    entries.set(hash, { checkedAtMs: now, known });
    if (entries.size > maxCachedKeys) entries.delete(entries.keys().next().value as string);
    known.catch(() => entries.delete(hash));
    return known;
  }

  return async (key, validSeconds) => {
    if (!ctx.settings.userKeys.enabled || !ctx.hasOwnTables || !isUserKey(key)) return undefined;
    const known = await lookUp(hashOfUserKey(key));
    if (known === undefined) return undefined;
    const nowSeconds = Math.floor(ctx.clock.now() / 1000);
    const issued = known.tokens.get(validSeconds);
    const left = issued === undefined ? 0 : issued.exp - nowSeconds;
    if (issued !== undefined && left >= validSeconds && left <= validSeconds + reuseSeconds)
      return issued.token;
    const lifetimeSeconds = validSeconds + reuseSeconds;
    const token = sign(ctx, known, nowSeconds, lifetimeSeconds);
    known.tokens.set(validSeconds, { token, exp: nowSeconds + lifetimeSeconds });
    token.catch(() => known.tokens.delete(validSeconds));
    return token;
  };
}

/** Reads the key and its user. Keeps the issued tokens of an earlier read unless the user has changed. */
async function read(
  ctx: AuthContext,
  hash: string,
  previous: Promise<KnownKey | undefined> | undefined,
): Promise<KnownKey | undefined> {
  const nowMs = ctx.clock.now();
  const key = await findLiveUserKey(ctx.pool, hash, nowMs);
  if (key === undefined) return undefined;
  const user = await findUserById(ctx.pool, key.user_id);
  if (user === undefined || user.deleted_at !== null || isBanned(user, nowMs)) return undefined;
  if (key.last_used_at === null || toMs(key.last_used_at) < nowMs - noteUseEveryMs)
    await noteUserKeyUse(ctx.pool, key.id, { nowMs, everyMs: noteUseEveryMs });
  const before = await previous?.catch(() => undefined);
  const isSame = before?.user.updated_at === user.updated_at && before?.user.role === user.role;
  return { key, user, tokens: isSame && before !== undefined ? before.tokens : new Map() };
}

/**
 * Signs a token with the user's claims. The token has no session, so it ends only with its lifetime. The project's hook
 * for claims runs as for a session, because it may restrict the user. A key never has an admin role. `client_id` is the key's ID, so rules for tokens of
 * OAuth clients apply too.
 */
async function sign(
  ctx: AuthContext,
  { key, user }: KnownKey,
  issuedAtSeconds: number,
  lifetimeSeconds: number,
): Promise<string | undefined> {
  const claims = accessTokenClaims({
    user,
    issuer: ctx.settings.issuer(),
    sessionId: '',
    aal: 'aal1',
    amr: [{ method, timestamp: issuedAtSeconds }],
    issuedAtSeconds,
    lifetimeSeconds,
  });
  const own: JsonObject = { aal: 'aal1', client_id: key.id, key_id: key.id, scope: key.scopes.join(' ') };
  const changed = ctx.settings.hooks.custom_access_token.enabled
    ? await customClaims(
        ctx,
        undefined,
        { ip: '' },
        {
          session: { user, method },
          claims: { ...claims, ...own },
        },
      )
    : claims;
  const { session_id: _, ...kept } = { ...changed, ...own };
  if (ctx.settings.adminRoles.includes(String(kept.role))) return undefined;
  return ctx.keys.sign({ ...kept, exp: issuedAtSeconds + lifetimeSeconds });
}
