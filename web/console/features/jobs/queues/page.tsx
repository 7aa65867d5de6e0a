/** The list of message queues (pgmq). */

import { Checkbox, TextInput } from '@mantine/core';
import { IconStack2 } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { fetchConsole } from '../../../api/session.ts';
import { FormDialog } from '../../../components/form-dialog.tsx';
import list from '../../../components/list.module.css';
import { type Queue, queuesQuery } from '../api.ts';
import { Entries } from '../entries.tsx';
import classes from '../jobs.module.css';
import { Enabled } from '../parts.tsx';
import { t } from '../text.ts';
import { QueuePanel } from './panel.tsx';
import { ageText, countText, QueueTags } from './queue-parts.tsx';

const route = getRouteApi('/app/jobs/queues');

export function QueuesPage() {
  return (
    <Enabled
      extension="pgmq"
      stateOf={({ queues }) => queues}
      icon={<IconStack2 size={22} stroke={1.75} />}
      title={t('queues.off-title')}
      text={t('queues.off-text')}
    >
      <Queues />
    </Enabled>
  );
}

function Queues() {
  const { id } = route.useSearch();
  const navigate = route.useNavigate();
  const [isCreating, setCreating] = useState(false);
  const { data, error } = useQuery(queuesQuery);
  const open = data?.find(({ name }) => name === id);
  return (
    <>
      <Entries
        entries={data}
        error={error}
        add={{ label: t('queues.new'), onClick: () => setCreating(true) }}
        none={{
          icon: <IconStack2 size={22} stroke={1.75} />,
          title: t('queues.none-title'),
          text: t('queues.none-text'),
        }}
        missing={
          id === undefined || data === undefined || open !== undefined
            ? undefined
            : { title: t('queues.not-found', { name: id }), onBack: () => void navigate({ search: {} }) }
        }
      >
        {(all) => <QueueTable queues={all} openName={id} />}
      </Entries>
      {isCreating ? (
        <NewQueue
          onClose={() => setCreating(false)}
          onCreated={(name) => {
            setCreating(false);
            void navigate({ search: { id: name } });
          }}
        />
      ) : null}
      {open === undefined ? null : (
        <QueuePanel key={open.name} queue={open} onClose={() => void navigate({ search: {} })} />
      )}
    </>
  );
}

function QueueTable({ queues, openName }: { queues: readonly Queue[]; openName: string | undefined }) {
  return (
    <table className={`${list.table} ${list.wraps}`}>
      <caption className="visually-hidden">{t('jobs.queues')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('queues.name')}</th>
          <th scope="col" className={list.number}>
            {t('queues.length')}
          </th>
          <th scope="col" className={`${list.wide} ${list.number}`}>
            {t('queues.visible')}
          </th>
          <th scope="col">{t('queues.oldest')}</th>
          <th scope="col" className={`${list.wide} ${list.number}`}>
            {t('queues.total')}
          </th>
        </tr>
      </thead>
      <tbody>
        {queues.map((queue) => (
          <tr key={queue.name} data-open={queue.name === openName || undefined}>
            <td>
              <span className={list.named}>
                <Link to="/jobs/queues" search={{ id: queue.name }} className={list.main}>
                  {queue.name}
                </Link>
                <QueueTags queue={queue} />
              </span>
            </td>
            <td className={list.number}>{countText(queue.length)}</td>
            <td className={`${list.wide} ${list.number}`}>{countText(queue.visible)}</td>
            <td className={list.dim}>
              <span className={classes.age}>{ageText(queue.oldest_seconds)}</span>
            </td>
            <td className={`${list.wide} ${list.number} ${list.dim}`}>{countText(queue.total)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function NewQueue({ onClose, onCreated }: { onClose: () => void; onCreated: (name: string) => void }) {
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const [unlogged, setUnlogged] = useState(false);
  const [rls, setRls] = useState(true);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => fetchConsole('POST /jobs/queues', { body: { name, unlogged, rls } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: queuesQuery.queryKey });
      onCreated(name);
    },
  });
  return (
    <FormDialog
      title={t('queues.new')}
      action={t('queues.create')}
      isBusy={isPending}
      error={error}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <TextInput
        label={t('queues.name')}
        description={t('queues.name-help')}
        required
        maxLength={47}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Checkbox
        label={t('queues.rls')}
        description={t('queues.rls-why')}
        checked={rls}
        onChange={(event) => setRls(event.currentTarget.checked)}
      />
      <Checkbox
        label={t('queues.unlogged')}
        description={t('queues.unlogged-why')}
        checked={unlogged}
        onChange={(event) => setUnlogged(event.currentTarget.checked)}
      />
    </FormDialog>
  );
}
