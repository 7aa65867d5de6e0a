/** Shows the result of a metadata check, with the data that was found and the problems that would prevent sign-ins. */
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Moment } from '../../../components/moment.tsx';
import type { SsoCheck } from '../api.ts';
import { t } from '../text.ts';
import classes from './sso.module.css';

export function CheckResult({ check }: { check: SsoCheck }) {
  const now = Date.now();
  const { entityId, signOnUrl, certificates, validUntil } = check;
  return (
    <ul className={classes.checks}>
      <Line isGood label={t('sso.check-entity')}>
        <span className={classes.mono}>{entityId}</span>
      </Line>
      <Line isGood={signOnUrl !== null} label={t('sso.check-sign-on')}>
        {signOnUrl === null ? t('sso.check-no-sign-on') : <span className={classes.mono}>{signOnUrl}</span>}
      </Line>
      {certificates.length === 0 ? (
        <Line isGood={false} label={t('sso.check-certificate')}>
          {t('sso.check-no-certificate')}
        </Line>
      ) : null}
      {certificates.map(({ subject, fingerprint, expiresAt }) =>
        subject === null ? (
          <Line key="invalid" isGood={false} label={t('sso.check-certificate')}>
            {t('sso.check-bad-certificate')}
          </Line>
        ) : (
          <Line key={fingerprint} isGood={Date.parse(expiresAt) > now} label={t('sso.check-certificate')}>
            {subject.replaceAll('\n', ', ')} ·{' '}
            {t(Date.parse(expiresAt) > now ? 'sso.expires' : 'sso.expired')} <Moment at={expiresAt} />{' '}
            <span className={classes.mono}>{fingerprint}</span>
          </Line>
        ),
      )}
      {validUntil === null ? null : (
        <Line isGood={Date.parse(validUntil) > now} label={t('sso.check-document')}>
          {t(Date.parse(validUntil) > now ? 'sso.expires' : 'sso.expired')} <Moment at={validUntil} />
        </Line>
      )}
    </ul>
  );
}

function Line({ isGood, label, children }: { isGood: boolean; label: string; children: ReactNode }) {
  return (
    <li>
      {isGood ? (
        <IconCircleCheck size={18} color="var(--plinth-success-text)" aria-label={t('sso.good')} role="img" />
      ) : (
        <IconAlertTriangle size={18} color="var(--plinth-danger-text)" aria-label={t('sso.bad')} role="img" />
      )}
      <span>
        <strong>{label}:</strong> {children}
      </span>
    </li>
  );
}
