/** Shows the structure of a table, and lets operators change it. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { relationQuery } from '../../../api/queries.ts';
import { useMay } from '../../../api/session.ts';
import type { Relation } from '../../../api/types.ts';
import { SkeletonLines } from '../../../components/frame/skeleton.tsx';
import { BackLink } from '../back-link.tsx';
import { TableProblem } from '../rows/missing-table.tsx';
import { type Structure, structureQuery, vocabularyQuery } from './api.ts';
import { RealtimeSection } from './realtime-section.tsx';
import classes from './structure-page.module.css';
import { type OpenPanel, StructurePanel } from './structure-panel.tsx';
import {
  ColumnSection,
  ConstraintSection,
  IndexSection,
  SecuritySection,
  TableSection,
  TriggerSection,
} from './structure-sections.tsx';
import { t } from './text.ts';

const route = getRouteApi('/app/tables/$schema/$table/structure');

export function StructurePage() {
  const { schema, table } = route.useParams();
  const relation = useQuery(relationQuery({ schema, table }));
  const structure = useQuery(structureQuery({ schema, table }));
  const error = relation.error ?? structure.error;
  return (
    <div className={classes.page}>
      <title>{t('app.title', { page: `${schema}.${table}` })}</title>
      <header className={classes.head}>
        <BackLink />
        <h1 className={classes.title}>
          <span className={classes.schema}>{schema}.</span>
          {table}
        </h1>
        <Link to="/tables/$schema/$table" params={{ schema, table }} search={{}} className={classes.toRows}>
          {t('schema.rows')}
        </Link>
      </header>
      {error === null ? null : <TableProblem error={error} />}
      {relation.data === undefined || structure.data === undefined ? (
        error === null ? (
          <SkeletonLines lines={12} />
        ) : null
      ) : (
        <Sections key={`${schema}.${table}`} relation={relation.data} structure={structure.data} />
      )}
    </div>
  );
}

function DistributionNote({ relation: { kind, distribution } }: { relation: Relation }) {
  if (distribution === null || kind === 'view' || kind === 'materialized view') return null;
  const { column, shards } = distribution;
  return (
    <p className={classes.note}>
      {t(`schema.citus-${distribution.kind}`, { column: column ?? '', count: shards })}
    </p>
  );
}

function Sections({ relation, structure }: { relation: Relation; structure: Structure }) {
  const [open, setOpen] = useState<OpenPanel>();
  const mayWrite = useMay('write');
  const { data: vocabulary } = useQuery(vocabularyQuery);
  const isTable = relation.kind === 'table' || relation.kind === 'partitioned table';
  const canChange = mayWrite && isTable && vocabulary !== undefined;
  const props = { relation, structure, onOpen: canChange ? setOpen : undefined };
  return (
    <div className={classes.sections}>
      {mayWrite ? null : <p className={classes.note}>{t('schema.read-only')}</p>}
      {isTable ? null : <p className={classes.note}>{t('schema.no-view')}</p>}
      <DistributionNote relation={relation} />
      <ColumnSection {...props} />
      <ConstraintSection {...props} />
      <IndexSection {...props} />
      <TriggerSection {...props} />
      {isTable ? <SecuritySection {...props} /> : null}
      {isTable ? <RealtimeSection {...props} /> : null}
      {isTable ? <TableSection {...props} /> : null}
      {open === undefined || vocabulary === undefined ? null : (
        <StructurePanel
          open={open}
          relation={relation}
          vocabulary={vocabulary}
          onClose={() => setOpen(undefined)}
        />
      )}
    </div>
  );
}
