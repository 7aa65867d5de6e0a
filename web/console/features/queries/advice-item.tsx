import { Link } from '@tanstack/react-router';
import { Notice } from '../../../ui/notice.tsx';
import { CodeBlock } from '../../components/json-block.tsx';
import type { Advice } from './api.ts';
import classes from './queries.module.css';
import { t } from './text.ts';

export function AdviceItem({ advice }: { advice: Advice }) {
  const table = `${advice.schema}.${advice.table}`;
  if (advice.kind === 'foreign-key')
    return (
      <Notice tone="info" title={t('advice.foreign-key')}>
        <p>{t('advice.foreign-key-text', { table, columns: advice.columns.join(', ') })}</p>
        <CodeBlock text={advice.fix} what={t('advice.fix')} />
      </Notice>
    );
  const { scans, rows, filter } = advice;
  return (
    <Notice tone="warning" title={t('advice.scan')}>
      <p>
        {scans === null
          ? t('advice.scan-once', { table, rows })
          : t('advice.scan-often', { table, rows, scans })}
      </p>
      {filter === null ? null : <CodeBlock text={filter} what={t('advice.condition')} />}
      {scans === null ? null : (
        <Link to="/queries/statements" search={{ search: advice.table }} className={classes.link}>
          {t('advice.find')}
        </Link>
      )}
    </Notice>
  );
}
