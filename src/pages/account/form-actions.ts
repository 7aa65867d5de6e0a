/**
 * Handles forms that browsers submit without scripts. Each action reads the form's fields, calls the auth service and
 * returns the next page.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuthRejection } from '../../base/shared/errors.ts';
import type { VisitorOperations } from '../../services/auth/index.ts';
import type { AuthClient, TokenPair } from './auth-client.ts';
import { type BrowserSignIn, keepConfirming } from './browser-sign-in.ts';
import { type SignInWay, wayOfCode } from './core/browser-memory.ts';
import { passwordPageFor } from './core/confirm.ts';
import type { CodePurpose, Step } from './core/step.ts';
import { digitsIn, emailIn, FieldFault, textIn } from './form-fields.ts';
import { type Identify, keepAddress } from './identify.ts';
import { passSecondStep } from './second-step.ts';
import type { SessionStore } from './sessions.ts';
import { mustStepUp, type Visitor, type Visitors } from './visitor.ts';
import type { WaitingWindows } from './waiting-windows.ts';

export interface FormActionDeps {
  readonly auth: AuthClient;
  readonly sessions: SessionStore;
  readonly browserSignIn: BrowserSignIn;
  readonly visitors: Visitors;
  readonly windows: WaitingWindows;
  readonly identify: Identify;
}

export interface FormContext {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly form: URLSearchParams;
  /** The query string of the page. The next page receives it as well. */
  readonly query: URLSearchParams;
  readonly step: Step | undefined;
}

/** The result of submitting a form. `page` is the page to show now, and `next` is the page that follows it. */
export interface Outcome {
  readonly page: string;
  readonly step?: Omit<Step, 'page'>;
  readonly next?: string;
  /**
   * Whether the submitted form already contains the input for `page`. If it does, the action of `page` runs
   * immediately.
   */
  readonly isFilled?: boolean;
}

export type FormAction = (turn: FormContext) => Promise<Outcome>;

/**
 * The form field to which each error code of the auth service applies, by page. The pages' scripts contain the same
 * mapping.
 */
export const placesOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'sign-in': { sso_required: 'email', sso_provider_not_found: 'email' },
  password: { email_not_confirmed: 'unconfirmed' },
  sso: { sso_provider_not_found: 'domain' },
  'sign-up': {
    sso_required: 'email',
    weak_password: 'password',
    user_already_exists: 'email',
    email_address_invalid: 'email',
  },
  code: { otp_expired: 'code' },
  'new-password': { weak_password: 'password', same_password: 'password' },
  join: { weak_password: 'password', same_password: 'password' },
  mfa: { mfa_verification_failed: 'code' },
};

/**
 * Returns undefined if the error means that the auth service sent a code because the browser is new. Rethrows all other
 * errors.
 */
function ifNewDevice(error: unknown): undefined {
  if (!(error instanceof AuthRejection && error.code === 'device_not_confirmed')) throw error;
}

const verifyTypes = { 'sign-in': 'email', confirm: 'email', recover: 'recovery' } as const;

