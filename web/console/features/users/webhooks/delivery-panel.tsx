/** Shows a delivery with its data and the receiver's response, and sends it again. */
import { Button } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Copyable } from '../../../../ui/copyable.tsx';
import { fetchConsole, useMay } from '../../../api/session.ts';
import { Fact, Facts } from '../../../components/facts.tsx';
import { SidePanel } from '../../../components/frame/side-panel.tsx';
import { SkeletonLines } from '../../../components/frame/skeleton.tsx';
import { CodeBlock, JsonBlock } from '../../../components/json-block.tsx';
import { Moment } from '../../../components/moment.tsx';
import { ProblemBox } from '../../../components/problem-box.tsx';
import { deliveryQuery, type OpenedDelivery, webhooksKey } from './api.ts';
import { DeliveryStatus } from './status-tag.tsx';
import { t } from './text.ts';
import classes from './webhooks.module.css';

export function DeliveryPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, error } = useQuery(deliveryQuery(id));
  return (
    <SidePanel title={data?.type ?? t('webhooks.deliveries')} wide onClose={onClose}>
      {error === null ? null : <ProblemBox error={error} />}
      {data === undefined ? (
        error === null ? (
          <SkeletonLines lines={8} />
        ) : null
      ) : (
        <div className={classes.details}>
          <SendAgain id={id} />
          <Outcome delivery={data} />
          <section className={classes.section}>
            <h3 className={classes.heading}>{t('webhooks.payload')}</h3>
            <JsonBlock value={data.data} what={t('webhooks.payload')} />
          </section>
          {data.responseExcerpt === null ? null : (
            <section className={classes.section}>
              <h3 className={classes.heading}>{t('webhooks.excerpt')}</h3>
              <CodeBlock text={data.responseExcerpt} what={t('webhooks.excerpt')} />
            </section>
          )}
        </div>
      )}
    </SidePanel>
  );
}

function Outcome({ delivery }: { delivery: OpenedDelivery }) {
  const { endpoint, eventId, userId, attempts, lastAttemptAt, nextAttemptAt, responseStatus, durationMs } =
    delivery;
  return (
    <Facts>
      <Fact label={t('webhooks.status')}>
        <DeliveryStatus {...delivery} />
      </Fact>
      <Fact label={t('webhooks.name')}>{endpoint}</Fact>
      <Fact label={t('webhooks.event-id')}>
        <Copyable value={eventId} what={t('webhooks.event-id')} />
      </Fact>
      {userId === null ? null : (
        <Fact label={t('webhooks.user')}>
          <Link to="/users" search={{ id: userId }}>
            <code>{userId}</code>
          </Link>
        </Fact>
      )}
      <Fact label={t('webhooks.when')}>
        <Moment at={delivery.happenedAt} seconds />
      </Fact>
      <Fact label={t('webhooks.attempts')}>{attempts}</Fact>
      {lastAttemptAt === null ? null : (
        <Fact label={t('webhooks.last-attempt')}>
          <Moment at={lastAttemptAt} seconds />
        </Fact>
      )}
      {nextAttemptAt === null ? null : (
        <Fact label={t('webhooks.next-attempt')}>
          <Moment at={nextAttemptAt} seconds />
        </Fact>
      )}
      {responseStatus === null || durationMs === null ? null : (
        <Fact label={t('webhooks.response')}>
          {t('webhooks.response-in', { status: String(responseStatus), ms: durationMs })}
        </Fact>
      )}
      {delivery.error === null ? null : <Fact label={t('webhooks.error')}>{delivery.error}</Fact>}
    </Facts>
  );
}

function SendAgain({ id }: { id: string }) {
  const queryClient = useQueryClient();
  const mayWrite = useMay('write');
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => fetchConsole('POST /webhooks/deliveries/:id/send', { params: { id } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: webhooksKey }),
  });
  if (!mayWrite) return null;
  return (
    <>
      <div className={classes.actions}>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconSend size={15} aria-hidden />}
          loading={isPending}
          onClick={() => mutate()}
        >
          {t('webhooks.send-again')}
        </Button>
      </div>
      {error === null ? null : <ProblemBox error={error} />}
    </>
  );
}
