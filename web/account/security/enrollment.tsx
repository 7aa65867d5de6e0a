import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { CopyButton } from '../../ui/copy-button.tsx';
import { verifyFactor } from '../account-api.ts';
import { digitsOf } from '../form/fields.ts';
import { FormButton } from '../form/form.tsx';
import { useSubmit } from '../form/use-submit.ts';
import { usePageConfig } from '../page-config.ts';
import partClasses from '../parts.module.css';
import { CodeField, Form } from '../parts.tsx';
import { callAuth, sessionClient } from '../session.ts';
import { t } from '../text.ts';
import classes from './security.module.css';

interface Enrolled {
  readonly id: string;
  readonly totp: { readonly qr_code: string; readonly secret: string; readonly uri: string };
}

const nameId = 'factor-name';
const codeId = 'factor-code';
const codeLength = 6;

/**
 * Sets up an authenticator app. The user chooses a name, scans the QR code and enters the first code that the app
 * shows. If the form is closed before that, the unfinished factor is removed.
 */
export function Enrollment({ onClose }: { onClose: (isReady: boolean) => void }) {
  const { brand } = usePageConfig();
  const [enrolled, setEnrolled] = useState<Enrolled>();
  const name = useSubmit(
    async (field) => {
      const body = {
        factor_type: 'totp',
        friendly_name: field('name').trim() || t('mfa.unnamed'),
        // Authenticator apps show the issuer above the code.
        issuer: brand.name,
      };
      setEnrolled(await callAuth<Enrolled>('/factors', { method: 'POST', body }));
      return undefined;
    },
    { mfa_factor_name_conflict: nameId },
  );
  if (enrolled !== undefined) return <Proof enrolled={enrolled} onClose={onClose} />;
  return (
    <Form onSubmit={name.onSubmit} problems={name.problems} label={t('security.factor-add')}>
      <TextInput
        id={nameId}
        name="name"
        size="md"
        label={t('field.factor-name')}
        description={t('field.factor-name-hint')}
        autoComplete="off"
        maxLength={100}
        error={name.errorAt(nameId)}
      />
      <div className={classes.actions}>
        <FormButton loading={name.busy}>{t('security.enroll-start')}</FormButton>
        <Button variant="default" onClick={() => onClose(false)}>
          {t('security.cancel')}
        </Button>
      </div>
    </Form>
  );
}

function Proof({ enrolled, onClose }: { enrolled: Enrolled; onClose: (isReady: boolean) => void }) {
  const { id, totp } = enrolled;
  const submit = useSubmit(
    async (field) => {
      const code = digitsOf(field('code'), codeLength);
      if (code.length !== codeLength) {
        return [{ text: t('field.code-missing', { length: codeLength }), fieldId: codeId }];
      }
      await verifyFactor(id, code);
      await sessionClient().changed('USER_UPDATED');
      onClose(true);
      return undefined;
    },
    { mfa_verification_failed: codeId },
  );
  const cancel = useSubmit(async () => {
    await callAuth(`/factors/${id}`, { method: 'DELETE' });
    onClose(false);
    return undefined;
  });
  return (
    <div className={classes.enroll}>
      <div>
        {/* The new step is announced, and its instructions precede the code field. */}
        <p tabIndex={-1} data-autofocus>
          {t('security.enroll-scan')}
        </p>
        <img
          className={classes.qr}
          src={`data:image/svg+xml;utf8,${encodeURIComponent(totp.qr_code)}`}
          alt={t('security.enroll-qr')}
        />
        <a className={partClasses.link} href={totp.uri}>
          {t('security.enroll-open')}
        </a>
      </div>
      <div>
        <p>{t('security.enroll-typed')}</p>
        <span className={classes.key}>
          <code>{totp.secret.match(/.{1,4}/g)?.join(' ')}</code>
          <CopyButton value={totp.secret} what={t('security.enroll-key')} />
        </span>
        <Form
          onSubmit={submit.onSubmit}
          problems={[...submit.problems, ...cancel.problems]}
          label={t('security.factor-add')}
        >
          <CodeField
            id={codeId}
            length={codeLength}
            label={t('security.enroll-code')}
            error={submit.errorAt(codeId)}
            onComplete={(form) => submit.run(form)}
          />
          <div className={classes.actions}>
            <FormButton loading={submit.busy}>{t('security.enroll-confirm')}</FormButton>
            <Button variant="default" loading={cancel.busy} onClick={() => cancel.run(undefined)}>
              {t('security.cancel')}
            </Button>
          </div>
        </Form>
      </div>
    </div>
  );
}
