import { accountPage } from '../core/account';
import { fill, messageOf, texts } from '../core/messages';
import { initialsOf, nameOf, pictureOf } from '../core/user';
import { AuthElement, define, h } from './dom';

class UserButtonElement extends AuthElement {
  start(supabase) {
    const { data } = supabase.auth.onAuthStateChange((_event, session) => this.#show(supabase, session));
    return () => data.subscription.unsubscribe();
  }
  #show(supabase, session) {
    if (session === null) {
      this.replaceChildren();
      return;
    }
    const { user } = session;
    const url = this.getAttribute('account-url');
    const picture = pictureOf(user);
    const error = h('p', { class: 'auth-error', role: 'alert' });
    const signOut = async () => {
      const result = await supabase.auth.signOut({ scope: 'local' });
      if (result.error) error.textContent = messageOf(result.error);
    };
    const menu = h(
      'div',
      { class: 'auth-menu' },
      h('p', { class: 'auth-name' }, nameOf(user)),
      url === null ? null : h('a', { href: accountPage(url, 'security') }, texts.account),
      url === null ? null : h('a', { href: accountPage(url, 'accounts') }, texts.accounts),
      h('button', { type: 'button', click: signOut }, texts.signOut),
      error,
    );
    const open = (isOpen) => {
      button.setAttribute('aria-expanded', String(isOpen));
      // The menu extends to the side on which there is more room.
      const { left } = button.getBoundingClientRect();
      menu.classList.toggle('auth-menu-right', left < window.innerWidth / 2);
      if (isOpen) box.append(menu);
      else menu.remove();
    };
    const button = h(
      'button',
      {
        type: 'button',
        class: 'auth-avatar',
        'aria-expanded': 'false',
        click: () => open(!menu.isConnected),
      },
      picture === undefined
        ? h('span', { 'aria-hidden': 'true' }, initialsOf(user))
        : h('img', { src: picture, alt: '', referrerpolicy: 'no-referrer' }),
      h('span', { class: 'auth-hidden' }, fill(texts.menu, { name: nameOf(user) })),
    );
    const box = h(
      'div',
      {
        class: 'auth-user',
        keydown: (event) => {
          if (event.key !== 'Escape' || !menu.isConnected) return;
          open(false);
          button.focus();
        },
        focusout: (event) => {
          const next = event.relatedTarget;
          if (next !== null && !box.contains(next)) open(false);
        },
      },
      button,
    );
    this.replaceChildren(box);
  }
}
define('auth-user-button', UserButtonElement);
