import { Button } from '@mantine/core';
import { useState } from 'react';
import { formatDateTime } from '../../lib/i18n.ts';
import { Notice } from '../../ui/notice.tsx';
import { usePageConfig } from '../page-config.ts';
import { Form } from '../parts.tsx';
import { callAuth, type Factor, sessionClient, type User, verifiedFactors } from '../session.ts';
import { t } from '../text.ts';
import { useSubmit } from '../use-submit.ts';
import { Badge, Card } from './card.tsx';
import { Enrolment } from './enrolment.tsx';
import classes from './security.module.css';

type Done = 'ready' | 'removed';

/** Authenticator apps. Absent where the project offers none and the user has none. */
export function FactorsSection({ user }: { user: User }) {
  const { totp } = usePageConfig();
  const [adding, setAdding] = useState(false);
  const [done, setDone] = useState<Done>();
  const factors = verifiedFactors(user);
  if (!totp && factors.length === 0) return null;
  const badge = (
    <Badge tone={factors.length > 0 ? 'good' : 'plain'}>
      {factors.length > 0 ? t('security.factors-on') : t('security.factors-off')}
    </Badge>
  );
  return (
    <Card title={t('security.factors')} intro={t('security.factors-intro')} badge={badge}>
      <div role="status">
        {done === undefined ? null : (
          <Notice tone="success">
            {done === 'ready' ? t('security.factor-ready') : t('security.factor-removed')}
          </Notice>
        )}
      </div>
      {factors.length === 0 ? null : (
        <ul className={classes.list}>
          {factors.map((factor) => (
            <FactorItem key={factor.id} factor={factor} onRemoved={() => setDone('removed')} />
          ))}
        </ul>
      )}
      {adding ? (
        <Enrolment
          onClose={(isReady) => {
            setAdding(false);
            setDone(isReady ? 'ready' : undefined);
          }}
        />
      ) : null}
      {!adding && totp ? (
        <div className={classes.actions}>
          <Button
            variant="default"
            onClick={() => {
              setDone(undefined);
              setAdding(true);
            }}
          >
            {t('security.factor-add')}
          </Button>
        </div>
      ) : null}
    </Card>
  );
}

function FactorItem({ factor, onRemoved }: { factor: Factor; onRemoved: () => void }) {
  const [asking, setAsking] = useState(false);
  const name = factor.friendly_name || t('mfa.unnamed');
  const submit = useSubmit(async () => {
    await callAuth(`/factors/${factor.id}`, { method: 'DELETE' });
    onRemoved();
    // The level of this session falls with the factor, so the page needs a new token.
    await sessionClient().refresh();
    await sessionClient().changed('USER_UPDATED');
    return undefined;
  });
  return (
    <li className={classes.item}>
      <span className={classes.what}>
        <span className={classes.name}>{name}</span>
        <span className={classes.meta}>
          {t('security.factor-added', { when: formatDateTime(factor.created_at) })}
        </span>
      </span>
      {asking ? (
        <Form onSubmit={submit.onSubmit} problems={submit.problems}>
          <p>{t('security.factor-remove-ask', { name })}</p>
          <div className={classes.actions}>
            <Button type="submit" color="red" loading={submit.busy}>
              {t('security.factor-remove')}
            </Button>
            <Button variant="default" onClick={() => setAsking(false)}>
              {t('security.factor-keep')}
            </Button>
          </div>
        </Form>
      ) : (
        <Button
          variant="default"
          aria-label={t('security.factor-remove-what', { name })}
          onClick={() => setAsking(true)}
        >
          {t('security.factor-remove')}
        </Button>
      )}
    </li>
  );
}
