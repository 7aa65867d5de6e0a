/** Registers passkeys. */
import { deviceOf } from '../../../base/shared/account.ts';
import { audit } from '../common/audit.ts';
import type { Caller, UserCaller } from '../common/caller.ts';
import type { ReadFields } from '../common/fields.ts';
import type { Passkey, User } from '../common/rows.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { deviceNameIn, mailLanguage } from '../messages/defaults.ts';
import { notify } from '../security-events/notify.ts';
import { recordEvent } from '../security-events/record.ts';
import { asUser } from '../sessions/user-transaction.ts';
import { type Creation, creationOptions, creationSession, type KeyUser, newChallenge } from './ceremony.ts';
import { consumeResponse, createChallenge, type PasskeyOptions, rejection } from './challenges.ts';
import { modelName } from './credential.ts';
import { requirePasskeyAal } from './manage.ts';
import { countPasskeys, insertPasskey, listPasskeys } from './queries.ts';
import { type NewKey, parseCreation, verifyCreation } from './webauthn.ts';

const maxPasskeysPerUser = 10;

/** The name of a passkey whose authenticator model is unknown. GoTrue uses the same name. */
const unnamedPasskey = 'Passkey';

/** Starts a passkey registration. @throws {AuthError} too_many_passkeys, insufficient_aal, validation_failed */
export async function beginRegistration(ctx: AuthContext, caller: UserCaller): Promise<PasskeyOptions> {
  requireRegistration(caller);
  const { user } = caller;
  const existing = await listPasskeys(ctx.pool, user.id);
  if (existing.length >= maxPasskeysPerUser) throw authError('too_many_passkeys');
  const creation: Creation = {
    party: ctx.settings.relyingParty(),
    kind: 'passkey',
    challenge: newChallenge(),
    user: keyUser(user),
    excluded: existing.map((passkey) => ({ id: passkey.credential_id })),
  };
  return createChallenge(ctx, {
    type: 'registration',
    userId: user.id,
    session: creationSession(creation),
    options: creationOptions(creation),
  });
}

/**
 * Completes a passkey registration.
 * @throws {AuthError} webauthn_challenge_not_found, webauthn_challenge_expired, webauthn_verification_failed,
 * webauthn_credential_exists
 */
export async function finishRegistration(
  ctx: AuthContext,
  caller: UserCaller,
  body: ReadFields,
): Promise<Passkey> {
  requireRegistration(caller);
  const { user } = caller;
  const { ceremony, credential } = await consumeResponse(ctx, body(), 'registration', user.id);
  const response = parseCreation(credential);
  if (!response) throw rejection('malformed');
  if (ceremony.userId !== user.id) throw rejection('refused');
  const result = await verifyCreation(ctx.settings.relyingParty(), ceremony, response);
  if (!result.ok) throw rejection(result.fault, result.cause);
  return store(ctx, caller, user, result.proven);
}

function requireRegistration(caller: UserCaller): void {
  if (caller.user.is_sso_user) {
    throw authError('validation_failed', 'SSO users cannot register passkeys', { status: 422 });
  }
  requirePasskeyAal(caller);
}

function keyUser(user: User): KeyUser {
  const name = user.email || user.phone || '';
  const given = user.raw_user_meta_data?.name;
  return { id: user.id, name, displayName: typeof given === 'string' && given !== '' ? given : name };
}

async function store(ctx: AuthContext, caller: UserCaller, user: User, key: NewKey): Promise<Passkey> {
  const name = (await modelName(key.aaguid)) ?? nameFor(caller);
  const { added, event } = await asUser(ctx, caller, async (tx) => {
    if ((await countPasskeys(tx, user.id)) >= maxPasskeysPerUser) throw authError('too_many_passkeys');
    const passkey = await insertPasskey(tx, { userId: user.id, key, friendlyName: name }, ctx.clock.now());
    if (!passkey) throw authError('webauthn_credential_exists');
    await audit(ctx, tx, user, {
      action: 'passkey_created',
      ip: caller.ip,
      traits: { passkey_id: passkey.id },
    });
    const details = { passkey_id: passkey.id, name };
    return {
      added: passkey,
      event: await recordEvent(ctx, tx, caller, { userId: user.id, kind: 'passkey_added', details }),
    };
  });
  await notify(ctx, caller, { user, kind: 'passkey_added', passkey: name, event });
  return added;
}

/**
 * Returns a name for a passkey whose model is unknown. On the Account pages, the name describes the device on which the
 * user added the passkey. For other clients, the name is the same as in GoTrue.
 */
function nameFor({ pageLanguage, userAgent }: Caller): string {
  const device = pageLanguage === undefined ? undefined : deviceOf(userAgent);
  if (device === undefined) return unnamedPasskey;
  return deviceNameIn(mailLanguage(pageLanguage), device);
}
