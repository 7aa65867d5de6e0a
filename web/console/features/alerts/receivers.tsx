/** Lists the receivers of alerts, and sends tests to them. */
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Notice } from '../../../ui/notice.tsx';
import { fetchConsole, useMay } from '../../api/session.ts';
import { Card } from '../../components/frame/card.tsx';
import list from '../../components/list.module.css';
import { ProblemBox } from '../../components/problem-box.tsx';
import { Tag } from '../../components/tag.tsx';
import classes from './alerts.module.css';
import type { ReceiverState } from './api.ts';
import { t } from './text.ts';

export function Receivers({ receivers }: { receivers: readonly ReceiverState[] }) {
  const test = useMutation({
    mutationFn: (name: string) => fetchConsole('POST /alerts/receivers/:name/test', { params: { name } }),
  });
  const result =
    test.data === undefined
      ? undefined
      : test.data.error === null
        ? t('alerts.test-sent', { name: test.variables })
        : t('alerts.test-failed', { name: test.variables, error: test.data.error });
  return (
    <Card title={t('alerts.receivers')} text={t('alerts.receivers-text')} flush>
      {test.error === null ? null : <ProblemBox error={test.error} />}
      <div role="status" className={classes.result}>
        {result === undefined ? null : (
          <Notice tone={test.data?.error === null ? 'success' : 'danger'}>
            <p>{result}</p>
          </Notice>
        )}
      </div>
      <table className={list.table}>
        <caption className="visually-hidden">{t('alerts.receivers')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('alerts.receiver')}</th>
            <th scope="col" className={list.wide}>
              {t('alerts.target')}
            </th>
            <th scope="col" className={list.wide}>
              {t('alerts.problems')}
            </th>
            <th scope="col">{t('alerts.state')}</th>
            <th scope="col">
              <span className="visually-hidden">{t('alerts.test')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {receivers.map((receiver) => (
            <Row
              key={receiver.name}
              receiver={receiver}
              isTesting={test.isPending && test.variables === receiver.name}
              onTest={() => test.mutate(receiver.name)}
            />
          ))}
        </tbody>
      </table>
    </Card>
  );
}

function Row({
  receiver,
  isTesting,
  onTest,
}: {
  receiver: ReceiverState;
  isTesting: boolean;
  onTest: () => void;
}) {
  const mayWrite = useMay('write');
  const { name, kind, target, isEnabled, quietHours } = receiver;
  return (
    <tr>
      <td>
        {name} <span className={list.dim}>{t(`alerts.kind-${kind}`)}</span>
      </td>
      <td className={list.wide} title={target}>
        {target}
      </td>
      <td className={`${list.wide} ${list.dim}`}>
        {problemsText(receiver)}
        {quietHours === '' ? null : (
          <>
            <br />
            {t('alerts.quiet', { hours: quietHours })}
          </>
        )}
      </td>
      <td title={receiver.error ?? ''}>
        <StateTag receiver={receiver} />
      </td>
      <td>
        {!mayWrite || !isEnabled ? null : (
          <Button
            size="compact-xs"
            variant="default"
            loading={isTesting}
            aria-label={t('alerts.test-to', { name })}
            onClick={onTest}
          >
            {t('alerts.test')}
          </Button>
        )}
      </td>
    </tr>
  );
}

function problemsText({ problems, severity }: ReceiverState): string {
  const all = problems.includes('*') ? t('alerts.all-problems') : problems.join(', ');
  return severity === 'error' ? t('alerts.errors-only', { problems: all }) : all;
}

function StateTag({ receiver: { isEnabled, error, waiting, sentAt } }: { receiver: ReceiverState }) {
  if (!isEnabled) return <Tag>{t('alerts.off')}</Tag>;
  if (error !== null) return <Tag tone="danger">{t('alerts.failing')}</Tag>;
  if (waiting > 0) return <Tag tone="info">{t('alerts.waiting', { count: waiting })}</Tag>;
  return sentAt === null ? <Tag>{t('alerts.idle')}</Tag> : <Tag tone="success">{t('alerts.working')}</Tag>;
}
