/** Calls the API of Plinth's own server, which stores the session (`src/pages/account/routes/api.ts`). */
import { navigate } from 'wouter/use-browser-location';
import { callApi } from '../lib/api.ts';
import { loaded } from '../lib/loaded.ts';
import type { SessionState } from '../lib/session/index.ts';
import { type Flow, parseFlow } from './flow.ts';
import { pageConfig } from './page-config.ts';
import { callAuth, sessionClient, type User } from './session.ts';

export type CodePurpose = 'sign-in' | 'sign-up' | 'confirm' | 'recover';

export type Address = { readonly email: string } | { readonly phone: string };

export interface Made {
  readonly session: object | null;
  /**
   * If an email was sent, the number that is displayed in this window. The user types this number on the device on
   * which the link is opened.
   */
  readonly number?: number;
}

export function post<T>(name: string, body: object): Promise<T> {
  return callApi<T>(`/account/api/${name}`, { method: 'POST', body });
}

/**
 * Sends a request that may require a captcha. If a captcha is required, solves it first and adds the resulting token to
 * the request.
 */
export async function postGuarded<T>(name: string, body: object): Promise<T> {
  const { captcha } = pageConfig;
  if (captcha === undefined) return post(name, body);
  const { solveCaptcha } = await loaded(import('./form/captcha.ts'));
  return post(name, { ...body, captcha_token: await solveCaptcha(captcha) });
}

export type NextStep =
  | { readonly step: 'sso'; readonly isEnforced: boolean }
  /** The step `sign-up` means that no account has the address, which only projects that reveal accounts return. */
  | { readonly step: 'password' | 'code' | 'sign-up' | 'none' };

/** Returns the next sign-in step for an address. */
export function identify(address: string): Promise<NextStep> {
  return post('identify', { address });
}

/** Creates an account. The result has no `state` if the address must be confirmed before the user can sign in. */
export async function signUp(
  email: string,
  password: string,
): Promise<{ state?: SessionState<User>; number?: number | undefined }> {
  const { session, number } = await postGuarded<Made>('sign-up', { email, password });
  return session === null ? { number } : { state: await sessionClient().changed('SIGNED_IN') };
}

export async function continueAsGuest(): Promise<SessionState<User>> {
  await postGuarded<Made>('guest', {});
  return sessionClient().changed('SIGNED_IN');
}

export function sendCode(to: Address, purpose: CodePurpose): Promise<{ readonly number?: number }> {
  return postGuarded('code', { ...to, purpose });
}

/** The page on which the user chooses a password after a code, if the code doesn't lead directly to its destination. */
export type PasswordPage = 'new-password' | 'join';

export async function verifyCode(
  to: Address,
  token: string,
  purpose: CodePurpose,
): Promise<{ state: SessionState<User>; page?: PasswordPage | undefined }> {
  const type = purpose === 'recover' ? 'recovery' : 'phone' in to ? 'sms' : 'email';
  const body = { ...to, token, type, purpose };
  const { page } = await post<Made & { readonly page?: PasswordPage }>('verify', body);
  return {
    state: await sessionClient().changed(purpose === 'recover' ? 'PASSWORD_RECOVERY' : 'SIGNED_IN'),
    page,
  };
}

/** Verifies the code for an email change. Returns whether the change is complete. */
export async function verifyEmailChange(email: string, token: string): Promise<boolean> {
  const { session } = await post<Made>('verify', { email, token, type: 'email_change' });
  if (session === null) return false;
  await sessionClient().changed('USER_UPDATED');
  return true;
}

export async function verifyPhoneChange(phone: string, token: string): Promise<void> {
  await post<Made>('verify', { phone, token, type: 'phone_change' });
  await sessionClient().changed('USER_UPDATED');
}

export async function verifyFactor(factorId: string, code: string): Promise<SessionState<User>> {
  await post<Made>('factor', { factor_id: factorId, code });
  return sessionClient().changed('TOKEN_REFRESHED');
}

