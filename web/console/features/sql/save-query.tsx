/** The dialog that saves the editor's text with its parameters and charts. */
import { Checkbox, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { fetchConsole } from '../../api/session.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { insertTyped } from '../../components/keyboard/typed-ahead.ts';
import { type SavedQuery, savedQuery } from './api.ts';
import { changeTab, type Tab } from './tabs.ts';
import { t } from './text.ts';

export function SaveQuery({ tab, onClose }: { tab: Tab; onClose: () => void }) {
  const { data } = useQuery(savedQuery);
  // The form's fields depend on the saved query, so the form isn't shown until the list of saved queries has loaded.
  return data === undefined ? null : (
    <SaveForm
      tab={tab}
      known={data.find(({ id }) => id === tab.savedId)}
      folders={[...new Set(data.map(({ folder }) => folder).filter(Boolean))]}
      onClose={onClose}
    />
  );
}

function SaveForm({
  tab,
  known,
  folders,
  onClose,
}: {
  tab: Tab;
  /** The saved query that the tab shows. */
  known: SavedQuery | undefined;
  folders: readonly string[];
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const [name, setName] = useState(tab.name ?? '');
  const [folder, setFolder] = useState(known?.folder ?? '');
  const [isShared, setShared] = useState(known?.isShared ?? false);
  const folderList = useId();
  const [isCopy, setCopy] = useState(false);
  const replaced = known?.mayChange === true && !isCopy ? known : undefined;
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => {
      const body = { name, folder, isShared, text: tab.text, view: tab.view ?? {} };
      return replaced === undefined
        ? fetchConsole('POST /sql/saved', { body })
        : fetchConsole('PUT /sql/saved/:id', { params: { id: replaced.id }, body });
    },
    onSuccess: (saved) => {
      changeTab(tab.id, { name: saved.name, savedId: saved.id });
      void queryClient.invalidateQueries({ queryKey: savedQuery.queryKey });
      onClose();
    },
  });
  return (
    <FormDialog
      title={t('sql.save-title')}
      action={t(replaced === undefined ? 'sql.save' : 'sql.save-change')}
      isBusy={isPending}
      error={error}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      {known !== undefined && !known.mayChange ? (
        <p>{t('sql.save-foreign', { owner: known.owner })}</p>
      ) : null}
      <TextInput
        label={t('sql.save-name')}
        required
        maxLength={200}
        autoComplete="off"
        data-autofocus
        value={name}
        onFocus={insertTyped}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label={t('sql.save-folder')}
        description={t('sql.save-folder-help')}
        maxLength={100}
        autoComplete="off"
        list={folderList}
        value={folder}
        onChange={(event) => setFolder(event.currentTarget.value)}
      />
      <datalist id={folderList}>
        {folders.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      <Checkbox
        label={t('sql.save-shared')}
        description={t('sql.save-shared-help')}
        checked={isShared}
        onChange={(event) => setShared(event.currentTarget.checked)}
      />
      {known?.mayChange === true ? (
        <Checkbox
          label={t('sql.save-copy')}
          checked={isCopy}
          onChange={(event) => setCopy(event.currentTarget.checked)}
        />
      ) : null}
    </FormDialog>
  );
}
