/** Shows the statements of a period, and compares them before and after a change. */
import { Checkbox, NativeSelect } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Suspense } from 'react';
import { formatDateTime } from '../../../lib/i18n.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Card, Cards } from '../../components/frame/card.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { lazyPart } from '../../components/lazy-part.ts';
import { ProblemBox } from '../../components/problem-box.tsx';
import { defaultRange, type HistorySearch, historyQuery, type StatementHistory } from './history-api.ts';
import { markLabel, roleChart } from './history-charts.ts';
import { RangeSelect } from './history-panel.tsx';
import { HistoryTable } from './history-table.tsx';
import classes from './queries.module.css';
import { StatementPanel } from './statement-panel.tsx';
import { t } from './text.ts';

const LineChart = lazyPart(() => import('../metrics/chart.tsx'));
const route = getRouteApi('/app/queries/history');

type Changes = { [Name in keyof HistorySearch]?: HistorySearch[Name] | undefined };

export function HistoryPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error } = useQuery(historyQuery(search));
  const change = (next: Changes): void =>
    void navigate({
      search: (previous) =>
        Object.fromEntries(
          Object.entries({ ...previous, ...next }).filter(([, value]) => value !== undefined),
        ),
      replace: true,
    });
  const range = search.range ?? defaultRange;
  return (
    <>
      <div className={classes.bar}>
        <Filters search={search} data={data} onChange={change} />
        <span className={classes.note}>
          {data?.isRedacted ? `${t('queries.redacted')} ` : null}
          {data?.since == null ? null : t('history.since', { time: formatDateTime(data.since) })}
        </span>
      </div>
      <Cards>
        {error === null ? null : <ProblemBox error={error} />}
        {data === undefined ? (
          error === null ? (
            <SkeletonLines lines={12} />
          ) : null
        ) : data.state !== 'on' ? (
          <EmptyState
            icon={<IconHistory size={22} stroke={1.75} />}
            title={t(data.state === 'off' ? 'queries.off-title' : 'history.hosted-title')}
            text={t(data.state === 'off' ? 'queries.off-text' : 'history.hosted-text')}
          />
        ) : data.statements.length === 0 ? (
          <EmptyState
            icon={<IconHistory size={22} stroke={1.75} />}
            title={t('history.none-title')}
            text={t('history.none-text')}
          />
        ) : (
          <>
            <Card title={t('history.load')} text={t('history.load-text')}>
              <Suspense fallback={<SkeletonLines lines={8} />}>
                <LineChart chart={roleChart(data)} what={t('history.load')} />
              </Suspense>
            </Card>
            <Card title={t('queries.statements')} text={t('history.statements-text')} flush>
              <HistoryTable
                statements={data.statements}
                isSplit={search.split !== undefined}
                openId={search.id}
                openRole={search.as}
                onOpen={({ id, role }) =>
                  void navigate({ search: (previous) => ({ ...previous, id, as: role }) })
                }
              />
            </Card>
          </>
        )}
      </Cards>
      {search.id === undefined || search.as === undefined ? null : (
        <StatementPanel
          statement={{ id: search.id, role: search.as }}
          range={range}
          onClose={() => void navigate({ search: ({ id: _id, as: _as, ...rest }) => rest })}
        />
      )}
    </>
  );
}

function Filters({
  search: { range = defaultRange, role = '', services, split },
  data,
  onChange,
}: {
  search: HistorySearch;
  data: StatementHistory | undefined;
  onChange: (next: Changes) => void;
}) {
  const marks = data?.period.marks ?? [];
  const roles = [
    ...new Set([...(data?.roles ?? []).map((each) => each.role), ...(role === '' ? [] : [role])]),
  ];
  const isKnown = split === undefined || marks.some(({ at }) => at === split);
  return (
    <div className={classes.filters}>
      <RangeSelect
        range={range}
        onChange={(next) => onChange({ range: next === defaultRange ? undefined : next, split: undefined })}
      />
      <NativeSelect
        size="xs"
        aria-label={t('queries.role')}
        value={role}
        data={[
          { value: '', label: t('queries.every-role') },
          ...roles.toSorted().map((name) => ({ value: name, label: name })),
        ]}
        onChange={(event) => onChange({ role: event.currentTarget.value || undefined })}
      />
      <NativeSelect
        size="xs"
        aria-label={t('history.compare')}
        value={split === undefined ? '' : String(split)}
        data={[
          { value: '', label: t('history.compare-none') },
          ...marks.toReversed().map((mark) => ({ value: String(mark.at), label: markLabel(mark) })),
          ...(isKnown
            ? []
            : [{ value: String(split), label: formatDateTime(new Date(split ?? 0).toISOString()) }]),
        ].filter(({ value }, index, all) => all.findIndex((each) => each.value === value) === index)}
        onChange={(event) => {
          const { value } = event.currentTarget;
          onChange({ split: value === '' ? undefined : Number(value) });
        }}
      />
      <Checkbox
        size="xs"
        label={t('queries.services')}
        checked={services === true}
        onChange={(event) => onChange({ services: event.currentTarget.checked ? true : undefined })}
      />
    </div>
  );
}
