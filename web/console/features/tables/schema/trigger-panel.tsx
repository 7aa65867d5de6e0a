/** Adds a trigger to a table. */
import { Checkbox, NativeSelect, Textarea } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { bySchema, isSystemSchema } from '../../../api/system-schemas.ts';
import type { Relation } from '../../../api/types.ts';
import { ExpressionField } from '../../../components/editor/expression-field.tsx';
import type { TriggerEvent, Vocabulary } from './api.ts';
import { ChangePanel } from './change-panel.tsx';
import { NamesField } from './constraint-panel.tsx';
import { linesIn, namesIn, splitTarget } from './drafts.ts';
import classes from './forms.module.css';
import { NameInput } from './name-input.tsx';
import { t } from './text.ts';

const events: readonly TriggerEvent[] = ['insert', 'update', 'delete', 'truncate'];

export function NewTrigger({
  relation,
  vocabulary,
  onClose,
}: {
  relation: Relation;
  vocabulary: Vocabulary;
  onClose: () => void;
}) {
  const [name, setName] = useState('');
  const [timing, setTiming] = useState<'before' | 'after'>('before');
  const [chosen, setChosen] = useState<readonly TriggerEvent[]>(['insert']);
  const [forEach, setForEach] = useState<'row' | 'statement'>('row');
  const [columns, setColumns] = useState('');
  const [when, setWhen] = useState('');
  const functions = vocabulary.trigger_functions
    .toSorted((left, right) => bySchema(left.schema, right.schema))
    .map((each) => ({ value: `${each.schema}.${each.name}`, isSystem: isSystemSchema(each.schema) }));
  const groups = [false, true].map((isSystem) => ({
    group: t(isSystem ? 'trigger.system-functions' : 'trigger.own-functions'),
    items: functions
      .filter((each) => each.isSystem === isSystem)
      .map(({ value }) => ({ value, label: value })),
  }));
  // Initially, no function is selected, because a function that was selected by mistake would run for each row.
  const [call, setCall] = useState('');
  const [lines, setLines] = useState('');
  const target = splitTarget(call);
  const isReady = name !== '' && chosen.length > 0 && target !== undefined;
  return (
    <ChangePanel
      title={t('trigger.new', { table: relation.name })}
      changes={
        isReady
          ? [
              {
                kind: 'create_trigger',
                schema: relation.schema,
                table: relation.name,
                name,
                timing,
                events: events.filter((each) => chosen.includes(each)),
                forEach,
                function: { schema: target.schema, name: target.table },
                ...(columns === '' ? {} : { columns: namesIn(columns) }),
                ...(when.trim() === '' ? {} : { when }),
                ...(lines === '' ? {} : { arguments: linesIn(lines) }),
              },
            ]
          : undefined
      }
      onClose={onClose}
    >
      <NameInput label={t('schema.name')} value={name} onChange={setName} />
      {functions.every(({ isSystem }) => isSystem) ? (
        <p role="status">
          {t('trigger.no-function')} <Link to="/sql">{t('trigger.open-sql')}</Link>
        </p>
      ) : null}
      <NativeSelect
        size="sm"
        label={t('trigger.function')}
        required
        data={[{ value: '', label: t('trigger.pick') }, ...groups.filter(({ items }) => items.length > 0)]}
        value={call}
        onChange={(event) => setCall(event.currentTarget.value)}
      />
      <div className={classes.pair}>
        <NativeSelect
          size="sm"
          label={t('trigger.timing')}
          value={timing}
          onChange={(event) => setTiming(event.currentTarget.value as 'before' | 'after')}
        >
          <option value="before">{t('trigger.before')}</option>
          <option value="after">{t('trigger.after')}</option>
        </NativeSelect>
        <NativeSelect
          size="sm"
          label={t('trigger.each')}
          value={forEach}
          onChange={(event) => setForEach(event.currentTarget.value as 'row' | 'statement')}
        >
          <option value="row">{t('trigger.row')}</option>
          <option value="statement">{t('trigger.statement')}</option>
        </NativeSelect>
      </div>
      <Checkbox.Group
        label={t('trigger.events')}
        value={[...chosen]}
        onChange={(next) => setChosen(next as TriggerEvent[])}
      >
        <div className={classes.checks}>
          {events.map((event) => (
            <Checkbox key={event} value={event} label={t(`trigger.${event}`)} />
          ))}
        </div>
      </Checkbox.Group>
      {chosen.includes('update') ? (
        <NamesField label={t('trigger.columns')} relation={relation} value={columns} onChange={setColumns} />
      ) : null}
      <ExpressionField
        label={t('trigger.condition')}
        description={t('trigger.condition-why')}
        value={when}
        own={{ schema: relation.schema, table: relation.name, isTrigger: true }}
        onChange={setWhen}
      />
      <Textarea
        size="sm"
        className={classes.mono}
        label={t('trigger.arguments')}
        rows={2}
        value={lines}
        spellCheck={false}
        onChange={(event) => setLines(event.currentTarget.value)}
      />
    </ChangePanel>
  );
}