export function createFormActions(deps: FormActionDeps): Readonly<Record<string, FormAction>> {
  const { auth, browserSignIn, windows, identify } = deps;

  async function arrive(
    turn: FormContext,
    pair: TokenPair,
    way: SignInWay,
    first?: string,
  ): Promise<Outcome> {
    const session = await browserSignIn.enter(turn.request, turn.reply, pair, way);
    return continueFlow(turn, { session, user: pair.user }, first);
  }

  /** Sends an email with a code and a link, and marks this window as waiting for the link. */
  async function mailCode(
    { request, reply }: FormContext,
    email: string,
    purpose: CodePurpose,
  ): Promise<void> {
    const window = windows.of(request);
    await requestCode(auth.visitor(request, window.id), email, purpose);
    await windows.begin(request, reply, window);
  }

  async function sendCode(turn: FormContext, purpose: CodePurpose): Promise<Outcome> {
    const email = emailIn(turn.form);
    await mailCode(turn, email, purpose);
    return { page: 'code', step: { email, purpose } };
  }

  async function guest(turn: FormContext): Promise<Outcome> {
    return arrive(turn, await auth.visitor(turn.request).signUpAsGuest({}), 'guest');
  }

  /** Reads the address from the form and selects the next step. */
  async function signIn(turn: FormContext): Promise<Outcome> {
    const { request, reply, form } = turn;
    if (form.get('do') === 'guest') return guest(turn);
    const email = emailIn(form);
    const identified = await identify(request, reply, email);
    switch (identified?.next.step) {
      case 'sso':
        return { page: 'sso', step: { email, ...(identified.next.isEnforced ? { enforced: true } : {}) } };
      case 'code':
        return sendCode(turn, 'sign-in');
      case 'sign-up':
        return { page: 'sign-up', step: { email, unknown: true } };
      case 'password':
        // Password managers fill in the address and the password, so the form may already contain the password.
        return { page: 'password', isFilled: (form.get('password') ?? '') !== '' };
      default:
        throw new FieldFault('sso_provider_not_found', 'email');
    }
  }

  async function password(turn: FormContext): Promise<Outcome> {
    const { request, form } = turn;
    const requested = form.get('do');
    if (requested === 'code') return sendCode(turn, 'sign-in');
    if (requested === 'confirm') return sendCode(turn, 'confirm');
    const body = { email: emailIn(form), password: textIn(form, 'password', 'field.password-missing') };
    const window = windows.of(request);
    const pair = await auth.visitor(request, window.id).signInWithPassword(body).catch(ifNewDevice);
    if (pair !== undefined) return arrive(turn, pair, 'password');
    await windows.begin(request, turn.reply, window);
    return confirmDevice(turn, body.email);
  }

  async function signUp(turn: FormContext): Promise<Outcome> {
    const email = emailIn(turn.form);
    const body = { email, password: textIn(turn.form, 'password', 'field.password-missing') };
    const window = windows.of(turn.request);
    const pair = await auth.visitor(turn.request, window.id).signUp(body);
    if (pair === undefined) await windows.begin(turn.request, turn.reply, window);
    // Returns the same response if the address already belongs to an account, so that the response doesn't reveal who
    // has an account.
    return pair === undefined
      ? { page: 'code', step: { email, purpose: 'confirm' } }
      : arrive(turn, pair, 'password');
  }

  async function code(turn: FormContext): Promise<Outcome> {
    const { request, form, step } = turn;
    const { email, purpose } = step?.page === 'code' ? step : {};
    if (email === undefined || purpose === undefined) return sendCode(turn, 'sign-in');
    if (form.get('do') === 'other') return { page: purpose === 'recover' ? 'recover' : 'code' };
    if (form.get('do') === 'resend') {
      await mailCode(turn, email, purpose);
      return { page: 'code', step: { email, purpose, resent: true } };
    }
    if (form.get('do') === 'check') return checkLink(turn, email, purpose);
    const token = digitsIn(form);
    const body = { email, token, type: verifyTypes[purpose] };
    const pair = await auth.visitor(request).verifyCode(body);
    if (pair === undefined) throw new Error('only an email change has two confirmations');
    await windows.end(request, turn.reply);
    return arrive(turn, pair, wayOfCode(purpose), passwordPageFor(body.type, pair));
  }

  /** Continues the sign-in if the user has confirmed the link in the email on another device. */
  async function checkLink(turn: FormContext, email: string, purpose: CodePurpose): Promise<Outcome> {
    const taken = await windows.take(turn.request);
    if (taken.state !== 'confirmed') return { page: 'code', step: { email, purpose, unconfirmed: true } };
    await windows.end(turn.request, turn.reply);
    const body = { type: taken.type, token_hash: taken.link };
    const pair = await auth.visitor(turn.request).verifyCode(body);
    if (pair === undefined) throw new Error('only an email change has two confirmations');
    return arrive(turn, pair, wayOfCode(taken.type), passwordPageFor(taken.type, pair));
  }

  async function mfa(turn: FormContext): Promise<Outcome> {
    const { form } = turn;
    if (form.get('do') === 'recovery') return { page: 'mfa', step: { recovery: true } };
    if (form.get('do') === 'factor') return { page: 'mfa', step: {} };
    return continueFlow(turn, await passSecondStep(deps, turn));
  }

  return {
    'sign-in': signIn,
    password,
    sso,
    'sign-up': signUp,
    guest,
    code,
    recover: (turn) => sendCode(turn, 'recover'),
    'new-password': (turn) => newPassword(deps, turn),
    join: (turn) => newPassword(deps, turn),
    mfa,
  };
}

async function newPassword({ auth, visitors }: FormActionDeps, turn: FormContext): Promise<Outcome> {
  const visitor = await visitors.needed(turn.request);
  if (mustStepUp(visitor)) return { page: 'mfa', step: { unsaved: true }, next: 'new-password' };
  const body = { password: textIn(turn.form, 'password', 'field.password-missing') };
  await auth.user(turn.request, visitor.session).update(body);
  return continueFlow(turn, visitor, '');
}

/**
 * Returns the next page: the second-factor page, the page on which the user chooses a password, or the page that shows
 * that the user is signed in.
 */
function continueFlow({ query }: FormContext, visitor: Visitor, first = query.get('next') ?? ''): Outcome {
  const next = first === 'new-password' || first === 'join' ? first : undefined;
  if (mustStepUp(visitor)) return { page: 'mfa', step: {}, ...(next === undefined ? {} : { next }) };
  return next === undefined ? { page: 'signed-in', step: { arrived: true } } : { page: next, step: {} };
}

/**
 * Shows the form in which the user enters the code that confirms the browser, and records that the password was
 * correct.
 */
function confirmDevice({ request, reply }: FormContext, email: string): Outcome {
  keepConfirming(request, reply, email);
  return { page: 'code', step: { email, purpose: 'sign-in' } };
}

/** Stores the typed address or domain. The next page contains a link to the identity provider. */
async function sso({ request, reply, form }: FormContext): Promise<Outcome> {
  const typed = textIn(form, 'domain', 'field.domain-wrong').trim();
  if (!/^[^\s/]+\.[^\s/.]+$/.test(typed)) throw new FieldFault('field.domain-wrong', 'domain');
  keepAddress(request, reply, typed);
  return { page: 'sso', step: { email: typed } };
}

function requestCode(visitor: VisitorOperations, email: string, purpose: CodePurpose): Promise<void> {
  if (purpose === 'recover') return visitor.sendRecovery({ email });
  if (purpose === 'confirm') return visitor.resendCode({ email, type: 'signup' });
  return visitor.sendCode({ email, create_user: false });
}
