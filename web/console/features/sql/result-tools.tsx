/** Shows a result's row count and duration, and its table, chart, copy and export buttons. */
import { Button } from '@mantine/core';
import { IconChartBar, IconFileTypeCsv, IconJson, IconTable } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { useMay } from '../../api/session.ts';
import { ActionMenu } from '../../components/action-menu.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { downloadResult, type ExportRequest } from './api.ts';
import type { StatementResult } from './outcome.ts';
import classes from './results.module.css';
import { t } from './text.ts';

export type ExportContext = Pick<ExportRequest, 'text' | 'as' | 'parameters' | 'name'>;

/**
 * Matches statements that change data. The results of such statements can't be exported, because an export runs the
 * statement again.
 */
const changesData = /^(?:INSERT|UPDATE|DELETE|MERGE)\b/;

export function ResultTools({
  result,
  exported,
  hasTab,
  showsChart,
  canChart,
  onShowChart,
}: {
  result: StatementResult;
  /** The request for the complete result. */
  exported: ExportContext;
  /** Whether a tab already shows the row count and the duration. */
  hasTab: boolean;
  showsChart: boolean;
  canChart: boolean;
  onShowChart: (shows: boolean) => void;
}) {
  const { rows, columns, more, tag, ms } = result;
  const mayWrite = useMay('write');
  const { mutate, isPending, error } = useMutation({
    mutationFn: (file: Pick<ExportRequest, 'format' | 'guarded'>) =>
      downloadResult({ ...exported, ...file }, mayWrite),
  });
  if (ms === undefined) return null;
  return (
    <>
      <div className={classes.foot}>
        {hasTab && !more && rows.length > 0 ? null : (
          <span>
            {more
              ? t('sql.more', { count: rows.length })
              : columns.length === 0
                ? tag
                : rows.length === 0
                  ? t('sql.no-rows')
                  : t('sql.rows', { count: rows.length })}
          </span>
        )}
        {hasTab ? null : <span>{t('sql.ms', { ms })}</span>}
        {rows.length === 0 ? null : (
          <span className={classes.tools}>
            {canChart ? (
              <Button.Group>
                <ViewButton
                  icon={<IconTable size={14} aria-hidden />}
                  isCurrent={!showsChart}
                  onClick={() => onShowChart(false)}
                >
                  {t('sql.view-table')}
                </ViewButton>
                <ViewButton
                  icon={<IconChartBar size={14} aria-hidden />}
                  isCurrent={showsChart}
                  onClick={() => onShowChart(true)}
                >
                  {t('sql.view-chart')}
                </ViewButton>
              </Button.Group>
            ) : null}
            <CopyButton value={asTsv(rows)} what={t('sql.copy-rows')} />
            {changesData.test(tag ?? '') ? null : (
              <ActionMenu
                label={t('sql.export')}
                isBusy={isPending}
                actions={[
                  {
                    label: t('sql.export-csv'),
                    icon: <IconFileTypeCsv size={16} aria-hidden />,
                    onChoose: () => mutate({ format: 'csv', guarded: true }),
                  },
                  {
                    label: t('sql.export-csv-exact'),
                    icon: <IconFileTypeCsv size={16} aria-hidden />,
                    onChoose: () => mutate({ format: 'csv', guarded: false }),
                  },
                  {
                    label: t('sql.export-json'),
                    icon: <IconJson size={16} aria-hidden />,
                    onChoose: () => mutate({ format: 'json' }),
                  },
                ]}
              />
            )}
          </span>
        )}
      </div>
      {error === null ? null : <ProblemBox error={error} />}
    </>
  );
}

function ViewButton({
  icon,
  isCurrent,
  onClick,
  children,
}: {
  icon: ReactNode;
  isCurrent: boolean;
  onClick: () => void;
  children: string;
}) {
  return (
    <Button
      size="compact-sm"
      variant="default"
      className={classes.view}
      leftSection={icon}
      aria-pressed={isCurrent}
      onClick={onClick}
    >
      {children}
    </Button>
  );
}

const asTsv = (rows: StatementResult['rows']): string =>
  rows.map((row) => row.map((cell) => (cell ?? '').replaceAll(/[\t\n\r]+/g, ' ')).join('\t')).join('\n');
