/** Opens Plinth’s Account pages: in this window, or as a dialog in a separate window. */
import type { Provider, SupabaseClient } from '@supabase/supabase-js';

const provider = 'custom:account' as Provider;
const channelName = 'plinth-account-dialog';
/** The page in the app’s public folder that receives the code (account-dialog.html). */
const returnPage = '/account-dialog.html';
const timeoutMs = 10 * 60_000;

export class AccountDialogError extends Error {
  override readonly name = 'AccountDialogError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Goes to the sign-in page, which returns to the given page. Needs a client with `flowType: 'pkce'`. */
export async function goToSignIn(supabase: SupabaseClient, redirectTo = window.location.href): Promise<void> {
  const { error } = await supabase.auth.signInWithOAuth({ provider, options: { redirectTo } });
  if (error) throw error;
}

/** Returns the address of an Account page, such as the one with the account’s settings. */
export const accountPage = (url: string, page: 'security' | 'accounts'): string =>
  new URL(`/account/${page}`, url).href;

/** What the return page sends. It never contains tokens. */
interface Returned {
  readonly state: string;
  readonly code?: string;
  readonly error?: string;
  readonly description?: string;
}

function returnedOf(data: unknown, state: string): Returned | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const message = data as Readonly<Record<string, unknown>>;
  if (message.state !== state) return undefined;
  const text = (name: string) =>
    typeof message[name] === 'string' ? { [name]: message[name] as string } : {};
  return { state, ...text('code'), ...text('error'), ...text('description') };
}

export interface DialogOptions {
  /** Cancels the dialog. */
  readonly signal?: AbortSignal;
  /** The origin or path of the return page, if it isn’t at the root of this origin. */
  readonly returnTo?: string;
}

/**
 * Signs the user in with the Account pages in a separate window. Call it in the handler of a click, because browsers block
 * other windows. If the browser blocks the window, continues in this window instead.
 *
 * The window ends on a page of this app, which sends a one-time code through a BroadcastChannel. Only pages of this app’s
 * origin can send or receive it, and only this page has the PKCE verifier with which the code can be exchanged.
 * @throws {AccountDialogError} dialog_canceled, dialog_timeout, or the error of the sign-in
 */
export async function signInInDialog(supabase: SupabaseClient, options: DialogOptions = {}): Promise<void> {
  const { signal, returnTo = returnPage } = options;
  const popup = openWindow();
  if (popup === null) return goToSignIn(supabase);
  const state = crypto.randomUUID();
  const channel = new BroadcastChannel(channelName);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let cancel = () => {};
  try {
    const redirectTo = new URL(returnTo, window.location.origin);
    redirectTo.searchParams.set('state', state);
    const { data, error } = await supabase.auth.signInWithOAuth({
      provider,
      options: { redirectTo: redirectTo.href, skipBrowserRedirect: true },
    });
    if (error) throw error;
    const returned = new Promise<Returned>((resolve, reject) => {
      channel.onmessage = ({ data: received }) => {
        const message = returnedOf(received, state);
        if (message !== undefined) resolve(message);
      };
      cancel = () => reject(new AccountDialogError('dialog_canceled', 'The sign-in was canceled'));
      signal?.addEventListener('abort', cancel);
      timer = setTimeout(
        () => reject(new AccountDialogError('dialog_timeout', 'The sign-in took too long')),
        timeoutMs,
      );
      if (signal?.aborted) cancel();
    });
    popup.location.replace(data.url);
    const { code, error: failure, description } = await returned;
    if (code === undefined) {
      throw new AccountDialogError(failure ?? 'dialog_canceled', description ?? 'The sign-in failed');
    }
    const exchanged = await supabase.auth.exchangeCodeForSession(code);
    if (exchanged.error) throw exchanged.error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
    channel.close();
    // The Account pages detach themselves from this window, so this has an effect only before they are loaded.
    popup.close();
  }
}

function openWindow(): Window | null {
  const [width, height] = [480, 720];
  const left = Math.max(0, window.screenX + (window.outerWidth - width) / 2);
  const top = Math.max(0, window.screenY + (window.outerHeight - height) / 2);
  return window.open('', '_blank', `popup,width=${width},height=${height},left=${left},top=${top}`);
}
