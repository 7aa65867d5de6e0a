import { Button } from '@mantine/core';
import { useState } from 'react';
import { Notice } from '../../ui/notice.tsx';
import { verifyPhoneChange } from '../account-api.ts';
import { phoneOf } from '../form/fields.ts';
import { FormButton } from '../form/form.tsx';
import { useSubmit } from '../form/use-submit.ts';
import { usePageConfig } from '../page-config.ts';
import { Form, PhoneField } from '../parts.tsx';
import { callAuth, sessionClient, type User } from '../session.ts';
import { t as account } from '../text.ts';
import { Card } from './card.tsx';
import { useFresh } from './fresh.tsx';
import { PendingChange } from './pending-change.tsx';
import { PendingCodes } from './pending-codes.tsx';
import { t } from './pending-text.ts';
import classes from './security.module.css';

const phoneId = 'new-phone';

/**
 * Shows the phone number, a form to change it, and a change that isn't confirmed yet. Hidden if the project doesn't
 * offer phone sign-in and the user has no phone number.
 */
export function PhoneSection({ user }: { user: User }) {
  const { offers } = usePageConfig();
  const [open, setOpen] = useState(false);
  const [done, setDone] = useState<'changed' | 'canceled'>();
  const fresh = useFresh();
  const [isSent, setSent] = useState(false);
  const { phone = '', new_phone: pending = '' } = user;
  if (!offers.phone && phone === '' && pending === '' && done === undefined) return null;
  const isSettled = pending === '';
  return (
    <Card
      title={t('phone.title')}
      intro={phone === '' ? t('phone.none') : <bdi>{`+${phone}`}</bdi>}
      action={
        open || !isSettled || !offers.phone ? null : (
          <Button
            variant="default"
            {...(phone === '' ? {} : { 'aria-label': t('phone.change-what') })}
            onClick={() => fresh(() => setOpen(true))}
          >
            {phone === '' ? t('phone.add') : t('phone.change')}
          </Button>
        )
      }
    >
      {isSettled ? null : (
        <PendingChange
          kind="phone"
          to={pending}
          text={t('phone.pending', { phone: `+${pending}` })}
          onCanceled={() => setDone('canceled')}
        >
          <PendingCodes
            key={pending}
            kind="phone"
            sentTo={[`+${pending}`]}
            verify={async (_to, code) => {
              await verifyPhoneChange(pending, code);
              return true;
            }}
            onConfirmed={() => setDone('changed')}
            hasFocus={isSent}
          />
        </PendingChange>
      )}
      <div role="status">
        {done !== undefined && isSettled ? (
          <Notice tone="success">
            {done === 'changed' ? t('phone.changed', { phone: `+${phone}` }) : t('pending.canceled')}
          </Notice>
        ) : null}
      </div>
      {open ? (
        <Change
          user={user}
          onClose={(isSent) => {
            setOpen(false);
            setSent(isSent);
            setDone(isSent ? 'changed' : undefined);
          }}
        />
      ) : null}
    </Card>
  );
}

function Change({ user, onClose }: { user: User; onClose: (isSent: boolean) => void }) {
  const submit = useSubmit(
    async (field) => {
      const phone = phoneOf(field('phone'));
      if (phone === undefined) return [{ text: account('field.phone-wrong'), fieldId: phoneId }];
      if (phone === user.phone) return [{ text: t('phone.same'), fieldId: phoneId }];
      await callAuth('/user', { method: 'PUT', body: { phone: `+${phone}` } });
      onClose(true);
      await sessionClient().changed('USER_UPDATED');
      return undefined;
    },
    { phone_exists: phoneId, sms_send_failed: phoneId, validation_failed: phoneId },
  );
  return (
    <Form onSubmit={submit.onSubmit} problems={submit.problems} label={t('phone.new')}>
      <PhoneField id={phoneId} label={t('phone.new')} error={submit.errorAt(phoneId)} />
      <div className={classes.actions}>
        <FormButton loading={submit.busy}>{account('mfa.phone-send')}</FormButton>
        <Button variant="default" onClick={() => onClose(false)}>
          {account('security.cancel')}
        </Button>
      </div>
    </Form>
  );
}
