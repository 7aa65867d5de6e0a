import { fill, texts } from '../core/messages';
import { createSignIn, hasPasskeys } from '../core/sign-in';
import { AuthElement, define, h } from './dom';

let count = 0;
class SignInFormElement extends AuthElement {
  start(supabase) {
    const signIn = createSignIn(supabase, { redirectTo: this.getAttribute('redirect-to') ?? undefined });
    const errorId = `auth-error-${++count}`;
    let isNew = false;
    let isByCode = false;
    let shown;
    const button = (text, click, className) => h('button', { type: 'button', class: className, click }, text);
    const codeFields = (label) => [
      h(
        'label',
        {},
        label,
        h('input', {
          name: 'code',
          inputmode: 'numeric',
          autocomplete: 'one-time-code',
          'aria-describedby': errorId,
          required: true,
        }),
      ),
      h('button', { type: 'submit', class: 'auth-primary' }, texts.continue),
      button(texts.back, () => void signIn.restart(), 'auth-link'),
    ];
    const credentialFields = () => [
      h(
        'label',
        {},
        texts.email,
        h('input', {
          name: 'email',
          type: 'email',
          autocomplete: isNew || isByCode ? 'email' : 'username',
          value: signIn.getState().email,
          'aria-describedby': errorId,
          required: true,
        }),
      ),
      isByCode
        ? null
        : h(
            'label',
            {},
            texts.password,
            h('input', {
              name: 'password',
              type: 'password',
              autocomplete: isNew ? 'new-password' : 'current-password',
              'aria-describedby': errorId,
              required: true,
            }),
          ),
      h(
        'button',
        { type: 'submit', class: 'auth-primary' },
        isByCode ? texts.emailCode : isNew ? texts.signUp : texts.signIn,
      ),
      button(
        isByCode ? texts.withPassword : texts.emailCode,
        () => rebuild({ byCode: !isByCode }),
        'auth-link',
      ),
      isByCode
        ? null
        : h(
            'p',
            { class: 'auth-notice' },
            `${isNew ? texts.hasAccount : texts.noAccount} `,
            button(isNew ? texts.signIn : texts.signUp, () => rebuild({ isNew: !isNew }), 'auth-link'),
          ),
      ...others(),
    ];
    const others = () => {
      const buttons = [
        ...(this.hasAttribute('passkeys') && hasPasskeys(supabase)
          ? [button(texts.passkey, () => void signIn.withPasskey())]
          : []),
        ...this.list('providers').map((provider) =>
          button(
            fill(texts.provider, { provider: provider.charAt(0).toUpperCase() + provider.slice(1) }),
            () => void signIn.withProvider(provider),
          ),
        ),
        ...(this.hasAttribute('guests') ? [button(texts.guest, () => void signIn.asGuest())] : []),
      ];
      return buttons.length === 0 ? [] : [h('p', { class: 'auth-or' }, texts.or), ...buttons];
    };
    const submit = (event) => {
      event.preventDefault();
      const form = new FormData(event.currentTarget);
      const text = (name) => String(form.get(name) ?? '');
      const { step } = signIn.getState();
      if (step === 'code' || step === 'second-factor') void signIn.verify(text('code'));
      else if (isByCode) void signIn.sendCode(text('email'));
      else if (isNew) void signIn.signUp(text('email'), text('password'));
      else void signIn.withPassword(text('email'), text('password'));
    };
    const rebuild = (change) => {
      isNew = change.isNew ?? isNew;
      isByCode = change.byCode ?? isByCode;
      shown = undefined;
      render();
    };
    const render = () => {
      const { step, isBusy, error, notice } = signIn.getState();
      if (shown !== step) {
        shown = step;
        const fields =
          step === 'credentials'
            ? credentialFields()
            : step === 'code'
              ? codeFields(texts.code)
              : step === 'second-factor'
                ? codeFields(texts.factorCode)
                : step === 'confirm-email'
                  ? [button(texts.back, () => void signIn.restart(), 'auth-link')]
                  : [];
        const status = [
          h('p', { class: 'auth-error', role: 'alert', id: errorId }),
          h('p', { class: 'auth-notice', role: 'status' }),
        ];
        this.replaceChildren(h('form', { class: 'auth-form', submit }, ...status, ...fields));
        this.querySelector('input[name=code]')?.focus();
      }
      const set = (selector, text = '') => {
        const element = this.querySelector(selector);
        if (element !== null && element.textContent !== text) element.textContent = text;
      };
      set('.auth-error', error);
      set('[role=status]', notice);
      this.querySelector('form')?.setAttribute('aria-busy', String(isBusy));
      for (const each of this.querySelectorAll('button')) each.disabled = isBusy;
      if (step === 'signed-in') {
        this.replaceChildren();
        this.dispatchEvent(new CustomEvent('signed-in', { bubbles: true }));
      }
    };
    render();
    const stop = signIn.subscribe(render);
    void signIn.resume();
    return stop;
  }
}
define('auth-sign-in-form', SignInFormElement);
