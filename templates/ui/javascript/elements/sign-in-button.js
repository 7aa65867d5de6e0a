import { goToSignIn } from '../core/account';
import { messageOf, texts } from '../core/messages';
import { AuthElement, define, h } from './dom';

class SignInButtonElement extends AuthElement {
  start(supabase) {
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
            error.textContent = messageOf(failure);
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
