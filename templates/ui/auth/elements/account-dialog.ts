/**
 * `<auth-account-dialog>`, with the property `supabase`: a button that opens the Account pages in a separate window. Needs a
 * client with `flowType: 'pkce'`, and the two files `account-dialog` in the app’s public folder. Dispatches `signed-in`.
 */
import type { SupabaseClient } from '@supabase/supabase-js';
import { signInInDialog } from '../core/account';
import { messageOf, texts } from '../core/messages';
import { AuthElement, define, h } from './dom';

class AccountDialogElement extends AuthElement {
  protected start(supabase: SupabaseClient): () => void {
    let pending: AbortController | undefined;
    const error = h('span', { class: 'auth-error', role: 'alert' });
    const status = h('span', { role: 'status' });
    const open = async () => {
      const controller = new AbortController();
      pending = controller;
      error.textContent = '';
      show();
      try {
        await signInInDialog(supabase, { signal: controller.signal });
        this.dispatchEvent(new CustomEvent('signed-in', { bubbles: true }));
      } catch (failure) {
        error.textContent = messageOf(failure as Error);
      } finally {
        pending = undefined;
        show();
      }
    };
    const button = h(
      'button',
      { type: 'button', class: 'auth-primary', click: open },
      this.getAttribute('label') ?? texts.signIn,
    );
    const cancel = h(
      'button',
      { type: 'button', class: 'auth-link', click: () => pending?.abort() },
      texts.cancel,
    );
    const show = () => {
      const isPending = pending !== undefined;
      button.hidden = isPending;
      cancel.hidden = !isPending;
      status.textContent = isPending ? texts.waiting : '';
    };
    show();
    this.append(h('span', { class: 'auth-inline' }, button, status, cancel, error));
    return () => pending?.abort();
  }
}

define('auth-account-dialog', AccountDialogElement);
