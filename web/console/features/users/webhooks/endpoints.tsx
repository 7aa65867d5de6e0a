/** Lists the webhooks in the settings, sends tests, and enables webhooks that were disabled. */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { fetchConsole, useMay } from '../../../api/session.ts';
import { Card } from '../../../components/frame/card.tsx';
import list from '../../../components/list.module.css';
import { ProblemBox } from '../../../components/problem-box.tsx';
import { Tag } from '../../../components/tag.tsx';
import { type WebhookState, webhooksKey } from './api.ts';
import { t } from './text.ts';
import classes from './webhooks.module.css';

export function Endpoints({ webhooks }: { webhooks: readonly WebhookState[] }) {
  const queryClient = useQueryClient();
  const refresh = () => queryClient.invalidateQueries({ queryKey: webhooksKey });
  const test = useMutation({
    mutationFn: (name: string) => fetchConsole('POST /webhooks/:name/test', { params: { name } }),
    onSuccess: refresh,
  });
  const enable = useMutation({
    mutationFn: (name: string) => fetchConsole('POST /webhooks/:name/enable', { params: { name } }),
    onSuccess: refresh,
  });
  const error = test.error ?? enable.error;
  return (
    <Card title={t('webhooks.title')} text={t('webhooks.list-text')} flush>
      {error === null ? null : <ProblemBox error={error} />}
      {webhooks
        .filter(({ disabledAt }) => disabledAt !== null)
        .map(({ name, note }) => (
          <p key={name} className={classes.note}>
            {t('webhooks.enable-text', { name })} {note}
          </p>
        ))}
      <p className="visually-hidden" role="status">
        {test.isSuccess ? t('webhooks.test-sent', { name: test.variables }) : ''}
      </p>
      <table className={list.table}>
        <caption className="visually-hidden">{t('webhooks.title')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('webhooks.name')}</th>
            <th scope="col" className={list.wide}>
              {t('webhooks.url')}
            </th>
            <th scope="col" className={list.wide}>
              {t('webhooks.events')}
            </th>
            <th scope="col">{t('webhooks.state')}</th>
            <th scope="col">
              <span className="visually-hidden">{t('webhooks.test')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {webhooks.map((webhook) => (
            <Row
              key={webhook.name}
              webhook={webhook}
              isTesting={test.isPending && test.variables === webhook.name}
              isEnabling={enable.isPending && enable.variables === webhook.name}
              onTest={() => test.mutate(webhook.name)}
              onEnable={() => enable.mutate(webhook.name)}
            />
          ))}
        </tbody>
      </table>
    </Card>
  );
}

interface RowProps {
  readonly webhook: WebhookState;
  readonly isTesting: boolean;
  readonly isEnabling: boolean;
  readonly onTest: () => void;
  readonly onEnable: () => void;
}

function Row({ webhook, isTesting, isEnabling, onTest, onEnable }: RowProps) {
  const mayWrite = useMay('write');
  const { name, url, events, enabled, disabledAt, waiting, failed } = webhook;
  const counts = `${t('webhooks.waiting-count', { count: waiting })}, ${t('webhooks.failed-count', { count: failed })}`;
  return (
    <tr>
      <td>{name}</td>
      <td className={list.wide} title={url ?? ''}>
        <code>{url}</code>
      </td>
      <td className={`${list.wide} ${list.dim}`} title={events.join(', ')}>
        {events.join(', ')}
      </td>
      <td title={counts}>
        <StateTag webhook={webhook} />
      </td>
      <td>
        {!mayWrite || !enabled ? null : disabledAt === null ? (
          <Button
            size="compact-xs"
            variant="default"
            loading={isTesting}
            aria-label={t('webhooks.test-to', { name })}
            onClick={onTest}
          >
            {t('webhooks.test')}
          </Button>
        ) : (
          <Button
            size="compact-xs"
            loading={isEnabling}
            aria-label={t('webhooks.enable-one', { name })}
            onClick={onEnable}
          >
            {t('webhooks.enable')}
          </Button>
        )}
      </td>
    </tr>
  );
}

function StateTag({ webhook: { enabled, disabledAt, failingSince } }: { webhook: WebhookState }) {
  if (!enabled) return <Tag>{t('webhooks.off')}</Tag>;
  if (disabledAt !== null) return <Tag tone="danger">{t('webhooks.disabled')}</Tag>;
  if (failingSince !== null) return <Tag tone="warning">{t('webhooks.failing')}</Tag>;
  return <Tag tone="success">{t('webhooks.working')}</Tag>;
}
