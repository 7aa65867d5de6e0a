/**
 * Handles the pages' forms when they are posted without scripts. Each action reads its fields, calls auth and returns
 * the next page.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AuthClient, AuthUser, TokenPair } from './auth-client.ts';
import type { BrowserSignIn } from './browser-sign-in.ts';
import type { CodePurpose, Step } from './core/step.ts';
import { AccountError, AuthRefusal } from './errors.ts';
import { proveFactor } from './prove-factor.ts';
import type { SessionStore } from './sessions.ts';
import { mustStepUp, type Visitor, type Visitors } from './visitor.ts';

export interface FormActionDeps {
  readonly auth: AuthClient;
  readonly sessions: SessionStore;
  readonly browserSignIn: BrowserSignIn;
  readonly visitors: Visitors;
}

export interface Turn {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly form: URLSearchParams;
  /** The page's query, which is kept. */
  readonly query: URLSearchParams;
  readonly step: Step | undefined;
}

/** The next page. `next` is the page after it. */
export interface Outcome {
  readonly page: string;
  readonly step?: Omit<Step, 'page'>;
  readonly next?: string;
}

export type FormAction = (turn: Turn) => Promise<Outcome>;

/** An invalid field. `code` is the ID of the text that explains why. */
export class FieldFault extends Error {
  override readonly name = 'FieldFault';
  readonly code: string;
  readonly place: string;
  constructor(code: string, place: string) {
    super(code);
    this.code = code;
    this.place = place;
  }
}

/** The fields that auth's error codes refer to, matching the pages' scripts. */
export const placesOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'sign-up': { weak_password: 'password', user_already_exists: 'email', email_address_invalid: 'email' },
  code: { otp_expired: 'code' },
  'new-password': { weak_password: 'password', same_password: 'password' },
  mfa: { mfa_verification_failed: 'code' },
};

const maxFieldLength = 4096;
const verifyTypes = { 'sign-in': 'email', confirm: 'email', recover: 'recovery' } as const;

