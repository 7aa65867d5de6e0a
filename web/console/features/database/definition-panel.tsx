/** Edits the definition of a function, a view or a trigger as SQL, followed by a review. */
import { Checkbox, NativeSelect } from '@mantine/core';
import { useState } from 'react';
import type { DefinedObject } from '../../../../src/pages/console/schema/contract.ts';
import { ChangePanel } from '../tables/schema/change-panel.tsx';
import { SqlField } from './sql-source.tsx';
import { t } from './text.ts';

export interface Template {
  readonly label: string;
  readonly text: string;
}

export function DefinitionPanel({
  title,
  object,
  text: initial,
  recreation,
  templates,
  note,
  onClose,
  onDone,
}: {
  title: string;
  object: DefinedObject;
  /** The current definition. Empty for a new object. */
  text: string;
  /** Statements that drop the object and create it again. Null if PostgreSQL can't replace the object otherwise. */
  recreation?: string | null;
  /** The texts from which a new object can start. */
  templates?: readonly Template[];
  note?: string;
  onClose: () => void;
  onDone: () => void;
}) {
  const [first] = templates ?? [];
  const [start, setStart] = useState(first?.text ?? initial);
  const [text, setText] = useState(start);
  const [generation, setGeneration] = useState(0);
  const replace = (next: string): void => {
    setStart(next);
    setText(next);
    setGeneration(generation + 1);
  };
  const isChanged = templates !== undefined || text.trim() !== initial.trim();
  return (
    <ChangePanel
      title={title}
      changes={isChanged && text.trim() !== '' ? [{ kind: 'define', object, text }] : undefined}
      onClose={onClose}
      onDone={onDone}
    >
      {templates === undefined ? null : (
        <NativeSelect
          size="sm"
          label={t('definition.template')}
          data={templates.map(({ label }) => label)}
          onChange={(event) => {
            const chosen = templates.find(({ label }) => label === event.currentTarget.value);
            // A text that was edited isn't replaced.
            if (chosen !== undefined && text === start) replace(chosen.text);
          }}
        />
      )}
      <SqlField text={text} label={t('definition.sql')} generation={generation} onChange={setText} />
      {note === undefined ? null : <p>{note}</p>}
      {recreation === undefined || recreation === null ? null : (
        <Checkbox
          size="sm"
          label={t('definition.recreate')}
          description={t('definition.recreate-why')}
          onChange={(event) => replace(event.currentTarget.checked ? recreation : initial)}
        />
      )}
    </ChangePanel>
  );
}
