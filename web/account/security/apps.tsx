import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { formatDateTime, formatRelative } from '../../lib/i18n.ts';
import { ErrorSummary } from '../../ui/error-summary.tsx';
import { Notice } from '../../ui/notice.tsx';
import { appName } from '../consent/consent-request.ts';
import { hostOf } from '../flow.ts';
import { problemOf } from '../form/problems.ts';
import { Waiting } from '../parts.tsx';
import { callAuth, type User } from '../session.ts';
import { t } from '../text.ts';
import { Card, LoadFailed } from './card.tsx';
import classes from './security.module.css';

interface Grant {
  readonly client: { readonly id: string; readonly name?: string; readonly uri?: string };
  readonly granted_at: string;
}

const none: never[] = [];

/** Lists the apps that can act for the user, with a button that removes an app's access. */
export function AppsSection({ user }: { user: User }) {
  const cache = useQueryClient();
  const queryKey = ['apps', user.id];
  const [done, setDone] = useState<string>();
  const list = useQuery({ queryKey, queryFn: () => callAuth<Grant[]>('/user/oauth/grants') });
  const remove = useMutation({
    mutationFn: async ({ client }: Grant) => {
      setDone(undefined);
      await callAuth(`/user/oauth/grants?client_id=${client.id}`, { method: 'DELETE' });
    },
    onSuccess: (_result, { client }) => setDone(t('apps.removed', { app: appName(client.name ?? '') })),
    // Removing access also ends the app's sessions, so all data is fetched again.
    onSettled: () => cache.invalidateQueries(),
  });
  return (
    <Card title={t('apps.title')} intro={t('apps.intro')}>
      <ErrorSummary problems={remove.isError ? [problemOf(remove.error)] : none} />
      <div role="status">{done === undefined ? null : <Notice tone="success">{done}</Notice>}</div>
      {list.isPending ? <Waiting /> : null}
      {list.isError ? <LoadFailed onAgain={() => void list.refetch()} /> : null}
      {list.data?.length === 0 ? <p className={classes.meta}>{t('apps.none')}</p> : null}
      <ul className={classes.list}>
        {(list.data ?? none).map((grant) => (
          <AppItem
            key={grant.client.id}
            grant={grant}
            busy={remove.isPending}
            onRemove={() => remove.mutate(grant)}
          />
        ))}
      </ul>
    </Card>
  );
}

function AppItem({ grant, busy, onRemove }: { grant: Grant; busy: boolean; onRemove: () => void }) {
  const name = appName(grant.client.name ?? '');
  const site = hostOf(grant.client.uri);
  const since = grant.granted_at;
  return (
    <li className={classes.item}>
      <span className={classes.what}>
        <span className={classes.name}>{name}</span>
        <span className={`${classes.meta} ${classes.clip}`}>
          <span className={classes.facts}>
            <time className={classes.fact} dateTime={since} title={formatDateTime(since)}>
              {t('apps.since', { when: formatRelative(since) })}
            </time>
            {site === undefined ? null : (
              <span className={classes.fact}>
                <bdi>{site}</bdi>
              </span>
            )}
          </span>
        </span>
      </span>
      <Button
        variant="default"
        disabled={busy}
        aria-label={t('apps.remove-what', { app: name })}
        onClick={onRemove}
      >
        {t('apps.remove')}
      </Button>
    </li>
  );
}
