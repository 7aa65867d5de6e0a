/** Shows a statement's complete text, its statistics and its plan. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Notice } from '../../../ui/notice.tsx';
import { useMay } from '../../api/session.ts';
import { Fact, Facts } from '../../components/facts.tsx';
import { SidePanel } from '../../components/frame/side-panel.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { CodeBlock } from '../../components/json-block.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { PlanView } from '../sql/plan-view.tsx';
import { printSize } from '../storage/sizes.ts';
import { type Advice, planQuery, type StatementDetails, type StatementKey, statementQuery } from './api.ts';
import type { HistoryRange } from './history-api.ts';
import { StatementHistorySection } from './history-panel.tsx';
import { durationText, shareText, wholeText } from './parts.tsx';
import classes from './queries.module.css';
import { t } from './text.ts';

export function StatementPanel({
  statement,
  range,
  onClose,
}: {
  statement: StatementKey;
  /** The period that the page behind the panel shows. */
  range?: HistoryRange | undefined;
  onClose: () => void;
}) {
  const { data, error } = useQuery(statementQuery(statement));
  return (
    <SidePanel title={t('queries.statement')} onClose={onClose} wide>
      {error === null ? null : <ProblemBox error={error} />}
      {data === undefined ? (
        error === null ? (
          <SkeletonLines lines={8} />
        ) : null
      ) : (
        <div className={classes.details}>
          <CodeBlock text={data.text.trim()} what={t('queries.statement')} />
          <Numbers statement={data} />
          <StatementHistorySection statement={statement} initialRange={range} />
          <Plan statement={data} />
        </div>
      )}
      {data === undefined && error !== null ? (
        <StatementHistorySection statement={statement} initialRange={range} />
      ) : null}
    </SidePanel>
  );
}

function Numbers({ statement }: { statement: StatementDetails }) {
  const { calls, rows, cacheHits } = statement;
  return (
    <section className={classes.section} aria-label={t('queries.numbers')}>
      <Facts layout="columns">
        <Fact label={t('queries.role')}>
          <code>{statement.role}</code>
        </Fact>
        <Fact label={t('queries.share')}>{shareText(statement.share)}</Fact>
        <Fact label={t('queries.total')}>{durationText(statement.totalMs)}</Fact>
        <Fact label={t('queries.calls')}>{wholeText(calls)}</Fact>
        <Fact label={t('queries.mean')}>{durationText(statement.meanMs)}</Fact>
        <Fact label={t('queries.min')}>{durationText(statement.minMs)}</Fact>
        <Fact label={t('queries.max')}>{durationText(statement.maxMs)}</Fact>
        <Fact label={t('queries.stddev')}>{durationText(statement.stddevMs)}</Fact>
        <Fact label={t('queries.rows')}>{wholeText(rows)}</Fact>
        <Fact label={t('queries.rows-per-call')}>
          {calls === 0 ? t('queries.none') : (rows / calls).toFixed(rows % calls === 0 ? 0 : 1)}
        </Fact>
        <Fact label={t('queries.cache')}>
          {cacheHits === null ? t('queries.none') : shareText(cacheHits)}
        </Fact>
        <Fact label={t('queries.temporary')}>{printSize(statement.temporaryBytes)}</Fact>
        <Fact label={t('queries.wal')}>{printSize(statement.walBytes)}</Fact>
      </Facts>
    </section>
  );
}

function Plan({ statement: { id, role, hasPlan } }: { statement: StatementDetails }) {
  const mayWrite = useMay('write');
  const [isShown, setShown] = useState(false);
  const { data, error, isFetching } = useQuery({ ...planQuery({ id, role }), enabled: isShown });
  return (
    <section className={classes.section}>
      <h3 className={classes.title}>{t('queries.plan')}</h3>
      {!hasPlan || !mayWrite ? (
        <p className={classes.note}>{t(hasPlan ? 'queries.plan-forbidden' : 'queries.plan-none')}</p>
      ) : (
        <>
          {data === undefined ? (
            <Button
              className={classes.action}
              size="compact-sm"
              variant="default"
              loading={isFetching}
              onClick={() => setShown(true)}
            >
              {t('queries.plan-show')}
            </Button>
          ) : null}
          {error === null ? null : <ProblemBox error={error} />}
          {data === undefined ? null : (
            <>
              <p className={classes.note}>{t('queries.plan-text', { role: data.role })}</p>
              {data.advice.map((advice, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the items never change their order
                <AdviceItem key={index} advice={advice} />
              ))}
              <PlanView plan={data.plan} />
            </>
          )}
        </>
      )}
    </section>
  );
}

function AdviceItem({ advice: { schema, table, rows, kept, filter, index } }: { advice: Advice }) {
  return (
    <Notice tone="warning" title={t('advice.scan')}>
      <p>{t('advice.scan-once', { table: `${schema}.${table}`, rows, kept })}</p>
      <CodeBlock text={filter} what={t('advice.condition', { table: `${schema}.${table}` })} />
      <CodeBlock text={index} what={t('advice.index', { table: `${schema}.${table}` })} />
      <p>
        <Link to="/tables/$schema/$table/structure" params={{ schema, table }}>
          {t('advice.structure', { table: `${schema}.${table}` })}
        </Link>
      </p>
    </Notice>
  );
}
