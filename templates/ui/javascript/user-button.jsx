'use client';
import { useRef, useState } from 'react';
import { accountPage } from './core/account';
import { fill, messageOf, texts } from './core/messages';
import { initialsOf, nameOf, pictureOf } from './core/user';
import { useSession } from './use-session';
/** The signed-in user’s picture with a menu: account settings, other accounts and signing out. */
export function UserButton({ supabase, accountUrl }) {
  const session = useSession(supabase);
  const [isOpen, setIsOpen] = useState(false);
  /** Whether the menu extends to the right, because the button is in the left half of the window. */
  const [isAtStart, setIsAtStart] = useState(false);
  const [error, setError] = useState('');
  const button = useRef(null);
  if (!session) return null;
  const { user } = session;
  const picture = pictureOf(user);
  function toggle(next) {
    const left = button.current?.getBoundingClientRect().left ?? 0;
    setIsAtStart(left < window.innerWidth / 2);
    setIsOpen(next);
  }
  function onKeyDown(event) {
    if (event.key !== 'Escape' || !isOpen) return;
    setIsOpen(false);
    button.current?.focus();
  }
  function onBlur({ currentTarget, relatedTarget }) {
    if (relatedTarget !== null && !currentTarget.contains(relatedTarget)) setIsOpen(false);
  }
  async function signOut() {
    const result = await supabase.auth.signOut({ scope: 'local' });
    if (result.error) setError(messageOf(result.error));
    else setIsOpen(false);
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: closes the menu of the button inside it
    <div className="auth-user" onKeyDown={onKeyDown} onBlur={onBlur}>
      <button
        type="button"
        className="auth-avatar"
        ref={button}
        aria-expanded={isOpen}
        onClick={() => toggle(!isOpen)}
      >
        {picture === undefined ? (
          <span aria-hidden="true">{initialsOf(user)}</span>
        ) : (
          <img src={picture} alt="" referrerPolicy="no-referrer" />
        )}
        <span className="auth-hidden">{fill(texts.menu, { name: nameOf(user) })}</span>
      </button>
      {isOpen ? (
        <div className={isAtStart ? 'auth-menu auth-menu-right' : 'auth-menu'}>
          <p className="auth-name">{nameOf(user)}</p>
          {accountUrl === undefined ? null : (
            <>
              <a href={accountPage(accountUrl, 'security')}>{texts.account}</a>
              <a href={accountPage(accountUrl, 'accounts')}>{texts.accounts}</a>
            </>
          )}
          <button type="button" onClick={signOut}>
            {texts.signOut}
          </button>
          <p className="auth-error" role="alert">
            {error}
          </p>
        </div>
      ) : null}
    </div>
  );
}
