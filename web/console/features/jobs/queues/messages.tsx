/** Lists the messages in a queue or its archive. Viewing messages doesn't affect the queue's consumers. */
import { Button, Checkbox, NativeSelect } from '@mantine/core';
import { IconArchive, IconTrash } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { formatDateTime } from '../../../../lib/i18n.ts';
import { fetchConsole, useMay } from '../../../api/session.ts';
import { Confirm } from '../../../components/confirm.tsx';
import { CodeBlock } from '../../../components/json-block.tsx';
import { Moment } from '../../../components/moment.tsx';
import { ProblemBox } from '../../../components/problem-box.tsx';
import { Tag } from '../../../components/tag.tsx';
import {
  fetchMessage,
  type MessageSource,
  messagesKey,
  messagesQuery,
  type QueueMessage,
  queuesQuery,
} from '../api.ts';
import classes from '../jobs.module.css';
import { LoadOlder } from '../parts.tsx';
import { t } from '../text.ts';

const route = getRouteApi('/app/jobs/queues');

export function Messages({ queue }: { queue: string }) {
  const { of = 'queue' } = route.useSearch();
  const navigate = route.useNavigate();
  const mayWrite = useMay('write');
  const [selected, setSelected] = useState<readonly string[]>([]);
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    messagesQuery(queue, of),
  );
  const messages = data?.pages.flatMap((page) => page.messages);
  // Messages that consumers have since received are no longer selected.
  const chosen = selected.filter((id) => messages?.some((message) => message.id === id));
  return (
    <section className={classes.section} aria-label={t('queues.length')}>
      <div className={classes.sectionHead}>
        <h3 className={classes.title}>{t('queues.length')}</h3>
        <NativeSelect
          size="xs"
          aria-label={t('queues.place')}
          value={of}
          data={[
            { value: 'queue', label: t('queues.in-queue') },
            { value: 'archive', label: t('queues.in-archive') },
          ]}
          onChange={(event) => {
            setSelected([]);
            void navigate({
              search: { id: queue, ...(event.currentTarget.value === 'archive' ? { of: 'archive' } : {}) },
              replace: true,
            });
          }}
        />
      </div>
      {chosen.length === 0 ? null : <Taking queue={queue} ids={chosen} onTaken={() => setSelected([])} />}
      {error === null ? null : <ProblemBox error={error} />}
      {messages === undefined ? null : messages.length === 0 ? (
        <p className={classes.note}>{t(of === 'queue' ? 'queues.empty' : 'queues.archive-empty')}</p>
      ) : (
        <ul className={classes.entries}>
          {messages.map((message) => (
            <li key={message.id} className={classes.entry}>
              <div className={classes.entryHead}>
                {mayWrite && of === 'queue' ? (
                  <Checkbox
                    size="xs"
                    label={t('queues.select', { id: message.id })}
                    checked={selected.includes(message.id)}
                    onChange={(event) =>
                      setSelected(
                        event.currentTarget.checked
                          ? [...selected, message.id]
                          : selected.filter((id) => id !== message.id),
                      )
                    }
                  />
                ) : (
                  <span>{t('queues.select', { id: message.id })}</span>
                )}
                <Facts message={message} />
              </div>
              <Body queue={queue} of={of} message={message} />
            </li>
          ))}
        </ul>
      )}
      <LoadOlder hasMore={hasNextPage} isBusy={isFetchingNextPage} onMore={() => void fetchNextPage()} />
    </section>
  );
}

function Facts({ message }: { message: QueueMessage }) {
  const { enqueued_at, read_count, is_hidden, visible_at, archived_at } = message;
  return (
    <>
      <span className={classes.note}>
        <Moment at={enqueued_at} seconds />
      </span>
      <span className={classes.note}>{t('queues.read', { count: read_count })}</span>
      {archived_at === null && is_hidden ? (
        <Tag tone="info">{t('queues.hidden-until', { time: formatDateTime(visible_at) })}</Tag>
      ) : null}
      {archived_at === null ? null : (
        <span className={classes.note}>{t('queues.archived-at', { time: formatDateTime(archived_at) })}</span>
      )}
    </>
  );
}

function Body({ queue, of, message }: { queue: string; of: MessageSource; message: QueueMessage }) {
  const whole = useMutation({ mutationFn: () => fetchMessage(queue, of, message.id) });
  const text = whole.data?.message ?? message.message ?? '';
  const isCut = message.message_chars !== null && text.length < message.message_chars;
  return (
    <>
      <CodeBlock text={text} what={t('queues.body', { id: message.id })} />
      {message.headers === null ? null : (
        <CodeBlock text={message.headers} what={t('queues.headers-of', { id: message.id })} />
      )}
      {isCut && whole.data === undefined ? (
        <div>
          <Button
            size="compact-xs"
            variant="default"
            loading={whole.isPending}
            onClick={() => whole.mutate()}
          >
            {t('queues.whole', { chars: message.message_chars })}
          </Button>
        </div>
      ) : null}
      {whole.error === null ? null : <ProblemBox error={whole.error} />}
    </>
  );
}

function Taking({ queue, ids, onTaken }: { queue: string; ids: readonly string[]; onTaken: () => void }) {
  const queryClient = useQueryClient();
  const [isConfirming, setConfirming] = useState(false);
  const { mutate, isPending, error } = useMutation({
    mutationFn: (how: 'archive' | 'remove') =>
      fetchConsole(`POST /jobs/queues/:queue/messages/${how}`, { params: { queue }, body: { ids } }),
    onSuccess: async () => {
      setConfirming(false);
      onTaken();
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: messagesKey(queue) }),
        queryClient.invalidateQueries({ queryKey: queuesQuery.queryKey }),
      ]);
    },
  });
  const count = ids.length;
  return (
    <>
      <div className={classes.actions}>
        <Button
          size="compact-sm"
          variant="default"
          loading={isPending && !isConfirming}
          leftSection={<IconArchive size={15} aria-hidden />}
          onClick={() => mutate('archive')}
        >
          {t('queues.archive', { count })}
        </Button>
        <Button
          size="compact-sm"
          variant="light"
          color="red"
          leftSection={<IconTrash size={15} aria-hidden />}
          onClick={() => setConfirming(true)}
        >
          {t('queues.remove', { count })}
        </Button>
      </div>
      {error === null || isConfirming ? null : <ProblemBox error={error} />}
      {isConfirming ? (
        <Confirm
          title={t('queues.remove-title', { count })}
          action={t('queues.remove', { count })}
          isBusy={isPending}
          error={error}
          onConfirm={() => mutate('remove')}
          onClose={() => setConfirming(false)}
        >
          <p>{t('queues.remove-text')}</p>
        </Confirm>
      ) : null}
    </>
  );
}
