import { Button } from '@mantine/core';
import { useState } from 'react';
import { digitsOf, phoneOf } from '../form/fields.ts';
import { FormButton } from '../form/form.tsx';
import { useSubmit } from '../form/use-submit.ts';
import { challengeFactor, submitFactor } from '../methods/api.ts';
import { proving } from '../methods/proving.ts';
import { usePageConfig } from '../page-config.ts';
import { CodeField, Form, PhoneField } from '../parts.tsx';
import { callAuth, sessionClient } from '../session.ts';
import { t } from '../text.ts';
import classes from './security.module.css';

const phoneId = 'factor-phone';
const codeId = 'factor-code';

interface Sent {
  readonly factorId: string;
  readonly challengeId: string;
  readonly phone: string;
}

/** Adds a phone as a second factor. The user enters the phone number and then the code that was sent to this number. */
export function PhoneEnrollment({ onClose }: { onClose: (isReady: boolean) => void }) {
  const { phoneFactorLength: length } = usePageConfig();
  const [sent, setSent] = useState<Sent>();
  const ask = useSubmit(
    async (field) => {
      const phone = phoneOf(field('phone'));
      if (phone === undefined) return [{ text: t('field.phone-wrong'), fieldId: phoneId }];
      const body = { factor_type: 'phone', phone: `+${phone}`, friendly_name: `+${phone}` };
      const { id } = await callAuth<{ id: string }>('/factors', { method: 'POST', body });
      setSent({ factorId: id, challengeId: (await challengeFactor(id)).id, phone: `+${phone}` });
      return undefined;
    },
    { mfa_factor_name_conflict: phoneId, mfa_verified_factor_exists: phoneId, validation_failed: phoneId },
  );
  const prove = useSubmit(
    async (field) => {
      const code = digitsOf(field('code'), length);
      if (code.length !== length || sent === undefined) {
        return [{ text: t('field.code-missing', { length }), fieldId: codeId }];
      }
      const response = async () => {
        await submitFactor(sent.factorId, sent.challengeId, { code });
        await sessionClient().changed('USER_UPDATED');
        onClose(true);
        return undefined;
      };
      return proving(response, t('mfa.phone-wrong'), codeId);
    },
    { otp_expired: codeId },
  );
  const cancel = useSubmit(async () => {
    if (sent !== undefined) await callAuth(`/factors/${sent.factorId}`, { method: 'DELETE' });
    onClose(false);
    return undefined;
  });
  const [form, problems] = sent === undefined ? [ask, ask.problems] : [prove, prove.problems];
  return (
    <Form
      key={sent === undefined ? 'ask' : 'prove'}
      onSubmit={form.onSubmit}
      problems={[...problems, ...cancel.problems]}
      label={t('factor.add-phone')}
    >
      {sent === undefined ? (
        <PhoneField id={phoneId} error={ask.errorAt(phoneId)} />
      ) : (
        <>
          <p role="status">{t('mfa.phone-sent', { name: sent.phone, length })}</p>
          <CodeField
            id={codeId}
            length={length}
            error={prove.errorAt(codeId)}
            onComplete={(element) => prove.run(element)}
          />
        </>
      )}
      <div className={classes.actions}>
        <FormButton loading={form.busy}>
          {sent === undefined ? t('mfa.phone-send') : t('security.enroll-confirm')}
        </FormButton>
        <Button variant="default" loading={cancel.busy} onClick={() => cancel.run(undefined)}>
          {t('security.cancel')}
        </Button>
      </div>
    </Form>
  );
}
