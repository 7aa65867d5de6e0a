/** Lists the requests to join, and lets members who manage the organization accept requests or not. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import { formatRelative } from '../../lib/i18n.ts';
import { Copyable } from '../../ui/copyable.tsx';
import { ErrorSummary } from '../../ui/error-summary.tsx';
import { WithAddresses } from '../addresses.tsx';
import { useSubmit } from '../form/use-submit.ts';
import { callFunction, changeRows } from '../rest.ts';
import { Card } from '../security/card.tsx';
import { Meta } from '../security/entry.tsx';
import classes from '../security/security.module.css';
import { t } from '../text.ts';
import type { JoinRequest } from './data.ts';
import { Done, Question, RoleSelect, useOrganization } from './parts.tsx';

export function RequestsSection() {
  const { organization, reload } = useOrganization();
  const { accepts_join_requests: isOn, requests, slug, id } = organization;
  const [done, setDone] = useState<string>();
  const toggle = useSubmit(async () => {
    setDone(undefined);
    await changeRows(`/organizations?id=eq.${id}`, {
      method: 'PATCH',
      body: { accepts_join_requests: !isOn },
    });
    await reload();
    return undefined;
  });
  return (
    <Card title={t('requests.title')} intro={isOn ? t('requests.on') : t('requests.off')}>
      {isOn ? <Copyable value={slug} what={t('requests.slug')} /> : null}
      <ErrorSummary problems={toggle.problems} />
      <Done text={done} />
      {requests.length === 0 && isOn ? <p className={classes.meta}>{t('requests.none')}</p> : null}
      <ul className={classes.list}>
        {requests.map((request) => (
          <RequestEntry key={request.id} request={request} onDone={setDone} />
        ))}
      </ul>
      <div className={classes.actions}>
        <Button variant="default" loading={toggle.busy} onClick={() => void toggle.run(undefined)}>
          {isOn ? t('requests.turn-off') : t('requests.turn-on')}
        </Button>
      </div>
    </Card>
  );
}

function RequestEntry(props: { request: JoinRequest; onDone: (text: string | undefined) => void }) {
  const { request, onDone } = props;
  const { reload } = useOrganization();
  const [isApproving, setApproving] = useState(false);
  const who = request.name ?? request.email ?? t('requests.unnamed');
  const approve = useSubmit(async (field) => {
    await callFunction('approve_organization_join_request', { request_id: request.id, role: field('role') });
    onDone(t('requests.approved', { who }));
    await reload();
    return undefined;
  });
  const decline = useSubmit(async () => {
    await changeRows(`/organization_join_requests?id=eq.${request.id}`, { method: 'DELETE' });
    onDone(t('requests.declined'));
    await reload();
    return undefined;
  });
  const address = request.name === null ? '' : (request.email ?? '');
  return (
    <li className={classes.item}>
      <span className={classes.what}>
        <span className={classes.name}>
          <bdi className={classes.long}>
            <WithAddresses text={who} />
          </bdi>
        </span>
        <span className={`${classes.meta} ${classes.clip}`}>
          <Meta parts={[address, formatRelative(request.created_at)]} />
        </span>
        {request.message ? (
          <q className={classes.long} dir="auto">
            {request.message}
          </q>
        ) : null}
        <ErrorSummary problems={decline.problems} />
      </span>
      {isApproving ? (
        <Question
          label={t('requests.approve-what', { who })}
          submit={approve}
          button={t('requests.approve')}
          onCancel={() => setApproving(false)}
        >
          <RoleSelect id={`role-${request.id}`} isFirst />
        </Question>
      ) : (
        <div className={classes.actions}>
          <Button
            variant="default"
            aria-label={t('requests.approve-what', { who })}
            onClick={() => {
              onDone(undefined);
              setApproving(true);
            }}
          >
            {t('requests.approve')}
          </Button>
          <Button
            variant="default"
            disabled={decline.busy}
            aria-label={t('requests.decline-what', { who })}
            onClick={() => void decline.run(undefined)}
          >
            {t('requests.decline')}
          </Button>
        </div>
      )}
    </li>
  );
}
