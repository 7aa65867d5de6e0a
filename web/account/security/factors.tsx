import { Button, TextInput } from '@mantine/core';
import { type ComponentType, useState } from 'react';
import { formatDateTime } from '../../lib/i18n.ts';
import { Notice } from '../../ui/notice.tsx';
import { Form, FormButton } from '../form/form.tsx';
import { useSubmit } from '../form/use-submit.ts';
import { submitKeyFactor } from '../methods/api.ts';
import { supportsKeys } from '../methods/key-support.ts';
import { usePageConfig } from '../page-config.ts';
import { callAuth, type Factor, sessionClient, type User, verifiedFactors } from '../session.ts';
import { t } from '../text.ts';
import { Badge, Card } from './card.tsx';
import { Enrollment } from './enrollment.tsx';
import { Entry, Meta } from './entry.tsx';
import { useFresh } from './fresh.tsx';
import { PhoneEnrollment } from './phone-enrollment.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import classes from './security.module.css';

type Kind = 'totp' | 'phone' | 'webAuthn';

const enrollments: Readonly<Record<Kind, ComponentType<{ onClose: (isReady: boolean) => void }>>> = {
  totp: Enrollment,
  phone: PhoneEnrollment,
  webAuthn: KeyEnrollment,
};

/**
 * Shows second factors and recovery codes. Hidden if the project doesn't offer second factors and the user doesn't have
 * any.
 */
export function FactorsSection({ user }: { user: User }) {
  const { factors: offered, requireMfa } = usePageConfig();
  const [adding, setAdding] = useState<Kind>();
  const [done, setDone] = useState<string>();
  const fresh = useFresh();
  const factors = verifiedFactors(user);
  const kinds = (['totp', 'webAuthn', 'phone'] as const).filter(
    (kind) => offered[kind] && (kind !== 'webAuthn' || supportsKeys()),
  );
  if (kinds.length === 0 && factors.length === 0) return null;
  const isOn = factors.length > 0;
  const Adding = adding === undefined ? undefined : enrollments[adding];
  return (
    <Card
      title={t('security.factors')}
      intro={t('factor.intro')}
      badge={
        <Badge tone={isOn ? 'good' : 'plain'}>
          {isOn ? t('security.factors-on') : t('security.factors-off')}
        </Badge>
      }
    >
      {requireMfa && !isOn ? <Notice tone="warning">{t('factor.required')}</Notice> : null}
      <div role="status">{done === undefined ? null : <Notice tone="success">{done}</Notice>}</div>
      {isOn ? (
        <ul className={classes.list}>
          {factors.map((factor) => (
            <FactorEntry
              key={factor.id}
              factor={factor}
              kept={requireMfa && factors.length === 1 ? t('factor.last') : undefined}
              onRemoved={() => setDone(t('factor.removed'))}
            />
          ))}
        </ul>
      ) : null}
      {Adding === undefined ? null : (
        <Adding
          onClose={(isReady) => {
            setAdding(undefined);
            setDone(isReady ? t('factor.ready') : undefined);
          }}
        />
      )}
      {Adding === undefined && kinds.length > 0 ? (
        <div className={classes.actions}>
          {kinds.map((kind) => (
            <Button
              key={kind}
              variant="default"
              onClick={() =>
                fresh(() => {
                  setDone(undefined);
                  setAdding(kind);
                })
              }
            >
              {addTexts[kind]()}
            </Button>
          ))}
        </div>
      ) : null}
      {isOn ? <RecoveryCodes user={user} isLastStep={done === t('factor.ready')} /> : null}
    </Card>
  );
}

const addTexts: Readonly<Record<Kind, () => string>> = {
  totp: () => t('security.factor-add'),
  phone: () => t('factor.add-phone'),
  webAuthn: () => t('factor.add-key'),
};

function kindText({ factor_type: type }: Factor): string {
  if (type === 'totp') return t('mfa.unnamed');
  return type === 'phone' ? t('factor.phone') : t('factor.webauthn');
}

function FactorEntry(props: { factor: Factor; kept: string | undefined; onRemoved: () => void }) {
  const { factor } = props;
  const kind = kindText(factor);
  const name = factor.friendly_name || kind;
  const since = t('security.factor-added', { when: formatDateTime(factor.created_at) });
  return (
    <Entry
      name={name}
      meta={<Meta parts={[name === kind ? '' : kind, since]} />}
      kept={props.kept}
      remove={t('security.factor-remove')}
      removeLabel={t('factor.remove-what', { name })}
      ask={t('factor.remove-ask', { name })}
      onRemove={async () => {
        await callAuth(`/factors/${factor.id}`, { method: 'DELETE' });
        props.onRemoved();
        // Removing a factor changes the session's assurance level, so the page needs a new access token.
        await sessionClient().refresh();
        await sessionClient().changed('USER_UPDATED');
      }}
    />
  );
}

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