/** Unlinks a provider. After that, the sign-in page in this browser no longer suggests the provider. */
export async function unlink(identityId: string): Promise<void> {
  await callAuth(`/user/identities/${identityId}`, { method: 'DELETE' });
  // The provider is already unlinked, so an error here must not be reported as a failure to unlink it.
  await post('unlinked', {}).catch(() => {});
  await sessionClient().changed('USER_UPDATED');
}

/** The result of a sign-out on this page. */
export interface SignedOut {
  /** The apps in which the user is still signed in, in this browser. */
  readonly apps: readonly string[];
  readonly scope: 'local' | 'browser';
  /** Whether the page reloads to load the logout pages of the apps from which the user was signed out. */
  readonly isReloading?: boolean;
}

let last: SignedOut | undefined;
/** The last sign-out in this window. Undefined if it is unknown which apps are still signed in. */
export const lastSignOut = (): SignedOut | undefined => last;

/**
 * Ends sessions: only this session (`local`), this session and the sessions of the apps in this browser (`browser`), or
 * all sessions in other browsers (`elsewhere`). `apps` are the apps that stay signed in, if the caller knows them.
 */
export async function signOut(
  scope: 'local' | 'browser' | 'elsewhere',
  apps?: readonly string[],
): Promise<void> {
  const { pathname, search } = window.location;
  const { frames: isReloading = false } = await post<{ readonly frames?: boolean }>('sign-out', { scope });
  if (scope === 'elsewhere') return;
  others = undefined;
  last = scope === 'browser' ? { scope, apps: [], isReloading } : apps && { scope, apps };
  await sessionClient().changed('SIGNED_OUT');
  // Only a page that the server sends has a content security policy that allows the frames.
  const page = '/account/signed-out';
  if (isReloading) await leaveFor(pathname === page ? `${page}${search}` : page);
}

/** Ends the sessions of all accounts in this browser. Apps stay signed in. */
export async function signOutAll(): Promise<void> {
  await post('sign-out', { scope: 'all' });
  last = undefined;
  others = undefined;
  await sessionClient().changed('SIGNED_OUT');
}

/** The accounts in this browser other than the current account. */
export interface OtherAccounts {
  /** The names of the accounts that are signed in. A guest's name is empty. */
  readonly names: readonly string[];
  /** The names of the most recently signed-out accounts that this browser still lists. */
  readonly left: readonly string[];
}

/** Removes the most recently signed-out accounts from this browser's list. */
export async function forgetLeft(): Promise<void> {
  await post('forget', {});
  others = undefined;
}

let others: Promise<OtherAccounts> | undefined;
export function otherAccounts(): Promise<OtherAccounts> {
  others ??= callApi<OtherAccounts>('/account/api/others');
  return others;
}

/** Returns the URL that redirects the user back to the app. The app receives its own session at this URL. */
export async function returnAddress(flow: Flow = parseFlow(window.location.search)): Promise<string> {
  const { url } = await post<{ url: string }>('return', {
    redirect_to: flow.redirectTo,
    code_challenge: flow.codeChallenge,
    code_challenge_method: flow.codeChallengeMethod,
    next: flow.next,
  });
  return url;
}

/**
 * Whether the project's redirect rules allow the address, or the OAuth client has registered the address as a
 * destination after sign-out.
 */
export async function isAppAddress(address: string, clientId?: string): Promise<boolean> {
  const body = { redirect_to: address, ...(clientId === undefined ? {} : { client_id: clientId }) };
  return (await post<{ allowed: boolean }>('app', body)).allowed;
}

/**
 * Redirects the browser to the address. Never resolves, so the page stays busy until the browser navigates away. A
 * native app opens beside the browser, so for a native app's address, this function opens a page with a link instead.
 */
export function leaveFor(address: string): Promise<never> {
  if (!/^https?:$/.test(new URL(address, window.location.href).protocol)) {
    navigate('/account/continue', { state: address });
  }
  window.location.assign(address);
  return new Promise(() => {});
}
