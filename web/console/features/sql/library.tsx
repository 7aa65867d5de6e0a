/** The history and saved queries. */
import { ActionIcon, Button } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { fetchConsole, useMay } from '../../api/session.ts';
import { Moment } from '../../components/moment.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { Tag } from '../../components/tag.tsx';
import { historyQuery, savedQuery } from './api.ts';
import classes from './library.module.css';
import { t } from './text.ts';

export function Library({
  onOpen,
  onClose,
}: {
  onOpen: (text: string, name?: string) => void;
  onClose: () => void;
}) {
  return (
    <SidePanel title={t('sql.library')} onClose={onClose}>
      <Saved onOpen={onOpen} />
      <History onOpen={onOpen} />
    </SidePanel>
  );
}

function Saved({ onOpen }: { onOpen: (text: string, name: string) => void }) {
  const queryClient = useQueryClient();
  const mayWrite = useMay('write');
  const { data, error } = useQuery(savedQuery);
  const { mutate: remove, error: rejected } = useMutation({
    mutationFn: (id: string) => fetchConsole('DELETE /sql/saved/:id', { params: { id } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: savedQuery.queryKey }),
  });
  const problem = error ?? rejected;
  return (
    <section className={classes.section}>
      <h2 className={classes.title}>{t('sql.saved')}</h2>
      {problem === null ? null : <ProblemBox error={problem} />}
      {data?.length === 0 ? <p className={classes.none}>{t('sql.saved-none')}</p> : null}
      <ul className={classes.list}>
        {data?.map(({ id, name, text, saved_by, saved_at }) => (
          <li key={id} className={classes.entry}>
            <button type="button" className={classes.open} onClick={() => onOpen(text, name)}>
              <span className={classes.name}>{name}</span>
              <span className={classes.dim}>
                {t('sql.saved-by', { name: saved_by })} · <Moment at={saved_at} relative />
              </span>
            </button>
            {mayWrite ? (
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t('sql.delete', { name })}
                onClick={() => remove(id)}
              >
                <IconTrash size={15} aria-hidden />
              </ActionIcon>
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  );
}

function History({ onOpen }: { onOpen: (text: string) => void }) {
  const queryClient = useQueryClient();
  const { data, error } = useQuery(historyQuery);
  const { mutate: clear, isPending } = useMutation({
    mutationFn: () => fetchConsole('DELETE /sql/history'),
    onSettled: () => queryClient.invalidateQueries({ queryKey: historyQuery.queryKey }),
  });
  return (
    <section className={classes.section}>
      <div className={classes.head}>
        <h2 className={classes.title}>{t('sql.history')}</h2>
        {data === undefined || data.length === 0 ? null : (
          <Button size="compact-xs" variant="default" loading={isPending} onClick={() => clear()}>
            {t('sql.history-clear')}
          </Button>
        )}
      </div>
      {error === null ? null : <ProblemBox error={error} />}
      {data?.length === 0 ? <p className={classes.none}>{t('sql.history-none')}</p> : null}
      <ul className={classes.list}>
        {data?.map(({ id, text, persona, error: failure, duration_ms, at }) => (
          <li key={id} className={classes.entry}>
            <button type="button" className={classes.open} onClick={() => onOpen(text)}>
              <code className={classes.code}>{text.slice(0, 200)}</code>
              <span className={classes.dim}>
                <Moment at={at} relative /> · {t('sql.ms', { ms: duration_ms })}
                {persona === 'operator' ? '' : ` · ${persona.slice(0, 16)}`}{' '}
                {failure === null ? null : <Tag tone="danger">{failure.slice(0, 80)}</Tag>}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
