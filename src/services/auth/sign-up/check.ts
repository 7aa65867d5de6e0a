/** Validates sign-up requests. */

import { type Channel, parseChannel } from '../codes/phone-codes.ts';
import { parseEmail, parsePhone } from '../common/contact.ts';
import type { JsonObject } from '../common/json.ts';
import { type Challenge, parseChallenge } from '../common/pkce.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { requireStrongPassword } from '../passwords/strength.ts';
import { requireNoSso } from '../sso/enforced.ts';
import type { Provider } from './accounts.ts';

export interface SignUpRequest {
  readonly email: string;
  readonly phone: string;
  readonly password: string;
  /**
   * Whether the user signs up with a code instead of a password. In this case, `password` isn't stored, because it is
   * random and no user knows it.
   */
  readonly byCode?: boolean;
  readonly data: JsonObject;
  readonly channel: string;
  readonly codeChallenge: string;
  readonly codeChallengeMethod: string;
  readonly aud: string;
}

export interface CheckedSignUp {
  readonly provider: Provider;
  readonly email: string;
  readonly phone: string;
  readonly password: string;
  readonly byCode: boolean;
  readonly data: JsonObject;
  readonly channel: Channel;
  readonly challenge: Challenge | undefined;
  readonly aud: string;
}

/** Runs the checks in upstream's order, because the order determines which error is returned. */
export async function checkSignUp(ctx: AuthContext, request: SignUpRequest): Promise<CheckedSignUp> {
  const { settings } = ctx;
  if (!settings.signupEnabled) throw authError('signup_disabled');
  if (request.password === '') throw authError('validation_failed', 'Signup requires a valid password');
  await requireStrongPassword(ctx, request.password);
  if (request.email !== '' && request.phone !== '') {
    throw authError(
      'validation_failed',
      'Only an email address or phone number should be provided on signup.',
    );
  }
  const provider = request.email !== '' ? 'email' : 'phone';
  const channel = provider === 'phone' ? parseChannel(ctx, request.channel) : 'sms';
  if (request.phone !== '' && request.codeChallenge !== '') {
    throw authError('validation_failed', 'PKCE not supported for phone signups');
  }
  const challenge = parseChallenge(request.codeChallenge, request.codeChallengeMethod);
  if (provider === 'email' && !settings.email.enabled) {
    throw authError('email_provider_disabled', 'Email signups are disabled');
  }
  if (provider === 'phone' && !settings.phone.enabled) {
    throw authError('phone_provider_disabled', 'Phone signups are disabled');
  }
  const email = provider === 'email' ? parseEmail(request.email) : '';
  await requireNoSso(ctx, ctx.pool, email);
  return {
    provider,
    email,
    phone: provider === 'phone' ? parsePhone(request.phone) : '',
    password: request.password,
    byCode: request.byCode === true,
    data: request.data,
    channel,
    challenge,
    aud: request.aud,
  };
}

/**
 * Whether responses conceal whether an account exists. With autoconfirm, responses can't conceal whether an account
 * exists, because they contain a session if the account is new.
 */
export function hidesAccounts(ctx: AuthContext, provider: Provider): boolean {
  return ctx.settings[provider].hidesAccounts && !confirmsImmediately(ctx, provider);
}

export function confirmsImmediately({ settings }: AuthContext, provider: Provider): boolean {
  return settings[provider].autoconfirm;
}
