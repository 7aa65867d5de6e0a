import { Link } from '@tanstack/react-router';
import { Notice } from '../../../ui/notice.tsx';
import { CodeBlock } from '../../components/json-block.tsx';
import type { Advice } from './api.ts';
import { t } from './text.ts';

export function AdviceItem({ advice: { schema, table, rows, kept, filter, index } }: { advice: Advice }) {
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
