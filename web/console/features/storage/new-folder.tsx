/** The dialog that opens a new folder. The folder doesn't exist until it contains a file. */
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { FormDialog } from '../../components/form-dialog.tsx';
import { t } from './text.ts';

export function NewFolder({ onClose, onOpen }: { onClose: () => void; onOpen: (name: string) => void }) {
  const [name, setName] = useState('');
  return (
    <FormDialog
      title={t('files.new-folder')}
      action={t('files.folder-open')}
      isBusy={false}
      error={null}
      onSubmit={() => onOpen(name.replaceAll(/^\/+|\/+$/g, ''))}
      onClose={onClose}
    >
      <p>{t('files.folder-text')}</p>
      <TextInput
        label={t('files.folder-name')}
        required
        autoComplete="off"
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
