import { Button } from '@mantine/core';
import { useState } from 'react';
import { Notice } from '../../ui/notice.tsx';
import { looksLikeEmail } from '../fields.ts';
import { usePageConfig } from '../page-config.ts';
import { EmailField, Form } from '../parts.tsx';
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
        />
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
            <Button type="submit" loading={submit.busy}>
              {t('security.email-save')}
            </Button>
            <Button variant="default" onClick={() => setOpen(false)}>
              {t('security.cancel')}
            </Button>
          </div>
        </Form>
      ) : null}
    </Card>
  );
}
