import { fill, messageOf, texts } from './messages';

const first = {
  step: 'credentials',
  email: '',
  isBusy: false,
  error: undefined,
  notice: undefined,
};
/** Whether the version of the client supports passkeys. */
export const hasPasskeys = (supabase) => 'signInWithPasskey' in supabase.auth;
export function createSignIn(supabase, options = {}) {
  const { auth } = supabase;
  const listeners = new Set();
  let state = first;
  let factorId = '';
  function set(change) {
    state = { ...state, ...change };
    for (const listener of listeners) listener();
  }
  /** Runs one request at a time, and shows its error. */
  async function run(work) {
    if (state.isBusy) return;
    set({ isBusy: true, error: undefined, notice: undefined });
    try {
      set({ ...(await work()), isBusy: false });
    } catch (error) {
      set({ isBusy: false, error: messageOf(error) });
    }
  }
  /** Returns the step after a sign-in: the second factor, if the user has one that wasn’t used yet. */
  async function next() {
    const level = await auth.mfa.getAuthenticatorAssuranceLevel();
    if (level.error) throw level.error;
    if (level.data.nextLevel !== 'aal2' || level.data.currentLevel === 'aal2') return { step: 'signed-in' };
    const factors = await auth.mfa.listFactors();
    if (factors.error) throw factors.error;
    const [factor] = factors.data.totp;
    // Other factors are used on the Account pages.
    if (factor === undefined) return { step: 'signed-in' };
    factorId = factor.id;
    return { step: 'second-factor' };
  }
  const redirectTo = () => options.redirectTo ?? window.location.href.split('#')[0] ?? '';
  return {
    getState: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    resume: () =>
      run(async () => {
        const { data, error } = await auth.getSession();
        if (error) throw error;
        return data.session === null ? {} : next();
      }),
    withPassword: (email, password) =>
      run(async () => {
        set({ email });
        const { error } = await auth.signInWithPassword({ email, password });
        if (error) throw error;
        return next();
      }),
    signUp: (email, password) =>
      run(async () => {
        set({ email });
        const { data, error } = await auth.signUp({
          email,
          password,
          options: { emailRedirectTo: redirectTo() },
        });
        if (error) throw error;
        if (data.session !== null) return { step: 'signed-in' };
        return { step: 'confirm-email', notice: fill(texts.confirmEmail, { email }) };
      }),
    sendCode: (email) =>
      run(async () => {
        set({ email });
        const { error } = await auth.signInWithOtp({ email, options: { emailRedirectTo: redirectTo() } });
        if (error) throw error;
        return { step: 'code', notice: fill(texts.codeSent, { email }) };
      }),
    verify: (code) =>
      run(async () => {
        const token = code.replace(/\s/g, '');
        if (state.step === 'second-factor') {
          const { error } = await auth.mfa.challengeAndVerify({ factorId, code: token });
          if (error) throw error;
          return { step: 'signed-in' };
        }
        const { error } = await auth.verifyOtp({ email: state.email, token, type: 'email' });
        if (error) throw error;
        return next();
      }),
    withProvider: (provider) =>
      run(async () => {
        const { error } = await auth.signInWithOAuth({ provider, options: { redirectTo: redirectTo() } });
        if (error) throw error;
        return {};
      }),
    withPasskey: () =>
      run(async () => {
        const { error } = await auth.signInWithPasskey();
        if (error) throw error;
        return next();
      }),
    asGuest: () =>
      run(async () => {
        const { error } = await auth.signInAnonymously();
        if (error) throw error;
        return { step: 'signed-in' };
      }),
    restart: () =>
      run(async () => {
        // The session of a sign-in without its second factor isn’t kept.
        if (state.step === 'second-factor') await auth.signOut({ scope: 'local' });
        return { ...first, email: state.email };
      }),
  };
}
