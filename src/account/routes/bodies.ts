/** Bodies of `/account/api`, read once at the edge: only the fields that auth is meant to get go on to it. */
import { z } from 'zod';
import { AccountError } from '../errors.ts';

const text = z.string().max(4096);
const address = { email: text.optional(), phone: text.optional() };
const uuid = z.uuid();

function read<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body);
  if (!result.success) throw new AccountError('bad_request');
  return result.data;
}

const passwordBody = z.object({ ...address, password: text });
const verifyBody = z.object({
  ...address,
  token: text,
  type: z.enum(['email', 'sms', 'recovery', 'email_change', 'phone_change', 'invite', 'signup', 'magiclink']),
});
const factorBody = z.object({ factor_id: uuid, code: text });
const authorizationId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
const consentBody = z.object({ authorization_id: authorizationId, action: z.enum(['approve', 'deny']) });
const authorizationBody = z.object({ authorization_id: authorizationId });
const signOutBody = z.object({ scope: z.enum(['local', 'others', 'global']) });
const codeBody = z.object({
  ...address,
  purpose: z.enum(['sign-in', 'sign-up', 'confirm', 'recover']),
});

export function object(body: unknown): Record<string, unknown> {
  return read(z.record(z.string(), z.unknown()), body);
}

export function password(body: unknown): z.infer<typeof passwordBody> {
  return read(passwordBody, body);
}

export function verifyCode(body: unknown): z.infer<typeof verifyBody> {
  return read(verifyBody, body);
}

export function verifyFactor(body: unknown): { factorId: string; code: string } {
  const { factor_id: factorId, code } = read(factorBody, body);
  return { factorId, code };
}

export function consent(body: unknown): z.infer<typeof consentBody> {
  return read(consentBody, body);
}

/** Of a body or a query. */
export function authorization(source: unknown): string {
  return read(authorizationBody, source).authorization_id;
}

export function signOut(body: unknown): 'local' | 'others' | 'global' {
  return read(signOutBody, body).scope;
}

/** Where auth sends a code from, and with what: `confirm` asks for the code of a sign-up again. */
export function sendCode(body: unknown): { path: string; body: Record<string, unknown> } {
  const { email, phone, purpose } = read(codeBody, body);
  const to = email === undefined ? { phone } : { email };
  switch (purpose) {
    case 'sign-in':
      return { path: '/otp', body: { ...to, create_user: false } };
    case 'sign-up':
      return { path: '/otp', body: { ...to, create_user: true } };
    case 'confirm':
      return { path: '/resend', body: { ...to, type: email === undefined ? 'sms' : 'signup' } };
    case 'recover':
      return { path: '/recover', body: to };
  }
}
