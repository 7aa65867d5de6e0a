import { type FormEvent, useState } from 'react';
import { supabase } from './supabase.ts';

export function SignIn() {
  const [message, setMessage] = useState('');
  const [isBusy, setIsBusy] = useState(false);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const isNew = (event.nativeEvent as SubmitEvent).submitter?.getAttribute('value') === 'sign-up';
    const credentials = { email: String(form.get('email')), password: String(form.get('password')) };
    setIsBusy(true);
    const { data, error } = isNew
      ? await supabase.auth.signUp(credentials)
      : await supabase.auth.signInWithPassword(credentials);
    setIsBusy(false);
    if (error) setMessage(error.message);
    else if (data.session === null) setMessage('Confirm your email address, and then sign in.');
  }

  return (
    <form onSubmit={submit}>
      <label>
        Email
        <input name="email" type="email" autoComplete="email" required />
      </label>
      <label>
        Password
        <input name="password" type="password" autoComplete="current-password" minLength={6} required />
      </label>
      <p role="alert">{message}</p>
      <button type="submit" disabled={isBusy} value="sign-in">
        Sign in
      </button>
      <button type="submit" disabled={isBusy} value="sign-up">
        Create account
      </button>
    </form>
  );
}
