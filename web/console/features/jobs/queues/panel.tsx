/** Shows a queue with its messages and actions. */
import { IconEraser, IconSend, IconTable, IconTrash } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Notice } from '../../../../ui/notice.tsx';
import { fetchConsole, useMay } from '../../../api/session.ts';
import { Confirm } from '../../../components/confirm.tsx';
import { Fact, Facts } from '../../../components/facts.tsx';
import { SidePanel } from '../../../components/frame/side-panel.tsx';
import { Moment } from '../../../components/moment.tsx';
import { messagesKey, type Queue, queuesQuery } from '../api.ts';
import classes from '../jobs.module.css';
import { PanelAction } from '../panel-action.tsx';
import { t } from '../text.ts';
import { Messages } from './messages.tsx';
import { ageText, countText, QueueTags } from './queue-parts.tsx';
import { SendMessage } from './send.tsx';

export function QueuePanel({ queue, onClose }: { queue: Queue; onClose: () => void }) {
  const mayWrite = useMay('write');
  const { name, length, visible, oldest_seconds, newest_seconds, total, table, created_at } = queue;
  return (
    <SidePanel title={name} onClose={onClose} wide>
      <div className={classes.details}>
        {mayWrite ? <Actions name={name} onDropped={onClose} /> : null}
        <Facts className={classes.facts}>
          <Fact label={t('queues.length')}>{countText(length)}</Fact>
          <Fact label={t('queues.visible')}>{countText(visible)}</Fact>
          <Fact label={t('queues.oldest')}>{ageText(oldest_seconds)}</Fact>
          <Fact label={t('queues.newest')}>{ageText(newest_seconds)}</Fact>
          <Fact label={t('queues.total')}>{countText(total)}</Fact>
          <Fact label={t('queues.created')}>
            <Moment at={created_at} />
          </Fact>
          <Fact label={t('queues.table')}>
            <span className={classes.actions}>
              <Link to="/tables/$schema/$table" params={{ schema: 'pgmq', table }} className={classes.link}>
                <IconTable size={14} aria-hidden />
                pgmq.{table}
              </Link>
              <QueueTags queue={queue} />
            </span>
          </Fact>
        </Facts>
        <Messages queue={name} />
      </div>
    </SidePanel>
  );
}

function Actions({ name, onDropped }: { name: string; onDropped: () => void }) {
  const queryClient = useQueryClient();
  const [dialog, setDialog] = useState<'send' | 'purge' | 'drop'>();
  const [sentId, setSentId] = useState<string>();
  const close = (): void => setDialog(undefined);
  const refresh = () => queryClient.invalidateQueries({ queryKey: queuesQuery.queryKey });
  const purge = useMutation({
    mutationFn: () => fetchConsole('POST /jobs/queues/:queue/purge', { params: { queue: name } }),
    onSuccess: async () => {
      close();
      await Promise.all([refresh(), queryClient.invalidateQueries({ queryKey: messagesKey(name) })]);
    },
  });
  const drop = useMutation({
    mutationFn: () => fetchConsole('DELETE /jobs/queues/:queue', { params: { queue: name } }),
    onSuccess: async () => {
      onDropped();
      await refresh();
    },
  });
  return (
    <>
      <div className={classes.actions}>
        <PanelAction
          icon={IconSend}
          label={t('queues.send')}
          tone="primary"
          onClick={() => setDialog('send')}
        />
        <PanelAction icon={IconEraser} label={t('queues.purge')} onClick={() => setDialog('purge')} />
        <PanelAction
          icon={IconTrash}
          label={t('queues.drop')}
          tone="danger"
          onClick={() => setDialog('drop')}
        />
      </div>
      <div role="status" className={classes.status}>
        {sentId === undefined ? null : (
          <Notice tone="success">
            <p>{t('queues.sent-one', { id: sentId })}</p>
          </Notice>
        )}
      </div>
      {dialog === 'send' ? (
        <SendMessage
          queue={name}
          onClose={close}
          onSent={(id) => {
            close();
            setSentId(id);
          }}
        />
      ) : null}
      {dialog === 'purge' ? (
        <Confirm
          title={t('queues.purge-title', { name })}
          action={t('queues.purge')}
          typed={name}
          isBusy={purge.isPending}
          error={purge.error}
          onConfirm={() => purge.mutate()}
          onClose={close}
        >
          <p>{t('queues.purge-text')}</p>
        </Confirm>
      ) : null}
      {dialog === 'drop' ? (
        <Confirm
          title={t('queues.drop-title', { name })}
          action={t('queues.drop')}
          typed={name}
          isBusy={drop.isPending}
          error={drop.error}
          onConfirm={() => drop.mutate()}
          onClose={close}
        >
          <p>{t('queues.drop-text')}</p>
        </Confirm>
      ) : null}
    </>
  );
}
