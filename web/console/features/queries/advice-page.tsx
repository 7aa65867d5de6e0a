/** Advice about the whole database: missing indexes. */
import { IconCircleCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { EmptyState } from '../../components/empty-state.tsx';
import list from '../../components/list.module.css';
import { ProblemBox } from '../../components/problem-box.tsx';
import { SkeletonLines } from '../../components/skeleton.tsx';
import { AdviceItem } from './advice-item.tsx';
import { adviceQuery } from './api.ts';
import classes from './queries.module.css';
import { t } from './text.ts';

export function AdvicePage() {
  const { data, error } = useQuery(adviceQuery);
  return (
    <div className={list.scroll}>
      {error === null ? null : <ProblemBox error={error} />}
      {data === undefined ? (
        error === null ? (
          <SkeletonLines lines={8} />
        ) : null
      ) : data.length === 0 ? (
        <EmptyState
          icon={<IconCircleCheck size={22} stroke={1.75} />}
          title={t('advice.none-title')}
          text={t('advice.none-text')}
        />
      ) : (
        <div className={classes.advice}>
          {data.map((advice) => (
            <AdviceItem
              key={`${advice.kind} ${advice.schema} ${advice.table} ${advice.kind === 'foreign-key' ? advice.constraint : ''}`}
              advice={advice}
            />
          ))}
        </div>
      )}
    </div>
  );
}
