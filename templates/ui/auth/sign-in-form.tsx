'use client';

import type { Provider, SupabaseClient } from '@supabase/supabase-js';
import { type FormEvent, useEffect, useId, useRef, useState, useSyncExternalStore } from 'react';
import { fill, texts } from './core/messages';
import { createSignIn, hasPasskeys } from './core/sign-in';

export interface SignInFormProps {
  readonly supabase: SupabaseClient;
  /** Providers with a button, such as `['github', 'google']`. */
  readonly providers?: readonly Provider[];
  readonly allowGuests?: boolean;
  readonly allowPasskeys?: boolean;
  /** The page to which emails and providers return the user. Defaults to the current page. */
  readonly redirectTo?: string;
  readonly onSignedIn?: () => void;
}

/** Sign-in and sign-up with a password, a code by email, providers, a passkey or as a guest, and the second factor. */
export function SignInForm(props: SignInFormProps) {
  const { supabase, providers = [], allowGuests, allowPasskeys, redirectTo, onSignedIn } = props;
  const [signIn] = useState(() => createSignIn(supabase, { redirectTo }));
  const state = useSyncExternalStore(signIn.subscribe, signIn.getState, signIn.getState);
  const [isNew, setIsNew] = useState(false);
  const [isByCode, setIsByCode] = useState(false);
  useEffect(() => void signIn.resume(), [signIn]);
  const done = useRef(onSignedIn);
  done.current = onSignedIn;
  useEffect(() => {
    if (state.step === 'signed-in') done.current?.();
  }, [state.step]);
  const codeInput = useRef<HTMLInputElement>(null);
  const needsCode = state.step === 'code' || state.step === 'second-factor';
  useEffect(() => {
    if (needsCode) codeInput.current?.focus();
  }, [needsCode]);
  const id = useId();

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? '');
    if (needsCode) void signIn.verify(text('code'));
    else if (isByCode) void signIn.sendCode(text('email'));
    else if (isNew) void signIn.signUp(text('email'), text('password'));
    else void signIn.withPassword(text('email'), text('password'));
  }

  const status = (
    <>
      <p className="auth-error" role="alert" id={`${id}-error`}>
        {state.error}
      </p>
      <p className="auth-notice" role="status">
        {state.notice}
      </p>
    </>
  );
  if (state.step === 'signed-in') return null;
  if (state.step === 'confirm-email') {
    return (
      <div className="auth-form">
        {status}
        <button type="button" className="auth-link" onClick={() => signIn.restart()}>
          {texts.back}
        </button>
      </div>
    );
  }
  if (needsCode) {
    return (
      <form className="auth-form" onSubmit={submit} aria-busy={state.isBusy} key={state.step}>
        {status}
        <label>
          {state.step === 'code' ? texts.code : texts.factorCode}
          <input
            name="code"
            ref={codeInput}
            inputMode="numeric"
            autoComplete="one-time-code"
            aria-describedby={`${id}-error`}
            required
          />
        </label>
        <button type="submit" className="auth-primary" disabled={state.isBusy}>
          {texts.continue}
        </button>
        <button type="button" className="auth-link" disabled={state.isBusy} onClick={() => signIn.restart()}>
          {texts.back}
        </button>
      </form>
    );
  }
  return (
    <form className="auth-form" onSubmit={submit} aria-busy={state.isBusy}>
      {status}
      <label>
        {texts.email}
        <input
          name="email"
          type="email"
          autoComplete={isNew || isByCode ? 'email' : 'username'}
          defaultValue={state.email}
          aria-describedby={`${id}-error`}
          required
        />
      </label>
      {isByCode ? null : (
        <label>
          {texts.password}
          <input
            name="password"
            type="password"
            autoComplete={isNew ? 'new-password' : 'current-password'}
            aria-describedby={`${id}-error`}
            required
          />
        </label>
      )}
      <button type="submit" className="auth-primary" disabled={state.isBusy}>
        {isByCode ? texts.emailCode : isNew ? texts.signUp : texts.signIn}
      </button>
      <button type="button" className="auth-link" onClick={() => setIsByCode(!isByCode)}>
        {isByCode ? texts.withPassword : texts.emailCode}
      </button>
      {isByCode ? null : (
        <p className="auth-notice">
          {isNew ? texts.hasAccount : texts.noAccount}{' '}
          <button type="button" className="auth-link" onClick={() => setIsNew(!isNew)}>
            {isNew ? texts.signIn : texts.signUp}
          </button>
        </p>
      )}
      {providers.length > 0 || allowGuests || allowPasskeys ? <p className="auth-or">{texts.or}</p> : null}
      {allowPasskeys && hasPasskeys(supabase) ? (
        <button type="button" disabled={state.isBusy} onClick={() => signIn.withPasskey()}>
          {texts.passkey}
        </button>
      ) : null}
      {providers.map((provider) => (
        <button
          type="button"
          key={provider}
          disabled={state.isBusy}
          onClick={() => signIn.withProvider(provider)}
        >
          {fill(texts.provider, { provider: provider.charAt(0).toUpperCase() + provider.slice(1) })}
        </button>
      ))}
      {allowGuests ? (
        <button type="button" disabled={state.isBusy} onClick={() => signIn.asGuest()}>
          {texts.guest}
        </button>
      ) : null}
    </form>
  );
}
