'use client';

import type { SupabaseClient } from '@supabase/supabase-js';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { signInInDialog } from './core/account';
import { messageOf, texts } from './core/messages';

export interface AccountDialogProps {
  readonly supabase: SupabaseClient;
  readonly children?: ReactNode;
  readonly onSignedIn?: () => void;
}

/**
 * A button that opens the Account pages in a separate window, and stays on this page. Needs a client with
 * `flowType: 'pkce'`, and the two files `account-dialog` in the app’s public folder.
 */
export function AccountDialog({ supabase, children = texts.signIn, onSignedIn }: AccountDialogProps) {
  const [error, setError] = useState('');
  const [pending, setPending] = useState<AbortController>();
  const current = useRef<AbortController>(undefined);
  useEffect(() => () => current.current?.abort(), []);

  async function open() {
    const controller = new AbortController();
    current.current = controller;
    setPending(controller);
    setError('');
    try {
      await signInInDialog(supabase, { signal: controller.signal });
      onSignedIn?.();
    } catch (failure) {
      setError(messageOf(failure as Error));
    } finally {
      setPending(undefined);
    }
  }

  return (
    <span className="auth-inline">
      {pending === undefined ? (
        <button type="button" className="auth-primary" onClick={open}>
          {children}
        </button>
      ) : (
        <>
          <span role="status">{texts.waiting}</span>
          <button type="button" className="auth-link" onClick={() => pending.abort()}>
            {texts.cancel}
          </button>
        </>
      )}
      <span className="auth-error" role="alert">
        {error}
      </span>
    </span>
  );
}
