import { Button, TextInput } from '@mantine/core';
import { Form, FormButton } from '../form.tsx';
import { submitKeyFactor } from '../methods/api.ts';
import { callAuth, sessionClient } from '../session.ts';
import { t } from '../text.ts';
import { useSubmit } from '../use-submit.ts';
import classes from './security.module.css';

const nameId = 'key-name';

/** Adds a security key as a second factor. The user enters a name for the key and then touches the key. */
export function KeyEnrollment({ onClose }: { onClose: (isReady: boolean) => void }) {
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
