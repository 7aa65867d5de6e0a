'use client';
import { useState } from 'react';
import { goToSignIn } from './core/account';
import { messageOf, texts } from './core/messages';
/** Goes to the Account pages and comes back with a session. Needs a client with `flowType: 'pkce'`. */
export function SignInButton({ supabase, redirectTo, children = texts.signIn }) {
  const [error, setError] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  async function open() {
    setIsBusy(true);
    setError('');
    try {
      await goToSignIn(supabase, redirectTo);
    } catch (failure) {
      setIsBusy(false);
      setError(messageOf(failure));
    }
  }
  return (
    <span className="auth-inline">
      <button type="button" className="auth-primary" disabled={isBusy} onClick={open}>
        {children}
      </button>
      <span className="auth-error" role="alert">
        {error}
      </span>
    </span>
  );
}
