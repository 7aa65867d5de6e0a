/** Shows which nodes a page's data comes from, and lets the operator select one of them. */
import { NativeSelect } from '@mantine/core';
import type { AskedNodes } from '../../../src/pages/console/nodes/contract.ts';
import { t } from '../text.ts';
import classes from './asked-nodes.module.css';

/** A note that some nodes didn't answer. */
export function AskedNote({ nodes }: { nodes: AskedNodes | undefined }) {
  const { answered = [], missing = [] } = nodes ?? {};
  return (
    <p role="status" className={classes.note}>
      {missing.length === 0
        ? null
        : t('asked.missing', {
            answered: answered.length,
            count: answered.length + missing.length,
            names: missing.map(({ name }) => name).join(', '),
          })}
    </p>
  );
}

/** Selects one of the nodes. Not shown if there is only one. */
export function NodeSelect({
  nodes,
  value,
  onChange,
}: {
  nodes: AskedNodes | undefined;
  /** The ID of the selected node. Undefined if all nodes are selected. */
  value: string | undefined;
  onChange: (id: string) => void;
}) {
  const all = nodes === undefined ? [] : [...nodes.answered, ...nodes.missing, ...nodes.others];
  if (all.length <= 1 && value === undefined) return null;
  const options = all
    .map(({ id, name }) => ({ value: id, label: name }))
    .sort((left, right) => left.label.localeCompare(right.label));
  return (
    <NativeSelect
      size="xs"
      aria-label={t('asked.node')}
      value={value ?? ''}
      data={[{ value: '', label: t('asked.all') }, ...options]}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** Whether the page shows the names of nodes. */
export const hasSeveralNodes = (nodes: AskedNodes | undefined): boolean =>
  nodes !== undefined && nodes.answered.length + nodes.missing.length > 1;
