/** Renders users, identities and factors as JSON, with members in upstream's order. Omits undefined members. */

import { type JsonObject, sortKeys } from './json.ts';
import type { Factor, Identity, User } from './rows.ts';
import { toRfc3339 } from './times.ts';

const time = (text: string | null | undefined) => (text ? toRfc3339(text) : undefined);
const timeOrZero = (text: string | null) => time(text) ?? '0001-01-01T00:00:00Z';
const filled = (text: string | null) => text || undefined;

export function renderUser(user: User): JsonObject {
  return {
    id: user.id,
    aud: user.aud ?? '',
    role: user.role ?? '',
    email: user.email ?? '',
    email_confirmed_at: time(user.email_confirmed_at),
    invited_at: time(user.invited_at),
    phone: user.phone ?? '',
    phone_confirmed_at: time(user.phone_confirmed_at),
    confirmation_sent_at: time(user.confirmation_sent_at),
    confirmed_at: time(user.confirmed_at),
    recovery_sent_at: time(user.recovery_sent_at),
    new_email: filled(user.email_change),
    email_change_sent_at: time(user.email_change_sent_at),
    new_phone: filled(user.phone_change),
    phone_change_sent_at: time(user.phone_change_sent_at),
    reauthentication_sent_at: time(user.reauthentication_sent_at),
    last_sign_in_at: time(user.last_sign_in_at),
    app_metadata: sortKeys(user.raw_app_meta_data ?? {}),
    user_metadata: sortKeys(user.raw_user_meta_data ?? {}),
    factors: user.factors.length > 0 ? user.factors.map(renderFactor) : undefined,
    identities: user.identities === null ? null : user.identities.map(renderIdentity),
    created_at: timeOrZero(user.created_at),
    updated_at: timeOrZero(user.updated_at),
    banned_until: time(user.banned_until),
    deleted_at: time(user.deleted_at),
    is_anonymous: user.is_anonymous,
  };
}

export function renderIdentity(identity: Identity): JsonObject {
  const isEmpty = Object.keys(identity.identity_data).length === 0;
  return {
    identity_id: identity.id,
    id: identity.provider_id,
    user_id: identity.user_id,
    identity_data: isEmpty ? undefined : sortKeys(identity.identity_data),
    provider: identity.provider,
    last_sign_in_at: time(identity.last_sign_in_at),
    created_at: timeOrZero(identity.created_at),
    updated_at: timeOrZero(identity.updated_at),
    email: filled(identity.email),
  };
}

export function renderFactor(factor: Factor): JsonObject {
  return {
    id: factor.id,
    created_at: timeOrZero(factor.created_at),
    updated_at: timeOrZero(factor.updated_at),
    status: factor.status,
    friendly_name: filled(factor.friendly_name),
    factor_type: factor.factor_type,
    phone: factor.phone ?? '',
    last_challenged_at: time(factor.last_challenged_at) ?? null,
    web_authn_aaguid: filled(factor.web_authn_aaguid),
    last_webauthn_challenge_data: factor.last_webauthn_challenge_data ?? undefined,
  };
}

export function hasVerifiedFactor(user: User): boolean {
  return user.factors.some((factor) => factor.status === 'verified');
}

export function isBanned(user: Pick<User, 'banned_until'>, nowMs: number): boolean {
  return user.banned_until !== null && nowMs < Date.parse(toRfc3339(user.banned_until));
}
