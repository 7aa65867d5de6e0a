import { Button, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { ApiError } from '../../lib/api.ts';
import { Notice } from '../../ui/notice.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { WithAddresses } from '../addresses.tsx';
import { isGoodPassword } from '../form/fields.ts';
import { Form, FormButton } from '../form/form.tsx';
import { NewPasswordField } from '../form/new-password-field.tsx';
import { useSubmit } from '../form/use-submit.ts';
import { usePageConfig } from '../page-config.ts';
import { callAuth, sessionClient, type User } from '../session.ts';
import { t } from '../text.ts';
import { Card } from './card.tsx';
import { useFresh } from './fresh.tsx';
import classes from './security.module.css';

const currentId = 'current-password';
const passwordId = 'new-password';
const nonceId = 'nonce';

/** The fragment that `/.well-known/change-password` redirects to. */
const anchor = 'password';

export function PasswordSection({ user }: { user: User }) {
  const isNew = user.has_password === false;
  // On these pages, users sign in with a code if they have only a phone number.
  const hasOnlyPhone = user.email === '';
  const [open, setOpen] = useState(false);
  const [saved, setSaved] = useState<'set' | 'changed'>();
  const fresh = useFresh();
  useEffect(() => {
    if (window.location.hash !== `#${anchor}`) return;
    const section = document.getElementById(anchor);
    section?.scrollIntoView();
    section?.focus();
  }, []);
  // A password can't be used without an email address or a phone number.
  if (isNew && hasOnlyPhone && !user.phone) return null;
  return (
    <Card
      anchor={anchor}
      title={t('security.password')}
      intro={
        isNew
          ? t(hasOnlyPhone ? 'security.password-none-phone' : 'security.password-none')
          : t('security.password-intro')
      }
      action={
        open ? null : (
          <Button variant="default" onClick={() => fresh(() => setOpen(true))}>
            {isNew ? t('security.password-set') : t('security.password-change')}
          </Button>
        )
      }
    >
      <div role="status">
        {saved === undefined ? null : (
          <Notice tone="success">
            {saved === 'set' ? (
              hasOnlyPhone ? (
                t('security.password-was-set-phone')
              ) : (
                <WithAddresses text={t('security.password-was-set', { who: user.email })} />
              )
            ) : (
              t('security.password-saved')
            )}
          </Notice>
        )}
      </div>
      {open ? (
        <PasswordForm
          user={user}
          onClose={(isSaved) => {
            setOpen(false);
            setSaved(isSaved ? (isNew ? 'set' : 'changed') : undefined);
          }}
        />
      ) : null}
    </Card>
  );
}

function PasswordForm({ user, onClose }: { user: User; onClose: (isSaved: boolean) => void }) {
  const { password: policy, currentPassword: mustProve } = usePageConfig();
  const currentPassword = mustProve && user.has_password !== false;
  const [needsNonce, setNeedsNonce] = useState(false);
  const submit = useSubmit(
    async (field) => {
      const [current, chosen, nonce] = [field('current'), field('password'), field('nonce').trim()];
      if (currentPassword && current === '') {
        return [{ text: t('field.current-password-missing'), fieldId: currentId }];
      }
      if (!isGoodPassword(chosen, policy)) return [{ text: t('field.password-weak'), fieldId: passwordId }];
      const body = {
        password: chosen,
        ...(currentPassword ? { current_password: current } : {}),
        ...(nonce === '' ? {} : { nonce }),
      };
      try {
        await callAuth('/user', { method: 'PUT', body });
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'reauthentication_needed') throw error;
        // The last sign-in is too old, so the user must also enter a code that is sent by email.
        await callAuth('/reauthenticate');
        setNeedsNonce(true);
        return undefined;
      }
      await sessionClient().changed('USER_UPDATED');
      onClose(true);
      return undefined;
    },
    {
      weak_password: passwordId,
      same_password: passwordId,
      current_password_invalid: currentId,
      reauthentication_not_valid: nonceId,
    },
  );
  return (
    <Form onSubmit={submit.onSubmit} problems={submit.problems} label={t('security.password')}>
      {/* Password managers use this field to find the account for the new password. */}
      <input type="text" name="username" autoComplete="username" defaultValue={user.email} hidden readOnly />
      {currentPassword ? (
        <PasswordField
          id={currentId}
          name="current"
          size="md"
          label={t('field.current-password')}
          autoComplete="current-password"
          error={submit.errorAt(currentId)}
        />
      ) : null}
      <NewPasswordField id={passwordId} label={t('field.new-password')} error={submit.errorAt(passwordId)} />
      <div role="status">
        {needsNonce ? (
          <Notice tone="info">
            {t(user.email === '' ? 'security.password-nonce-phone' : 'security.password-nonce')}
          </Notice>
        ) : null}
      </div>
      {needsNonce ? (
        <TextInput
          id={nonceId}
          name="nonce"
          size="md"
          label={t('field.code')}
          autoComplete="one-time-code"
          inputMode="numeric"
          autoFocus
          error={submit.errorAt(nonceId)}
        />
      ) : null}
      <div className={classes.actions}>
        <FormButton loading={submit.busy}>{t('security.password-save')}</FormButton>
        <Button variant="default" onClick={() => onClose(false)}>
          {t('security.cancel')}
        </Button>
      </div>
    </Form>
  );
}