export function createFormActions(deps: FormActionDeps): Readonly<Record<string, FormAction>> {
  const { auth, sessions, browserSignIn, visitors } = deps;

  async function arrive(turn: Turn, pair: TokenPair, first?: string): Promise<Outcome> {
    const session = await browserSignIn.enter(turn.request, turn.reply, pair);
    return goOn(turn, { session, user: pair.user }, first);
  }

  /**
   * Returns the next page: the second factor, one of our pages with a form, the return to the app, or a confirmation.
   */
  function goOn({ query }: Turn, visitor: Visitor, first = query.get('next') ?? ''): Outcome {
    const next = first === 'new-password' ? first : undefined;
    if (mustStepUp(visitor)) return { page: 'mfa', step: {}, ...(next === undefined ? {} : { next }) };
    return next === undefined ? { page: 'signed-in', step: { arrived: true } } : { page: next, step: {} };
  }

  async function sendCode({ request, form }: Turn, purpose: CodePurpose): Promise<Outcome> {
    const email = emailIn(form);
    await auth.call(request, { method: 'POST', ...codeRequest(email, purpose) });
    return { page: 'code', step: { email, purpose } };
  }

  async function guest(turn: Turn): Promise<Outcome> {
    const request = { method: 'POST', path: '/signup', body: {} } as const;
    return arrive(turn, await auth.call<TokenPair>(turn.request, request));
  }

  async function signIn(turn: Turn): Promise<Outcome> {
    const { request, form } = turn;
    const wanted = form.get('do');
    if (wanted === 'code') return sendCode(turn, 'sign-in');
    if (wanted === 'guest') return guest(turn);
    const email = emailIn(form);
    const body = { email, password: textIn(form, 'password', 'field.password-missing') };
    const path = '/token?grant_type=password';
    return arrive(turn, await auth.call<TokenPair>(request, { method: 'POST', path, body }));
  }

  async function signUp(turn: Turn): Promise<Outcome> {
    const email = emailIn(turn.form);
    const body = { email, password: textIn(turn.form, 'password', 'field.password-missing') };
    const made = await auth.call<TokenPair | AuthUser>(turn.request, {
      method: 'POST',
      path: '/signup',
      body,
    });
    // The response is the same for an address that is already in use.
    return 'access_token' in made
      ? arrive(turn, made as TokenPair)
      : { page: 'code', step: { email, purpose: 'confirm' } };
  }

  async function code(turn: Turn): Promise<Outcome> {
    const { request, form, step } = turn;
    const { email, purpose } = step?.page === 'code' ? step : {};
    if (email === undefined || purpose === undefined) return sendCode(turn, 'sign-in');
    if (form.get('do') === 'other') return { page: purpose === 'recover' ? 'recover' : 'code' };
    if (form.get('do') === 'resend') {
      await auth.call(request, { method: 'POST', ...codeRequest(email, purpose) });
      return { page: 'code', step: { email, purpose, resent: true } };
    }
    const token = digitsIn(form);
    const body = { email, token, type: verifyTypes[purpose] };
    const pair = await auth.call<TokenPair>(request, { method: 'POST', path: '/verify', body });
    return arrive(turn, pair, purpose === 'recover' ? 'new-password' : undefined);
  }

  async function newPassword(turn: Turn): Promise<Outcome> {
    const visitor = await visitors.needed(turn.request);
    if (mustStepUp(visitor)) return { page: 'mfa', step: {}, next: 'new-password' };
    const body = { password: textIn(turn.form, 'password', 'field.password-missing') };
    const accessToken = visitor.session.tokens.access_token;
    await auth.call(turn.request, { method: 'PUT', path: '/user', body, accessToken });
    return goOn(turn, visitor, '');
  }

  /** Only auth can tell which of several authenticators the code belongs to. */
  async function mfa(turn: Turn): Promise<Outcome> {
    const { session, user } = await visitors.needed(turn.request);
    const entered = digitsIn(turn.form);
    const factors = (user.factors ?? []).filter(
      (factor) => factor.status === 'verified' && factor.factor_type === 'totp',
    );
    let refusal: unknown = new AuthRefusal(422, { error_code: 'mfa_factor_not_found' });
    for (const { id: factorId } of factors) {
      try {
        const proof = { factorId, code: entered };
        const proven = await proveFactor({ auth, sessions }, turn.request, session, proof);
        return goOn(turn, { session: proven.session, user: proven.pair.user });
      } catch (error) {
        if (!(error instanceof AuthRefusal && error.code === 'mfa_verification_failed')) throw error;
        refusal = error;
      }
    }
    throw refusal;
  }

  return {
    'sign-in': signIn,
    'sign-up': signUp,
    guest,
    code,
    recover: (turn) => sendCode(turn, 'recover'),
    'new-password': newPassword,
    mfa,
  };
}

function codeRequest(email: string, purpose: CodePurpose): { path: string; body: object } {
  if (purpose === 'recover') return { path: '/recover', body: { email } };
  if (purpose === 'confirm') return { path: '/resend', body: { email, type: 'signup' } };
  return { path: '/otp', body: { email, create_user: false } };
}

function textIn(form: URLSearchParams, name: string, missing: string): string {
  const text = form.get(name) ?? '';
  if (text === '') throw new FieldFault(missing, name);
  if (text.length > maxFieldLength) throw new AccountError('bad_request');
  return text;
}

function emailIn(form: URLSearchParams): string {
  const email = textIn(form, 'email', 'field.email-missing').trim();
  if (!/^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(email)) throw new FieldFault('field.email-wrong', 'email');
  return email;
}

/** Accepts digits from Arabic and Persian keyboards, as `digitsOf` in `web/account/fields.ts` does. */
function digitsIn(form: URLSearchParams): string {
  const digits = textIn(form, 'code', 'field.code-empty')
    .replace(/[٠-٩۰-۹]/g, (digit) => String((digit.codePointAt(0) ?? 0) & 15))
    .replace(/\D/g, '');
  if (digits === '' || digits.length > 10) throw new FieldFault('field.code-empty', 'code');
  return digits;
}
