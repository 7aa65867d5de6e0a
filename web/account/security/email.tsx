import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Notice } from '../../ui/notice.tsx';
import { verifyEmailChange } from '../account-api.ts';
import { WithAddresses } from '../addresses.tsx';
import { looksLikeEmail } from '../form/fields.ts';
import { FormButton } from '../form/form.tsx';
import { useSubmit } from '../form/use-submit.ts';
import { usePageConfig } from '../page-config.ts';
import { EmailField, Form } from '../parts.tsx';
import { callAuth, sessionClient, type User } from '../session.ts';
import { t } from '../text.ts';
import { Card } from './card.tsx';
import { useFresh } from './fresh.tsx';
import { PendingChange } from './pending-change.tsx';
import { PendingCodes } from './pending-codes.tsx';
import { t as pendingText } from './pending-text.ts';
import classes from './security.module.css';

const emailId = 'new-email';

export function EmailSection({ user }: { user: User }) {
  const [open, setOpen] = useState(false);
  const [done, setDone] = useState<'changed' | 'canceled'>();
  const fresh = useFresh();
  const [isSent, setSent] = useState(false);
  useEffect(() => {
    // Set if the user confirmed the email change with the link in an email.
    if (new URLSearchParams(window.location.search).get('changed') === 'email') setDone('changed');
  }, []);
  const { doubleConfirm } = usePageConfig();
  const submit = useSubmit(
    async (field) => {
      const email = field('email').trim();
      if (!looksLikeEmail(email)) {
        return [{ text: email === '' ? t('field.email-missing') : t('field.email-wrong'), fieldId: emailId }];
      }
      if (email.toLowerCase() === user.email.toLowerCase()) {
        return [{ text: t('security.email-same'), fieldId: emailId }];
      }
      await callAuth('/user', { method: 'PUT', body: { email } });
      await sessionClient().changed('USER_UPDATED');
      setDone('changed');
      setOpen(false);
      setSent(true);
      return undefined;
    },
    { email_exists: emailId, email_address_invalid: emailId },
  );
  const pending = user.new_email !== undefined && user.new_email !== '' ? user.new_email : undefined;
  useEffect(() => {
    if (pending === undefined) return;
    // The link may already have been used in another window.
    const look = () => void sessionClient().load();
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  }, [pending]);
  return (
    <Card
      title={t('security.email')}
      intro={user.email === '' ? t('security.email-none') : <WithAddresses text={user.email} />}
      action={
        open || pending !== undefined ? null : (
          <Button
            variant="default"
            aria-label={user.email === '' ? undefined : t('security.email-change-what')}
            onClick={() => fresh(() => setOpen(true))}
          >
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
          <PendingCodes
            key={pending}
            kind="email"
            sentTo={doubleConfirm && user.email !== '' ? [pending, user.email] : [pending]}
            verify={verifyEmailChange}
            onConfirmed={() => setDone('changed')}
            hasFocus={isSent}
          />
        </PendingChange>
      )}
      <div role="status">
        {done !== undefined && pending === undefined ? (
          <Notice tone="success">
            {done === 'changed' ? (
              <p>
                <WithAddresses text={t('security.email-changed', { email: user.email })} />
              </p>
            ) : (
              pendingText('pending.canceled')
            )}
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
