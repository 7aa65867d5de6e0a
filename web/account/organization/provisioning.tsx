/** Shows the SCIM tokens of an organization, which owners can revoke. A setup link creates them. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import { formatDateTime, formatRelative } from '../../lib/i18n.ts';
import { Copyable } from '../../ui/copyable.tsx';
import { ErrorSummary } from '../../ui/error-summary.tsx';
import { useSubmit } from '../form/use-submit.ts';
import { Card } from '../security/card.tsx';
import classes from '../security/security.module.css';
import { t } from '../text.ts';
import { Done, useOrganization } from './parts.tsx';
import { callSso, type Sso } from './sso-data.ts';

export function ProvisioningSection({ sso, reload }: { sso: Sso; reload: () => Promise<void> }) {
  const { organization } = useOrganization();
  const [done, setDone] = useState<string>();
  const submit = useSubmit(async () => undefined);
  const revoke = (tokenId: string): void =>
    void submit.run(undefined, async () => {
      await callSso(organization.id, `/scim-tokens/${tokenId}`, 'DELETE');
      await reload();
      setDone(t('setup.token-revoked'));
      return undefined;
    });
  return (
    <Card title={t('setup.scim')} intro={t('scim.intro')}>
      <Done text={done} />
      <ErrorSummary problems={submit.problems} />
      {sso.scim_tokens.length === 0 ? null : (
        <>
          <p className={classes.meta}>{t('scim.users', { count: sso.scim_users })}</p>
          <Copyable value={sso.urls.scim_url} what={t('setup.scim-url')} />
        </>
      )}
      <ul className={classes.list}>
        {sso.scim_tokens.map(({ id, created_at: created, last_used_at: used }) => {
          const when = formatDateTime(created);
          return (
            <li key={id} className={classes.item}>
              <span className={classes.what}>
                {t('setup.scim-token', { when })}
                <span className={classes.meta}>
                  {used === null
                    ? t('scim.token-unused')
                    : t('scim.token-used', { when: formatRelative(used) })}
                </span>
              </span>
              {organization.isOwner ? (
                <div className={classes.actions}>
                  <Button
                    variant="default"
                    disabled={submit.busy}
                    aria-label={`${t('setup.scim-revoke')}: ${t('setup.scim-token', { when })}`}
                    onClick={() => revoke(id)}
                  >
                    {t('setup.scim-revoke')}
                  </Button>
                </div>
              ) : null}
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
