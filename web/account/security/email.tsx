import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { ApiError } from '../../lib/api.ts';
import { Notice } from '../../ui/notice.tsx';
import { verifyEmailChange } from '../account-api.ts';
import { digitsOf, looksLikeEmail } from '../fields.ts';
import { FormButton } from '../form.tsx';
import { usePageConfig } from '../page-config.ts';
import { CodeField, EmailField, Form } from '../parts.tsx';
import { callAuth, sessionClient, type User } from '../session.ts';
import { t } from '../text.ts';
import { useSubmit } from '../use-submit.ts';
import { Card } from './card.tsx';
import { useFresh } from './fresh.tsx';
import { PendingChange } from './pending-change.tsx';
import { t as pendingText } from './pending-text.ts';
import classes from './security.module.css';

const emailId = 'new-email';

export function EmailSection({ user }: { user: User }) {
  const [open, setOpen] = useState(false);
  const [done, setDone] = useState<'changed' | 'canceled'>();
  const fresh = useFresh();
  useEffect(() => {
    // Set if the user confirmed the change with the link in an email.
    if (new URLSearchParams(window.location.search).get('changed') === 'email') setDone('changed');
  }, []);
  const { doubleConfirm } = usePageConfig();
  const submit = useSubmit(
    async (field) => {
      const email = field('email').trim();
      if (!looksLikeEmail(email)) {
        return [{ text: email === '' ? t('field.email-missing') : t('field.email-wrong'), fieldId: emailId }];
      }
      await callAuth('/user', { method: 'PUT', body: { email } });
      await sessionClient().changed('USER_UPDATED');
      setDone('changed');
      setOpen(false);
      return undefined;
    },
    { email_exists: emailId, email_address_invalid: emailId },
  );
  const pending = user.new_email !== undefined && user.new_email !== '' ? user.new_email : undefined;
  return (
    <Card
      title={t('security.email')}
      intro={user.email === '' ? t('security.email-none') : <bdi>{user.email}</bdi>}
      action={
        open ? null : (
          <Button variant="default" onClick={() => fresh(() => setOpen(true))}>
            {user.email === '' ? t('security.email-add') : t('security.email-change')}
          </Button>
        )
      }
    >
      {pending === undefined ? null : (
        <PendingChange
          kind="email"
          to={pending}
          text={
            doubleConfirm && user.email !== ''
              ? t('security.email-pending-both', { email: pending, old: user.email })
              : t('security.email-pending', { email: pending })
          }
          onCanceled={() => setDone('canceled')}
        >
          <EmailCodes
            key={pending}
            addresses={doubleConfirm && user.email !== '' ? [pending, user.email] : [pending]}
            onConfirmed={() => setDone('changed')}
          />
        </PendingChange>
      )}
      <div role="status">
        {done !== undefined && pending === undefined ? (
          <Notice tone="success">
            {done === 'changed'
              ? t('security.email-changed', { email: user.email })
              : pendingText('pending.canceled')}
          </Notice>
        ) : null}
      </div>
      {open ? (
        <Form onSubmit={submit.onSubmit} problems={submit.problems} label={t('security.email')}>
          <EmailField id={emailId} label={t('security.email-new')} error={submit.errorAt(emailId)} />
          <div className={classes.actions}>
            <FormButton loading={submit.busy}>{t('security.email-save')}</FormButton>
            <Button variant="default" onClick={() => setOpen(false)}>
              {t('security.cancel')}
            </Button>
          </div>
        </Form>
      ) : null}
    </Card>
  );
}

/** Asks for the codes that were sent to the addresses. Each code can also be confirmed with the link in its email. */
function EmailCodes({ addresses, onConfirmed }: { addresses: readonly string[]; onConfirmed: () => void }) {
  const { codeLength } = usePageConfig();
  const [confirmed, setConfirmed] = useState<readonly string[]>([]);
  useEffect(() => {
    // The link may have been used in another window.
    const look = () => void sessionClient().load();
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  }, []);
  const open = addresses.filter((address) => !confirmed.includes(address));
  const fieldOf = (address: string) => `email-code-${addresses.indexOf(address)}`;
  const submit = useSubmit(async (field) => {
    const typed = open.map((address) => ({ address, code: digitsOf(field(fieldOf(address)), codeLength) }));
    const complete = typed.filter(({ code }) => code.length === codeLength);
    const first = open[0];
    // After the first of two codes, an empty field isn't an error.
    if (confirmed.length > 0 && typed.every(({ code }) => code === '')) return undefined;
    if (complete.length === 0 && first !== undefined) {
      return [{ text: t('field.code-missing', { length: codeLength }), fieldId: fieldOf(first) }];
    }
    for (const { address, code } of complete) {
      try {
        if (await verifyEmailChange(address, code)) {
          onConfirmed();
          return undefined;
        }
        setConfirmed((known) => [...known, address]);
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'otp_expired') throw error;
        return [{ text: t('error.otp_expired'), fieldId: fieldOf(address) }];
      }
    }
    return undefined;
  });
  return (
    <Form onSubmit={submit.onSubmit} problems={submit.problems} label={pendingText('pending.codes')}>
      {confirmed.map((address) => (
        <p key={address}>{pendingText('pending.code-accepted', { email: address })}</p>
      ))}
      {open.map((address) => (
        <CodeField
          key={address}
          id={fieldOf(address)}
          name={fieldOf(address)}
          length={codeLength}
          label={pendingText('pending.code', { email: address })}
          error={submit.errorAt(fieldOf(address))}
          onComplete={(form) => submit.run(form)}
        />
      ))}
      <div className={classes.actions}>
        <FormButton variant="default" size="xs" loading={submit.busy}>
          {pendingText('pending.confirm')}
        </FormButton>
      </div>
    </Form>
  );
}
