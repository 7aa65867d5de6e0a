/** The panels that show a table of the diagram or one of its foreign keys. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { relationQuery } from '../../../api/queries.ts';
import { useMay } from '../../../api/session.ts';
import { Fact, Facts } from '../../../components/facts.tsx';
import { SidePanel } from '../../../components/frame/side-panel.tsx';
import { SkeletonLines } from '../../../components/frame/skeleton.tsx';
import { ProblemBox } from '../../../components/problem-box.tsx';
import { ChangePanel } from '../schema/change-panel.tsx';
import { NewConstraint } from '../schema/constraint-panel.tsx';
import type { DiagramKey, DiagramTable, Relationship } from './api.ts';
import classes from './diagram.module.css';
import { type Graph, idOf, labelOf } from './graph.ts';
import { detailOf, t } from './text.ts';

const isTable = ({ kind }: DiagramTable): boolean => kind === 'table' || kind === 'partitioned table';

export function TablePanel({
  table,
  graph,
  onOpenKey,
  onShowNear,
  onClose,
}: {
  table: DiagramTable;
  graph: Graph;
  onOpenKey: (relationship: Relationship) => void;
  onShowNear: () => void;
  onClose: () => void;
}) {
  const mayWrite = useMay('write');
  const [isAdding, setAdding] = useState(false);
  const id = idOf(table);
  if (isAdding) return <KeyForm table={table} onClose={() => setAdding(false)} />;
  return (
    <SidePanel title={labelOf(table)} onClose={onClose}>
      <div className={classes.panel}>
        {table.comment === null ? null : <p>{table.comment}</p>}
        <p className={classes.dim}>{detailOf(table)}</p>
        <div className={classes.actions}>
          <TableLinks table={table} />
          <Button size="compact-sm" variant="default" onClick={onShowNear}>
            {t('diagram.show-near')}
          </Button>
          {mayWrite && isTable(table) ? (
            <Button size="compact-sm" variant="default" onClick={() => setAdding(true)}>
              {t('diagram.add-key')}
            </Button>
          ) : null}
        </div>
        <Keys
          title={t('diagram.references')}
          keys={graph.relationships.filter(({ from }) => idOf(from) === id)}
          textOf={({ to, key }) =>
            t('diagram.relation', {
              columns: key.columns.join(', '),
              table: labelOf(to),
              references: key.references.join(', '),
            })
          }
          onOpen={onOpenKey}
        />
        <Keys
          title={t('diagram.referenced-by')}
          keys={graph.relationships.filter(({ to }) => idOf(to) === id)}
          textOf={({ from, key }) => `${labelOf(from)} (${key.columns.join(', ')})`}
          onOpen={onOpenKey}
        />
      </div>
    </SidePanel>
  );
}

function TableLinks({ table: { schema, name } }: { table: DiagramTable }) {
  const params = { schema, table: name };
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        renderRoot={(props) => <Link to="/tables/$schema/$table" params={params} search={{}} {...props} />}
      >
        {t('diagram.open-rows')}
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        renderRoot={(props) => <Link to="/tables/$schema/$table/structure" params={params} {...props} />}
      >
        {t('diagram.open-structure')}
      </Button>
    </>
  );
}

function Keys({
  title,
  keys,
  textOf,
  onOpen,
}: {
  title: string;
  keys: readonly Relationship[];
  textOf: (relationship: Relationship) => string;
  onOpen: (relationship: Relationship) => void;
}) {
  return (
    <section>
      <h3 className={classes.panelTitle}>{title}</h3>
      {keys.length === 0 ? (
        <p className={classes.dim}>{t('diagram.empty')}</p>
      ) : (
        <ul className={classes.keys}>
          {keys.map((relationship) => (
            <li key={`${idOf(relationship.from)}${relationship.key.name}`}>
              <button type="button" className={classes.linkButton} onClick={() => onOpen(relationship)}>
                {textOf(relationship)}
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

export function KeyPanel({
  relationship: { from, to, key },
  onClose,
}: {
  relationship: Relationship;
  onClose: () => void;
}) {
  const mayWrite = useMay('write') && isTable(from);
  const [step, setStep] = useState<'edit' | 'drop'>();
  if (step === 'edit')
    return <KeyForm table={from} replaces={key} onClose={() => setStep(undefined)} onDone={onClose} />;
  if (step === 'drop')
    return (
      <ChangePanel
        title={t('diagram.drop-key')}
        changes={[
          { kind: 'drop_constraint', schema: from.schema, table: from.name, name: key.name, cascade: false },
        ]}
        startsWithReview
        onClose={() => setStep(undefined)}
        onDone={onClose}
      />
    );
  return (
    <SidePanel title={t('diagram.key-title', { name: key.name })} onClose={onClose}>
      <div className={classes.panel}>
        <Facts layout="columns">
          <Fact label={t('diagram.from')}>
            <End table={from} columns={key.columns} />
          </Fact>
          <Fact label={t('diagram.to')}>
            <End table={to} columns={key.references} />
          </Fact>
          <Fact label={t('diagram.on-delete')}>{key.on_delete.toUpperCase()}</Fact>
          <Fact label={t('diagram.on-update')}>{key.on_update.toUpperCase()}</Fact>
          <Fact label={t('diagram.cardinality')}>
            {t(key.unique ? 'diagram.cardinality-one' : 'diagram.cardinality-many')},{' '}
            {t(key.required ? 'diagram.required' : 'diagram.optional')}
          </Fact>
        </Facts>
        {mayWrite && !key.editable ? <p className={classes.dim}>{t('diagram.not-editable')}</p> : null}
        {mayWrite ? (
          <div className={classes.actions}>
            {key.editable ? (
              <Button size="compact-sm" variant="default" onClick={() => setStep('edit')}>
                {t('diagram.edit-key')}
              </Button>
            ) : null}
            <Button size="compact-sm" variant="light" color="red" onClick={() => setStep('drop')}>
              {t('diagram.drop-key')}
            </Button>
          </div>
        ) : null}
      </div>
    </SidePanel>
  );
}

function End({ table, columns }: { table: DiagramTable; columns: readonly string[] }) {
  return (
    <Link
      to="/tables/$schema/$table/structure"
      params={{ schema: table.schema, table: table.name }}
      className={classes.end}
    >
      {`${labelOf(table)} (${columns.join(', ')})`}
    </Link>
  );
}

/** The form of the structure page for a foreign key. */
function KeyForm({
  table,
  replaces,
  onClose,
  onDone = onClose,
}: {
  table: DiagramTable;
  replaces?: DiagramKey;
  onClose: () => void;
  onDone?: () => void;
}) {
  const { data, error } = useQuery(relationQuery({ schema: table.schema, table: table.name }));
  if (data !== undefined)
    return (
      <NewConstraint
        relation={data}
        {...(replaces === undefined ? {} : { replaces })}
        onClose={onClose}
        onDone={onDone}
      />
    );
  return (
    <SidePanel title={labelOf(table)} onClose={onClose}>
      {error === null ? <SkeletonLines lines={6} /> : <ProblemBox error={error} />}
    </SidePanel>
  );
}
