/**
 * Asks users who signed in a while ago to confirm their identity: with a second factor if they have one, otherwise with
 * their password, a passkey or a code. All other ways are on the page to which the dialog links.
 */
import { Button } from '@mantine/core';
import { IconMail, IconMessage } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type RefObject, useEffect, useId, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import type { SessionState } from '../../lib/session/index.ts';
import { PasswordField } from '../../ui/password-field.tsx';
import { type Address, type Made, postGuarded, sendCode, verifyCode } from '../account-api.ts';
import { WithAddresses } from '../addresses.tsx';
import { backHere } from '../flow.ts';
import { digitsOf } from '../form/fields.ts';
import { useSubmit } from '../form/use-submit.ts';
import { FactorForm, factorText, type Go, introOf, usable } from '../methods/factor-forms.tsx';
import { supportsKeys } from '../methods/key-support.ts';
import { mark } from '../methods/mark.tsx';
import { PasskeyButton } from '../methods/passkey-button.tsx';
import { usePageConfig } from '../page-config.ts';
import partClasses from '../parts.module.css';
import { CodeField, Divider, Form, Stack, Submit, SubtleButton, TextButton } from '../parts.tsx';
import { callAuth, type Factor, nameOf, sessionClient, type User, verifiedFactors } from '../session.ts';
import { t } from '../text.ts';
import classes from './identity-dialog.module.css';

const passwordId = 'identity-password';
const codeId = 'identity-code';
/** The length of a code that is sent by text message. */
const phoneCodeLength = 6;

type Close = (isConfirmed: boolean) => void;

export function IdentityDialog({ user, onClose }: { user: User; onClose: Close }) {
  const dialog = useRef<HTMLDivElement>(null);
  const titleId = useId();
  const release = useModal(dialog);
  /** Releases the page first, so that the control that opened the dialog has the focus when the change continues. */
  const close: Close = (isConfirmed) => {
    release();
    onClose(isConfirmed);
  };
  const go: Go = async (work) => {
    const state = await work();
    if (state.status === 'failed') throw state.error;
    // A passkey can belong to another account. The page then shows that account, and the change isn't made.
    close(state.status === 'signed-in' && state.session.user.id === user.id);
    return undefined;
  };
  const factors = verifiedFactors(user);
  const page = factors.length > 0 ? 'mfa' : 'sign-in';
  return createPortal(
    <div className={classes.backdrop}>
      <div
        ref={dialog}
        className={classes.dialog}
        role="dialog"
        aria-modal="true"
        aria-labelledby={titleId}
        aria-describedby={`${titleId}-intro`}
        onKeyDown={(event) => {
          if (event.key === 'Escape') close(false);
        }}
      >
        <h2 id={titleId}>{t('page.mfa')}</h2>
        <p id={`${titleId}-intro`} className={classes.intro}>
          {t('reconfirm.intro')}
        </p>
        {factors.length > 0 ? (
          <FactorChoice factors={usable(factors)} account={nameOf(user)} go={go} />
        ) : (
          <MethodChoice user={user} go={go} />
        )}
        <Stack>
          <a className={partClasses.link} href={`/account/${page}${backHere()}&again=1`}>
            {t('reconfirm.other')}
          </a>
          <Button variant="default" onClick={() => close(false)}>
            {t('security.cancel')}
          </Button>
        </Stack>
      </div>
    </div>,
    document.body,
  );
}

/**
 * Disables the page behind the dialog and moves the focus into the dialog. Returns a function that enables the page and
 * returns the focus. Without `<dialog>`, because its modal mode would also disable the challenge of a captcha.
 */
function useModal(dialog: RefObject<HTMLElement | null>): () => void {
  const release = useRef(() => {});
  useEffect(() => {
    const page = document.getElementById('root');
    const opener = document.activeElement;
    page?.setAttribute('inert', '');
    dialog.current?.querySelector<HTMLElement>('[data-first], form button')?.focus();
    release.current = () => {
      page?.removeAttribute('inert');
      if (opener instanceof HTMLElement) opener.focus();
    };
    return () => page?.removeAttribute('inert');
  }, [dialog]);
  return () => release.current();
}

function FactorChoice(props: { factors: readonly Factor[]; account: string; go: Go }) {
  const { factors, account, go } = props;
  const page = usePageConfig();
  const [chosen, setChosen] = useState(factors[0]?.id);
  const [challengeId, setChallengeId] = useState<string>();
  const factor = factors.find(({ id }) => id === chosen);
  if (factor === undefined) return <p role="status">{t('mfa.unusable')}</p>;
  return (
    <>
      <p role="status">
        <WithAddresses text={introOf(factor, page, challengeId !== undefined, account)} />
      </p>
      <FactorForm factor={factor} go={go} challengeId={challengeId} onSent={setChallengeId} />
      {factors
        .filter(({ id }) => id !== chosen)
        .map((other) => (
          <TextButton
            key={other.id}
            onClick={() => {
              setChosen(other.id);
              setChallengeId(undefined);
            }}
          >
            {factorText(other)}
          </TextButton>
        ))}
    </>
  );
}

