import { Button } from '@mantine/core';
import { useState } from 'react';
import { formatDateTime } from '../../lib/i18n.ts';
import { Notice } from '../../ui/notice.tsx';
import { usePageConfig } from '../page-config.ts';
import { callAuth, type Factor, sessionClient, type User, verifiedFactors } from '../session.ts';
import { t } from '../text.ts';
import { Badge, Card } from './card.tsx';
import { Entry, Meta } from './entry.tsx';
import { addTexts, enrollments, type FactorKind, offeredKinds } from './factor-kinds.tsx';
import { useFresh } from './fresh.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import classes from './security.module.css';

/**
 * Shows second factors and recovery codes. Hidden if the project doesn't offer second factors and the user doesn't have
 * any.
 */
export function FactorsSection({ user }: { user: User }) {
  const { factors: offered, requireMfa } = usePageConfig();
  const [adding, setAdding] = useState<FactorKind>();
  const [done, setDone] = useState<string>();
  const fresh = useFresh();
  const factors = verifiedFactors(user);
  const kinds = offeredKinds(offered);
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
