/** The panels that install, update and drop an extension. */
import { Checkbox, NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { ChangePanel } from '../tables/schema/change-panel.tsx';
import type { ExtensionRow } from './api.ts';
import { t } from './text.ts';

export interface OpenPanel {
  readonly kind: 'install' | 'update' | 'drop';
  readonly extension: ExtensionRow;
}

export function ExtensionPanel({
  open: { kind, extension },
  schemas,
  onClose,
}: {
  open: OpenPanel;
  schemas: readonly string[];
  onClose: () => void;
}) {
  if (kind === 'install') return <InstallPanel extension={extension} schemas={schemas} onClose={onClose} />;
  if (kind === 'drop') return <DropPanel extension={extension} onClose={onClose} />;
  return (
    <ChangePanel
      title={t('extensions.update')}
      changes={[{ kind: 'update_extension', extension: extension.name }]}
      startsWithReview
      onClose={onClose}
    />
  );
}

function InstallPanel({
  extension: { name, schema: fixed, requires },
  schemas,
  onClose,
}: {
  extension: ExtensionRow;
  schemas: readonly string[];
  onClose: () => void;
}) {
  const [chosen, setChosen] = useState(schemas.includes('extensions') ? 'extensions' : 'public');
  return (
    <ChangePanel
      title={t('extensions.install-title', { name })}
      changes={[
        {
          kind: 'create_extension',
          extension: name,
          cascade: requires.length > 0,
          ...(fixed === null ? { schema: chosen } : {}),
        },
      ]}
      onClose={onClose}
    >
      {fixed === null ? (
        <NativeSelect
          size="sm"
          label={t('extensions.into')}
          description={t('extensions.into-why')}
          data={[...schemas]}
          value={chosen}
          data-autofocus
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
      ) : (
        <p>{t('extensions.fixed-schema', { schema: fixed })}</p>
      )}
      {requires.length === 0 ? null : <p>{t('extensions.requires', { names: requires.join(', ') })}</p>}
    </ChangePanel>
  );
}

function DropPanel({ extension: { name }, onClose }: { extension: ExtensionRow; onClose: () => void }) {
  const [cascade, setCascade] = useState(false);
  return (
    <ChangePanel
      title={t('extensions.drop-title', { name })}
      changes={[{ kind: 'drop_extension', extension: name, cascade }]}
      onClose={onClose}
    >
      <Checkbox
        size="sm"
        label={t('extensions.cascade')}
        description={t('extensions.cascade-why')}
        checked={cascade}
        data-autofocus
        onChange={(event) => setCascade(event.currentTarget.checked)}
      />
    </ChangePanel>
  );
}
