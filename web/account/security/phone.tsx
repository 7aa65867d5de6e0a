import { useState } from 'react';
import { Notice } from '../../ui/notice.tsx';
import { verifyPhoneChange } from '../account-api.ts';
import { digitsOf } from '../fields.ts';
import { usePageConfig } from '../page-config.ts';
import { CodeField, Form, Submit } from '../parts.tsx';
import type { User } from '../session.ts';
import { t as account } from '../text.ts';
import { useSubmit } from '../use-submit.ts';
import { Card } from './card.tsx';
import { PendingChange } from './pending-change.tsx';
import { t } from './pending-text.ts';
import classes from './security.module.css';

const codeId = 'phone-code';

/** The number, and a change that waits for its code. Absent without either. */
export function PhoneSection({ user }: { user: User }) {
  const [done, setDone] = useState<'changed' | 'cancelled'>();
  const { phone = '', new_phone: pending = '' } = user;
  if (phone === '' && pending === '' && done === undefined) return null;
  return (
    <Card title={t('phone.title')}>
      <span className={classes.name}>{phone === '' ? t('phone.none') : `+${phone}`}</span>
      {pending === '' ? null : (
        <>
          <PendingChange
            kind="phone"
            to={pending}
            text={t('phone.pending', { phone: `+${pending}` })}
            onCancelled={() => setDone('cancelled')}
          />
          <Confirm phone={pending} onDone={() => setDone('changed')} />
        </>
      )}
      <div role="status">
        {done === undefined || pending !== '' ? null : (
          <Notice tone="success">
            {done === 'changed' ? t('phone.changed', { phone: `+${phone}` }) : t('pending.cancelled')}
          </Notice>
        )}
      </div>
    </Card>
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
      <Submit busy={submit.busy}>{t('phone.confirm')}</Submit>
    </Form>
  );
}
