/** The results of a run, with a tab for each statement. */
import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Suspense, useId, useState } from 'react';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { lazyPart } from '../../components/lazy-part.ts';
import { Tag } from '../../components/tag.tsx';
import type { ChartChoice } from './api.ts';
import { CellPanel } from './cell-panel.tsx';
import { defaultChart, fittingChart } from './chart-data.ts';
import { Fault, NoticeLine } from './fault.tsx';
import type { RunOutcome, StatementResult } from './outcome.ts';
import { ResultTable } from './result-table.tsx';
import { panelId, ResultTabs, tabId } from './result-tabs.tsx';
import { ResultTools } from './result-tools.tsx';
import classes from './results.module.css';
import { t } from './text.ts';
import type { RunInput } from './use-run.ts';

const ChartView = lazyPart(() => import('./chart-view.tsx'));

export type Charts = Readonly<Record<string, ChartChoice>>;

export interface ChartStore {
  readonly charts: Charts;
  /** Stores the operator's choice of a chart for a result. The value undefined shows the table. */
  readonly onChange: (index: number, choice: ChartChoice | undefined) => void;
}

export function Results({
  text,
  name,
  run,
  request,
  isRunning,
  charts,
  onShow,
}: {
  /** The editor's text when the run started. */
  text: string;
  /** The name of the query, for exported files. */
  name: string | undefined;
  run: RunOutcome;
  /** The options of the run. */
  request: RunInput | undefined;
  isRunning: boolean;
  charts: ChartStore;
  onShow: (at: number) => void;
}) {
  const base = useId();
  const { statements } = run;
  // The selected tab stays selected when a run is repeated, because the repeated run has the same statements.
  const shape = statements.map(({ start }) => start).join();
  const [chosen, setChosen] = useState<{ readonly shape: string; readonly index: number }>();
  const current = chosen?.shape === shape ? chosen.index : indexToShow(statements);
  const result = statements[current];
  return (
    <div className={classes.list}>
      <div className={classes.state} role="status">
        {isRunning && run.outcome === undefined ? t('sql.running') : <Outcome run={run} />}
      </div>
      {run.error === undefined ? null : <Fault text={text} error={run.error} onShow={onShow} />}
      {statements.length > 1 ? (
        <ResultTabs
          base={base}
          text={text}
          results={statements}
          current={current}
          onChange={(index) => setChosen({ shape, index })}
        />
      ) : null}
      {result === undefined ? null : (
        <Statement
          key={`${shape}:${current}`}
          {...(statements.length > 1
            ? { id: panelId(base), role: 'tabpanel', 'aria-labelledby': tabId(base, current) }
            : { 'aria-label': t('sql.result', { number: 1 }) })}
          text={text}
          name={name}
          result={result}
          request={request}
          title={t('sql.result', { number: current + 1 })}
          chart={charts.charts[current]}
          onChart={(choice) => charts.onChange(current, choice)}
          onShow={onShow}
        />
      )}
    </div>
  );
}

/** Returns the index of the statement that failed, or of the last statement that returned rows. */
function indexToShow(statements: readonly StatementResult[]): number {
  const failed = statements.findIndex(({ error }) => error !== undefined);
  if (failed >= 0) return failed;
  const withRows = statements.findLastIndex(({ columns }) => columns.length > 0);
  return withRows >= 0 ? withRows : Math.max(0, statements.length - 1);
}

function Outcome({ run: { outcome, ms, undo } }: { run: RunOutcome }) {
  if (outcome === undefined) return null;
  const words = {
    committed: 'sql.committed',
    'rolled back': 'sql.rolled-back',
    ended: 'sql.ended',
    'left open': 'sql.left-open',
  } as const;
  return (
    <>
      <Tag tone={outcome === 'committed' ? 'success' : outcome === 'left open' ? 'warning' : 'plain'}>
        {t(words[outcome])}
      </Tag>
      <span>{t('sql.ms', { ms })}</span>
      {undo === undefined ? null : (
        <Anchor component={Link} to="/undo/$id" params={{ id: String(undo.id) } as never} inherit>
          {t(undo.isPartial ? 'sql.undo-partly' : 'sql.undo')}
        </Anchor>
      )}
    </>
  );
}

function Statement({
  text,
  name,
  result,
  request,
  title,
  chart,
  onChart,
  onShow,
  ...panel
}: {
  text: string;
  name: string | undefined;
  result: StatementResult;
  request: RunInput | undefined;
  title: string;
  chart: ChartChoice | undefined;
  onChart: (choice: ChartChoice | undefined) => void;
  onShow: (at: number) => void;
} & React.AriaAttributes & { id?: string; role?: string }) {
  const { columns, rows, cut, notices, error } = result;
  const [open, setOpen] = useState<readonly [number, number]>();
  const drawn = fittingChart(chart, columns);
  const first = defaultChart(columns);
  const source = text.slice(result.start, result.end);
  const label = t('sql.rows-of', { title });
  const { as, parameters, timeoutMs } = request ?? {};
  return (
    <section className={classes.statement} {...panel}>
      {notices.map((notice, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: notices are only added at the end
        <NoticeLine key={index} notice={notice} />
      ))}
      {error === undefined ? null : <Fault text={text} error={error} onShow={onShow} />}
      <ResultTools
        result={result}
        exported={{ text: source, as, parameters, name: name ?? 'query' }}
        hasTab={panel.role === 'tabpanel'}
        showsChart={drawn !== undefined}
        canChart={first !== undefined}
        onShowChart={(shows) => onChart(shows ? first : undefined)}
      />
      {columns.length === 0 || rows.length === 0 ? null : drawn === undefined ? (
        <ResultTable
          label={label}
          columns={columns}
          rows={rows}
          cut={cut}
          onOpen={(row, column) => setOpen([row, column])}
        />
      ) : (
        <Suspense fallback={<SkeletonLines lines={6} />}>
          <ChartView
            columns={columns}
            rows={rows}
            choice={drawn}
            label={t('chart.of', { title })}
            onChange={onChart}
          />
        </Suspense>
      )}
      {open === undefined ? null : (
        <CellPanel
          name={columns[open[1]]?.name ?? ''}
          shown={rows[open[0]]?.[open[1]] ?? ''}
          again={
            cut.has(open.join(':'))
              ? { text: source, as, parameters, timeoutMs, row: open[0], column: open[1] }
              : undefined
          }
          onClose={() => setOpen(undefined)}
        />
      )}
    </section>
  );
}
