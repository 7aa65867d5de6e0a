/** Parses the request bodies of `/account/api`. Passes only known fields to the auth service. */

import { z } from 'zod';
import type { SignOutScope } from '../browser-sign-in.ts';
import { AccountError } from '../errors.ts';

const text = z.string().max(4096);
/** The maximum length of the text that a wallet signs. This text may list many resources. */
const longText = z.string().max(20 * 1024);
const address = { email: text.optional(), phone: text.optional() };
const uuid = z.uuid();

function read<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body);
  if (!result.success) throw new AccountError('bad_request');
  return result.data;
}

const passwordBody = z.object({ ...address, password: text, captcha_token: text.optional() });
const verifyBody = z.object({
  ...address,
  token: text,
  /** The purpose for which the page requested the code. */
  purpose: z.enum(['sign-in', 'sign-up', 'confirm', 'recover']).optional(),
  type: z.enum(['email', 'sms', 'recovery', 'email_change', 'phone_change', 'invite', 'signup', 'magiclink']),
});
const factorBody = z.object({ factor_id: uuid, code: text });
const authorizationId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
const consentBody = z.object({ authorization_id: authorizationId, action: z.enum(['approve', 'deny']) });
const authorizationBody = z.object({ authorization_id: authorizationId });
const signOutBody = z.object({ scope: z.enum(['local', 'browser', 'elsewhere', 'all']) });
const codeBody = z.object({
  ...address,
  purpose: z.enum(['sign-in', 'sign-up', 'confirm', 'recover']),
  captcha_token: text.optional(),
});

export function object(body: unknown): Record<string, unknown> {
  return read(z.record(z.string(), z.unknown()), body);
}

export function password(body: unknown): Record<string, unknown> {
  const { captcha_token: token, ...credentials } = read(passwordBody, body);
  return { ...credentials, ...captchaOf(token) };
}

export function typedAddress(body: unknown): string {
  return read(z.object({ address: text }), body).address;
}

export function verifyCode(body: unknown): z.infer<typeof verifyBody> {
  return read(verifyBody, body);
}

export function verifyFactor(body: unknown): { factorId: string; code: string } {
  const { factor_id: factorId, code } = read(factorBody, body);
  return { factorId, code };
}

const captcha = { captcha_token: text.optional() };
const ssoBody = z.object({ domain: text, flow: text.default(''), ...captcha });
const linkBody = z.object({ provider: text, flow: text.default('') });
const passkeyBody = z.object({ challenge_id: uuid, credential: z.record(z.string(), z.unknown()) });
const walletBody = z.object({
  chain: z.enum(['ethereum', 'solana']),
  message: longText,
  signature: text,
  ...captcha,
});
const challengeBody = z.object({ factor_id: uuid });
const proofBody = z.object({
  factor_id: uuid,
  challenge_id: uuid,
  code: text.optional(),
  webauthn: z.record(z.string(), z.unknown()).optional(),
});

export function sso(body: unknown): { domain: string; flow: string; captcha: object } {
  const { domain, flow, captcha_token: token } = read(ssoBody, body);
  return { domain, flow, captcha: captchaOf(token) };
}

export function link(body: unknown): z.infer<typeof linkBody> {
  return read(linkBody, body);
}

/**
 * Reads the captcha token from a body that has no other fields. Starting a passkey sign-in requires a captcha if other
 * sign-in methods require one.
 */
export function captchaAlone(body: unknown): Record<string, unknown> {
  return captchaOf(read(z.object(captcha), body).captcha_token);
}

export function passkey(body: unknown): z.infer<typeof passkeyBody> {
  return read(passkeyBody, body);
}

export function factorId(body: unknown): string {
  return read(challengeBody, body).factor_id;
}

export function factorProof(body: unknown): { factorId: string; proof: Record<string, unknown> } {
  const { factor_id: factorId, ...proof } = read(proofBody, body);
  return { factorId, proof };
}

export function recoveryCode(body: unknown): { code: string } {
  return read(z.object({ code: text }), body);
}

/** Returns the captcha token in the format that the auth service expects. */
function captchaOf(token: string | undefined): Record<string, unknown> {
  return token === undefined ? {} : { gotrue_meta_security: { captcha_token: token } };
}

export function consent(body: unknown): z.infer<typeof consentBody> {
  return read(consentBody, body);
}

export function wallet(body: unknown): Record<string, unknown> {
  const { captcha_token: token, ...signed } = read(walletBody, body);
  return { ...signed, ...captchaOf(token) };
}

/** Reads the authorization ID from a body or query. */
export function authorization(source: unknown): string {
  return read(authorizationBody, source).authorization_id;
}

/** Returns which sessions to end. `all` means the sessions of all accounts in the browser. */
export function signOut(body: unknown): SignOutScope | 'all' {
  return read(signOutBody, body).scope;
}

/**
 * Returns the auth operation that sends a code, and its request body. The purpose `confirm` resends the code for a
 * sign-up.
 */
export function sendCode(body: unknown): {
  operation: 'sendCode' | 'resendCode' | 'sendRecovery';
  body: Record<string, unknown>;
} {
  const { email, phone, purpose, captcha_token: token } = read(codeBody, body);
  const to = { ...(email === undefined ? { phone } : { email }), ...captchaOf(token) };
  switch (purpose) {
    case 'sign-in':
      return { operation: 'sendCode', body: { ...to, create_user: false } };
    case 'sign-up':
      return { operation: 'sendCode', body: { ...to, create_user: true } };
    case 'confirm':
      return { operation: 'resendCode', body: { ...to, type: email === undefined ? 'sms' : 'signup' } };
    case 'recover':
      return { operation: 'sendRecovery', body: to };
  }
}
