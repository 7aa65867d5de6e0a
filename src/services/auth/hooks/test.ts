/** Calls a hook with sample data. Changes made by a PostgreSQL function are rolled back. */
import type { Transaction } from '../../../platform/database/types.ts';
import type { JsonObject } from '../common/json.ts';
import type { AuthContext } from '../context.ts';
import type { HookName } from '../settings.ts';
import { runHook } from './run.ts';

export interface HookTest {
  readonly payload: JsonObject;
  /** Null if the call failed. */
  readonly response: JsonObject | null;
  /** The hook's error, or the reason why the hook couldn't be called. */
  readonly error: string | null;
  readonly durationMs: number;
  readonly isRolledBack: boolean;
}

/**
 * Calls a hook with the settings in effect, even if the hook is disabled. Returns undefined if no hook has this name.
 */
export async function testHook(ctx: AuthContext, name: string): Promise<HookTest | undefined> {
  if (!isHookName(ctx, name)) return undefined;
  const { uri = '' } = ctx.settings.hooks[name];
  const payload = samples(ctx)[name];
  const isFunction = uri.startsWith('pg-functions:');
  const call = (tx?: Transaction) => runHook(ctx, { ip: '127.0.0.1' }, { name, input: payload, tx });
  const started = performance.now();
  const done = (response: JsonObject | null, error: string | null): HookTest => ({
    payload,
    response,
    error,
    durationMs: Math.round(performance.now() - started),
    isRolledBack: isFunction,
  });
  if (uri === '') return done(null, 'Enter a function or URL and save it first.');
  try {
    return done(await (isFunction ? ctx.pool.transaction(call, { end: 'rollback' }) : call()), null);
  } catch (error) {
    return done(null, wordsOf(error));
  }
}

const isHookName = (ctx: AuthContext, name: string): name is HookName =>
  Object.hasOwn(ctx.settings.hooks, name);

/** Returns the error's message, followed by the message of its cause, if any. */
function wordsOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error && cause.message !== '' ? `${message}: ${cause.message}` : message;
}

const userId = '00000000-0000-4000-8000-000000000001';

/** Returns sample data for each hook. The IDs in the sample data don't belong to any user or row. */
function samples({ settings, clock }: AuthContext): Readonly<Record<HookName, JsonObject>> {
  const seconds = Math.floor(clock.now() / 1000);
  const at = new Date(seconds * 1000).toISOString();
  const user = {
    id: userId,
    aud: settings.audience,
    role: '',
    email: 'ada@example.com',
    phone: '',
    app_metadata: { provider: 'email', providers: ['email'] },
    user_metadata: { name: 'Ada Lovelace' },
    identities: [],
    created_at: at,
    updated_at: at,
    is_anonymous: false,
  };
  const claims = {
    iss: settings.issuer(),
    sub: userId,
    aud: settings.audience,
    exp: seconds + settings.accessTokenSeconds,
    iat: seconds,
    email: user.email,
    phone: '',
    app_metadata: user.app_metadata,
    user_metadata: user.user_metadata,
    role: settings.defaultRole,
    aal: 'aal1',
    amr: [{ method: 'password', timestamp: seconds }],
    session_id: '00000000-0000-4000-8000-000000000002',
    is_anonymous: false,
  };
  return {
    before_user_created: { user },
    after_user_created: { user },
    custom_access_token: { user_id: userId, claims, authentication_method: 'password' },
    password_verification_attempt: { user_id: userId, valid: true },
    mfa_verification_attempt: {
      user_id: userId,
      factor_id: '00000000-0000-4000-8000-000000000003',
      factor_type: 'totp',
      valid: true,
    },
    send_email: {
      user,
      email_data: {
        token: '123456',
        token_hash: '0'.repeat(56),
        redirect_to: settings.siteUrl,
        email_action_type: 'magiclink',
        site_url: settings.externalUrl(),
        token_new: '',
        token_hash_new: '',
        old_email: '',
        old_phone: '',
        provider: '',
        factor_type: '',
      },
    },
    send_sms: { user: { ...user, phone: '15550100' }, sms: { otp: '123456', phone: '15550100' } },
    guest_hand_over: { guest_id: '00000000-0000-4000-8000-000000000004', user_id: userId },
  };
}
