import { Button } from '@mantine/core';
import { useState } from 'react';
import { Notice } from '../../ui/notice.tsx';
import { verifyPhoneChange } from '../account-api.ts';
import { digitsOf, phoneOf } from '../fields.ts';
import { FormButton } from '../form.tsx';
import { usePageConfig } from '../page-config.ts';
import { CodeField, Form, PhoneField } from '../parts.tsx';
import { callAuth, sessionClient, type User } from '../session.ts';
import { t as account } from '../text.ts';
import { useSubmit } from '../use-submit.ts';
import { Card } from './card.tsx';
import { useFresh } from './fresh.tsx';
import { PendingChange } from './pending-change.tsx';
import { t } from './pending-text.ts';
import classes from './security.module.css';

const phoneId = 'new-phone';
const codeId = 'phone-code';

/**
 * Shows the phone number, a form to change it, and a change that isn't confirmed yet. Hidden if the project doesn't
 * offer phone sign-in and the user has no phone number.
 */
export function PhoneSection({ user }: { user: User }) {
  const { offers } = usePageConfig();
  const [open, setOpen] = useState(false);
  const [done, setDone] = useState<'changed' | 'canceled'>();
  const fresh = useFresh();
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
        <>
          <PendingChange
            kind="phone"
            to={pending}
            text={t('phone.pending', { phone: `+${pending}` })}
            onCanceled={() => setDone('canceled')}
          />
          <Confirm phone={pending} onDone={() => setDone('changed')} />
        </>
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
          onClose={(isSent) => {
            setOpen(false);
            setDone(isSent ? 'changed' : undefined);
          }}
        />
      ) : null}
    </Card>
  );
}

function Change({ onClose }: { onClose: (isSent: boolean) => void }) {
  const submit = useSubmit(
    async (field) => {
      const phone = phoneOf(field('phone'));
      if (phone === undefined) return [{ text: account('field.phone-wrong'), fieldId: phoneId }];
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

function Confirm({ phone, onDone }: { phone: string; onDone: () => void }) {
  const { codeLength } = usePageConfig();
  const submit = useSubmit(
    async (field) => {
      const code = digitsOf(field('code'), codeLength);
      if (code.length !== codeLength) {
        return [{ text: account('field.code-missing', { length: codeLength }), fieldId: codeId }];
      }
      await verifyPhoneChange(phone, code);
      onDone();
      return undefined;
    },
    { otp_expired: codeId },
  );
  return (
    <Form onSubmit={submit.onSubmit} problems={submit.problems} label={t('phone.title')}>
      <CodeField
        id={codeId}
        length={codeLength}
        error={submit.errorAt(codeId)}
        onComplete={(form) => submit.run(form)}
      />
      <div className={classes.actions}>
        <FormButton loading={submit.busy}>{t('phone.confirm')}</FormButton>
      </div>
    </Form>
  );
}
