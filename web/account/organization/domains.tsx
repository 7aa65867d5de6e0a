/** Adds, verifies and removes the email domains of an organization. */
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Copyable } from '../../ui/copyable.tsx';
import { ErrorSummary } from '../../ui/error-summary.tsx';
import { WithAddresses } from '../addresses.tsx';
import { Form, FormButton } from '../form/form.tsx';
import { useSubmit } from '../form/use-submit.ts';
import { Badge, Card } from '../security/card.tsx';
import classes from '../security/security.module.css';
import { t } from '../text.ts';
import { Done, Question, useOrganization } from './parts.tsx';
import { callSso, type Domain, type JoinPolicy } from './sso-data.ts';

const domainId = 'organization-domain';

export function DomainsSection(props: { domains: readonly Domain[]; reload: () => Promise<void> }) {
  const { organization } = useOrganization();
  const [done, setDone] = useState<string>();
  const submit = useSubmit(
    async (field) => {
      setDone(undefined);
      const domain = field(domainId).trim();
      if (domain === '') return [{ text: t('domains.missing'), fieldId: domainId }];
      await callSso(organization.id, '/domains', 'POST', { domain });
      const input = document.getElementById(domainId);
      if (input instanceof HTMLInputElement) input.value = '';
      await props.reload();
      return undefined;
    },
    { validation_failed: domainId },
  );
  return (
    <Card title={t('setup.domains')} intro={t('domains.intro')}>
      <Done text={done} />
      <ul className={classes.list}>
        {props.domains.map((domain) => (
          <DomainEntry key={domain.id} domain={domain} reload={props.reload} onDone={setDone} />
        ))}
      </ul>
      <Form onSubmit={submit.onSubmit} problems={submit.problems} label={t('domains.add')}>
        <TextInput
          id={domainId}
          name={domainId}
          size="md"
          label={t('domains.domain')}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={200}
          required
          withAsterisk={false}
          error={submit.errorAt(domainId)}
        />
        <div className={classes.actions}>
          <FormButton loading={submit.busy}>{t('domains.add')}</FormButton>
        </div>
      </Form>
    </Card>
  );
}

const results = {
  found: 'setup.record-found',
  missing: 'setup.record-missing',
  unknown: 'setup.record-unknown',
} as const;

const policies: readonly JoinPolicy[] = ['never', 'request', 'join'];

function DomainEntry(props: {
  domain: Domain;
  reload: () => Promise<void>;
  onDone: (text: string | undefined) => void;
}) {
  const { organization } = useOrganization();
  const {
    id,
    domain,
    verified,
    missing_since: missing,
    record_name,
    record_value,
    join_policy,
  } = props.domain;
  const [isRemoving, setIsRemoving] = useState(false);
  const path = `/domains/${id}`;
  const check = useSubmit(async () => {
    props.onDone(undefined);
    const { result } = await callSso<{ result: keyof typeof results }>(
      organization.id,
      `${path}/check`,
      'POST',
    );
    props.onDone(t(results[result]));
    await props.reload();
    return undefined;
  });
  const remove = useSubmit(async () => {
    await callSso(organization.id, path, 'DELETE');
    props.onDone(t('domains.removed', { domain }));
    await props.reload();
    return undefined;
  });
  const badge = verified ? (missing === null ? 'verified' : 'at-risk') : 'pending';
  return (
    <li className={classes.item}>
      <div className={classes.what}>
        <span className={classes.name}>
          <bdi className={classes.long}>{domain}</bdi>
          <Badge tone={badge === 'verified' ? 'good' : 'plain'}>
            {badge === 'verified' ? t('setup.verified') : t(`domains.${badge}`)}
          </Badge>
        </span>
        <ErrorSummary problems={check.problems} />
        {badge === 'verified' ? null : (
          <>
            <p className={classes.meta}>
              <WithAddresses text={t('domains.record', { domain })} />
            </p>
            <Copyable value={record_name} what={t('setup.record-name')} />
            <Copyable value={record_value} what={t('setup.record-value')} />
          </>
        )}
        {verified ? (
          <NativeSelect
            id={`join-${id}`}
            size="md"
            label={t('domains.join')}
            aria-label={`${t('domains.join')}: ${domain}`}
            defaultValue={join_policy}
            disabled={check.busy}
            data={policies.map((value) => ({ value, label: t(`domains.join-${value}`) }))}
            onChange={({ currentTarget }) =>
              void check.run(undefined, async () => {
                props.onDone(undefined);
                await callSso(organization.id, path, 'PATCH', { join_policy: currentTarget.value });
                props.onDone(t('connection.saved'));
                await props.reload();
                return undefined;
              })
            }
          />
        ) : null}
      </div>
      {isRemoving ? (
        <Question
          label={`${t('domains.remove')}: ${domain}`}
          ask={t('domains.remove-ask', { domain })}
          submit={remove}
          button={t('domains.remove')}
          isDangerous
          onCancel={() => setIsRemoving(false)}
        />
      ) : (
        <div className={classes.actions}>
          {badge === 'verified' ? null : (
            <Button
              variant="default"
              loading={check.busy}
              aria-label={`${t('domains.check')}: ${domain}`}
              onClick={() => void check.run(undefined)}
            >
              {t('domains.check')}
            </Button>
          )}
          <Button
            variant="default"
            aria-label={`${t('domains.remove')}: ${domain}`}
            onClick={() => setIsRemoving(true)}
          >
            {t('domains.remove')}
          </Button>
        </div>
      )}
    </li>
  );
}