/** Offers the user's own ways to sign in, the most likely one first. */
function MethodChoice({ user, go }: { user: User; go: Go }) {
  const { offers, passkeys: offersPasskeys } = usePageConfig();
  const [sentTo, setSentTo] = useState<Address>();
  const takesKeys = offersPasskeys && supportsKeys();
  const passkeys = useQuery({
    queryKey: ['passkeys', user.id],
    queryFn: () => callAuth<{ id: string }[]>('/passkeys'),
    enabled: takesKeys,
  });
  const addresses = [
    ...(offers.password && user.email !== '' ? [{ email: user.email }] : []),
    ...(offers.phone && user.phone ? [{ phone: user.phone }] : []),
  ];
  const send = useSubmit(async () => undefined);
  const sendTo = (to: Address) =>
    send.run(undefined, async () => {
      await sendCode(to, 'sign-in');
      setSentTo(to);
      return undefined;
    });
  const passkey = useSubmit(async () => undefined);
  if (sentTo !== undefined) return <CodeForm to={sentTo} go={go} />;
  const hasPassword = user.has_password !== false && user.email !== '' && offers.password;
  const hasKeys = takesKeys && (passkeys.data ?? []).length > 0;
  return (
    <>
      {hasPassword ? <PasswordForm email={user.email} go={go} onNewDevice={setSentTo} /> : null}
      {hasPassword && (hasKeys || addresses.length > 0) ? <Divider>{t('sign-in.or')}</Divider> : null}
      <Form onSubmit={send.onSubmit} problems={[...send.problems, ...passkey.problems]} label={t('page.mfa')}>
        {hasKeys ? (
          <PasskeyButton
            busy={passkey.busy || send.busy}
            onSignIn={(work) => void passkey.run(undefined, () => go(work))}
          />
        ) : null}
        {addresses.map((to) => (
          <SubtleButton
            key={Object.keys(to)[0]}
            leftSection={'email' in to ? <IconMail {...mark} /> : <IconMessage {...mark} />}
            disabled={send.busy || passkey.busy}
            onClick={() => void sendTo(to)}
          >
            {'email' in to ? t('reconfirm.email-code') : t('reconfirm.phone-code')}
          </SubtleButton>
        ))}
      </Form>
    </>
  );
}

function PasswordForm(props: { email: string; go: Go; onNewDevice: (to: Address) => void }) {
  const { email, go, onNewDevice } = props;
  const submit = useSubmit(
    async (field) => {
      const password = field('password');
      if (password === '') return [{ text: t('field.password-missing'), fieldId: passwordId }];
      const { session } = await postGuarded<Made>('sign-in', { email, password });
      // The project requires a code on a new device, and the code was sent.
      if (session === null) onNewDevice({ email });
      else await go(() => sessionClient().changed('SIGNED_IN'));
      return undefined;
    },
    { invalid_credentials: passwordId },
  );
  return (
    <Form onSubmit={submit.onSubmit} problems={submit.problems}>
      {/* Password managers use this field to find the account's password. */}
      <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
      <PasswordField
        id={passwordId}
        name="password"
        size="md"
        label={t('field.password')}
        autoComplete="current-password"
        required
        withAsterisk={false}
        error={submit.errorAt(passwordId)}
        data-first
      />
      <Submit busy={submit.busy}>{t('mfa.submit')}</Submit>
    </Form>
  );
}

function CodeForm({ to, go }: { to: Address; go: Go }) {
  const { codeLength } = usePageConfig();
  const length = 'phone' in to ? phoneCodeLength : codeLength;
  const submit = useSubmit(
    async (field) => {
      const code = digitsOf(field('code'), length);
      if (code.length !== length) return [{ text: t('field.code-missing', { length }), fieldId: codeId }];
      return go(async (): Promise<SessionState<User>> => (await verifyCode(to, code, 'sign-in')).state);
    },
    { otp_expired: codeId },
  );
  const text =
    'phone' in to
      ? t('code.sent-phone', { phone: `+${to.phone}`, length })
      : t('reconfirm.email-sent', { email: to.email, length });
  useEffect(() => document.getElementById(codeId)?.focus(), []);
  return (
    <>
      <p role="status">
        <WithAddresses text={text} />
      </p>
      <Form onSubmit={submit.onSubmit} problems={submit.problems}>
        <CodeField
          id={codeId}
          length={length}
          error={submit.errorAt(codeId)}
          onComplete={(form) => submit.run(form)}
        />
        <Submit busy={submit.busy}>{t('mfa.submit')}</Submit>
      </Form>
    </>
  );
}
