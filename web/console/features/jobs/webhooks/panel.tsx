/** Shows a webhook with its deliveries and actions. */
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Notice } from '../../../../ui/notice.tsx';
import { fetchConsole, useMay } from '../../../api/session.ts';
import { Confirm } from '../../../components/confirm.tsx';
import { Fact, Facts } from '../../../components/facts.tsx';
import { SidePanel } from '../../../components/frame/side-panel.tsx';
import { CodeBlock } from '../../../components/json-block.tsx';
import { Moment } from '../../../components/moment.tsx';
import { ProblemBox } from '../../../components/problem-box.tsx';
import {
  type Delivery,
  deliveriesQuery,
  type HookName,
  hookParams,
  type Webhook,
  webhooksQuery,
} from '../api.ts';
import classes from '../jobs.module.css';
import { DeliveryTag } from '../outcome.tsx';
import { PanelAction } from '../panel-action.tsx';
import { durationText, LoadOlder, pairsText } from '../parts.tsx';
import { t } from '../text.ts';
import { eventsText } from './events-text.ts';
import { WebhookForm } from './form.tsx';

export function WebhookPanel({
  hook,
  onClose,
  onRenamed,
}: {
  hook: Webhook;
  onClose: () => void;
  onRenamed: (hook: HookName) => void;
}) {
  const mayWrite = useMay('write');
  return (
    <SidePanel title={hook.name} onClose={onClose} wide>
      <div className={classes.details}>
        {mayWrite ? <Actions hook={hook} onDeleted={onClose} onRenamed={onRenamed} /> : null}
        {hook.isPlain ? null : (
          <Notice tone="info">
            <p>{t('hooks.not-plain')}</p>
          </Notice>
        )}
        <Facts className={classes.facts}>
          <Fact label={t('hooks.table')}>
            <code>
              {hook.schema}.{hook.table}
            </code>
          </Fact>
          <Fact label={t('hooks.events')}>{eventsText(hook.events)}</Fact>
          <Fact label={t('hooks.to')}>
            <code>
              {hook.method} {hook.url}
            </code>
          </Fact>
          <Fact label={t('requests.timeout')}>{durationText(hook.timeoutMs)}</Fact>
        </Facts>
        <Pairs title={t('requests.headers')} pairs={hook.headers} />
        <Deliveries hook={hook} />
        {hook.definition === null ? null : (
          <section className={classes.section}>
            <h3 className={classes.title}>{t('hooks.definition')}</h3>
            <CodeBlock text={hook.definition} what={t('hooks.definition')} />
          </section>
        )}
      </div>
    </SidePanel>
  );
}

function Pairs({ title, pairs }: { title: string; pairs: Webhook['headers'] }) {
  if (pairs.length === 0) return null;
  return (
    <section className={classes.section}>
      <h3 className={classes.title}>{title}</h3>
      <CodeBlock text={pairsText(pairs)} what={title} />
    </section>
  );
}

function Actions({
  hook,
  onDeleted,
  onRenamed,
}: {
  hook: Webhook;
  onDeleted: () => void;
  onRenamed: (hook: HookName) => void;
}) {
  const queryClient = useQueryClient();
  const [dialog, setDialog] = useState<'edit' | 'delete'>();
  const close = (): void => setDialog(undefined);
  const remove = useMutation({
    mutationFn: () =>
      fetchConsole('DELETE /jobs/webhooks/:schema/:table/:name', { params: hookParams(hook) }),
    onSuccess: async () => {
      onDeleted();
      await queryClient.invalidateQueries({ queryKey: webhooksQuery.queryKey });
    },
  });
  return (
    <>
      <div className={classes.actions}>
        {hook.isPlain ? (
          <PanelAction icon={IconPencil} label={t('hooks.edit')} onClick={() => setDialog('edit')} />
        ) : null}
        <PanelAction
          icon={IconTrash}
          label={t('hooks.delete-verb')}
          tone="danger"
          onClick={() => setDialog('delete')}
        />
      </div>
      {dialog === 'edit' ? (
        <WebhookForm
          hook={hook}
          onClose={close}
          onSaved={(saved) => {
            close();
            onRenamed(saved);
          }}
        />
      ) : null}
      {dialog === 'delete' ? (
        <Confirm
          title={t('hooks.delete-title', { name: hook.name })}
          action={t('hooks.delete-verb')}
          isBusy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={close}
        >
          <p>{t('hooks.delete-text', { table: `${hook.schema}.${hook.table}` })}</p>
        </Confirm>
      ) : null}
    </>
  );
}

function Deliveries({ hook }: { hook: Webhook }) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    deliveriesQuery(hook),
  );
  const deliveries = data?.pages.flatMap((page) => page.deliveries);
  return (
    <section className={classes.section} aria-label={t('hooks.deliveries')}>
      <h3 className={classes.title}>{t('hooks.deliveries')}</h3>
      {error === null ? null : <ProblemBox error={error} />}
      {deliveries === undefined ? null : deliveries.length === 0 ? (
        <p className={classes.note}>
          {t('hooks.deliveries-none', { table: `${hook.schema}.${hook.table}` })}
        </p>
      ) : (
        <ul className={classes.entries}>
          {deliveries.map((delivery) => (
            <DeliveryEntry key={delivery.id} delivery={delivery} />
          ))}
        </ul>
      )}
      <LoadOlder hasMore={hasNextPage} isBusy={isFetchingNextPage} onMore={() => void fetchNextPage()} />
    </section>
  );
}

function DeliveryEntry({ delivery }: { delivery: Delivery }) {
  const { sent_at, answered_at, content, error } = delivery;
  const words = error ?? content;
  return (
    <li className={classes.entry}>
      <div className={classes.entryHead}>
        <DeliveryTag {...delivery} />
        <span className={classes.note}>
          <Moment at={sent_at} seconds />
        </span>
        {answered_at === null ? null : (
          <span className={classes.took}>{durationText(Date.parse(answered_at) - Date.parse(sent_at))}</span>
        )}
      </div>
      {words === null || words === '' ? null : <pre className={classes.words}>{words}</pre>}
    </li>
  );
}
