/**
 * Asks for confirmation before an object is dropped. The first step asks whether to drop dependent objects too, and the
 * second step shows the SQL.
 */
import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import type { SchemaChange } from './api.ts';
import { ChangePanel } from './change-panel.tsx';
import { t } from './text.ts';

type Droppable = Extract<SchemaChange, { cascade: boolean }>;

export function DropPanel({
  name,
  change,
  onClose,
  onDone,
}: {
  name: string;
  change: Droppable;
  onClose: () => void;
  onDone: () => void;
}) {
  const [cascade, setCascade] = useState(false);
  return (
    <ChangePanel
      title={t('schema.drop-title', { name })}
      changes={[{ ...change, cascade }]}
      onClose={onClose}
      onDone={onDone}
    >
      <Checkbox
        label={t('schema.cascade')}
        checked={cascade}
        data-autofocus
        onChange={(event) => setCascade(event.currentTarget.checked)}
      />
    </ChangePanel>
  );
}
