/** The second factors that users can add, and the form that sets up each of them. */
import { Button, TextInput } from '@mantine/core';
import type { ComponentType } from 'react';
import { FormButton } from '../form/form.tsx';
import { useSubmit } from '../form/use-submit.ts';
import { submitKeyFactor } from '../methods/api.ts';
import { supportsKeys } from '../methods/key-support.ts';
import type { PageConfig } from '../page-config.ts';
import { Form } from '../parts.tsx';
import { callAuth, sessionClient } from '../session.ts';
import { t } from '../text.ts';
import { Enrollment } from './enrollment.tsx';
import { PhoneEnrollment } from './phone-enrollment.tsx';
import classes from './security.module.css';

export type FactorKind = 'totp' | 'webAuthn' | 'phone';

export const enrollments: Readonly<
  Record<FactorKind, ComponentType<{ onClose: (isReady: boolean) => void }>>
> = {
  totp: Enrollment,
  phone: PhoneEnrollment,
  webAuthn: KeyEnrollment,
};

/** Returns the kinds that the project offers and that work in this browser. */
export const offeredKinds = (offered: PageConfig['factors']): readonly FactorKind[] =>
  (['totp', 'webAuthn', 'phone'] as const).filter(
    (kind) => offered[kind] && (kind !== 'webAuthn' || supportsKeys()),
  );

export const addTexts: Readonly<Record<FactorKind, () => string>> = {
  totp: () => t('security.factor-add'),
  phone: () => t('factor.add-phone'),
  webAuthn: () => t('factor.add-key'),
};

const nameId = 'key-name';

/** Adds a security key as a second factor. The user enters a name for the key and then touches the key. */
function KeyEnrollment({ onClose }: { onClose: (isReady: boolean) => void }) {
  const submit = useSubmit(
    async (field) => {
      const body = { factor_type: 'webauthn', friendly_name: field('name').trim() || t('factor.webauthn') };
      const { id } = await callAuth<{ id: string }>('/factors', { method: 'POST', body });
      try {
        await submitKeyFactor(id);
      } catch (error) {
        await callAuth(`/factors/${id}`, { method: 'DELETE' });
        throw error;
      }
      await sessionClient().changed('USER_UPDATED');
      onClose(true);
      return undefined;
    },
    { mfa_factor_name_conflict: nameId },
  );
  return (
    <Form onSubmit={submit.onSubmit} problems={submit.problems} label={t('factor.add-key')}>
      <TextInput
        id={nameId}
        name="name"
        size="md"
        label={t('factor.key-name')}
        description={t('factor.key-hint')}
        autoComplete="off"
        maxLength={100}
        error={submit.errorAt(nameId)}
      />
      <div className={classes.actions}>
        <FormButton loading={submit.busy}>{t('security.enroll-start')}</FormButton>
        <Button variant="default" disabled={submit.busy} onClick={() => onClose(false)}>
          {t('security.cancel')}
        </Button>
      </div>
    </Form>
  );
}
