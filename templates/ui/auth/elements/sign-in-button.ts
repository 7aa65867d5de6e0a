/** `<auth-sign-in-button redirect-to="…">`, with the property `supabase`. Needs a client with `flowType: 'pkce'`. */
import type { SupabaseClient } from '@supabase/supabase-js';
import { goToSignIn } from '../core/account';
import { messageOf, texts } from '../core/messages';
import { AuthElement, define, h } from './dom';

class SignInButtonElement extends AuthElement {
  protected start(supabase: SupabaseClient): () => void {
    const error = h('span', { class: 'auth-error', role: 'alert' });
    const button = h(
      'button',
      {
        type: 'button',
        class: 'auth-primary',
        click: async () => {
          button.disabled = true;
          error.textContent = '';
          try {
            await goToSignIn(supabase, this.getAttribute('redirect-to') ?? undefined);
          } catch (failure) {
            button.disabled = false;
            error.textContent = messageOf(failure as Error);
          }
        },
      },
      this.getAttribute('label') ?? texts.signIn,
    );
    this.append(h('span', { class: 'auth-inline' }, button, error));
    return () => {};
  }
}

define('auth-sign-in-button', SignInButtonElement);
