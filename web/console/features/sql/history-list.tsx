import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { fetchConsole } from '../../api/session.ts';
import { Moment } from '../../components/moment.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { Tag } from '../../components/tag.tsx';
import { historyQuery } from './api.ts';
import classes from './library.module.css';
import { t } from './library-text.ts';
import type { Matcher, OpenQuery } from './library-types.ts';

/** Lists the queries that the operator has run. */
export function History({ matches, onOpen }: { matches: Matcher; onOpen: OpenQuery }) {
  const queryClient = useQueryClient();
  const { data, error } = useQuery(historyQuery);
  const { mutate: clear, isPending } = useMutation({
    mutationFn: () => fetchConsole('DELETE /sql/history'),
    onSettled: () => queryClient.invalidateQueries({ queryKey: historyQuery.queryKey }),
  });
  const shown = data?.filter(({ text }) => matches(text)) ?? [];
  return (
    <section className={classes.section}>
      <div className={classes.head}>
        <h2 className={classes.title}>{t('library.history')}</h2>
        {data === undefined || data.length === 0 ? null : (
          <Button size="compact-xs" variant="default" loading={isPending} onClick={() => clear()}>
            {t('library.history-clear')}
          </Button>
        )}
      </div>
      {error === null ? null : <ProblemBox error={error} />}
      {data === undefined || shown.length > 0 ? null : (
        <p className={classes.none}>{t(data.length === 0 ? 'library.history-none' : 'library.nothing')}</p>
      )}
      <ul className={classes.list}>
        {shown.map(({ id, text, persona, error: failure, duration_ms, at }) => (
          <li key={id} className={classes.entry}>
            <button type="button" className={classes.open} onClick={() => onOpen({ text })}>
              <code className={classes.code}>{text.slice(0, 200)}</code>
              <span className={classes.dim}>
                <Moment at={at} relative /> · {t('library.ms', { ms: duration_ms })}
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
