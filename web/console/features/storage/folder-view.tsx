/** Shows a folder in a bucket, with its path, its entries and a drop zone. */
import { Button, TextInput } from '@mantine/core';
import { IconFolder } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useMay } from '../../api/session.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { LoadMore } from '../../components/load-more.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { type Bucket, filesQuery, type StorageOverview } from './api.ts';
import { DeleteEntries } from './delete-entries.tsx';
import { DropZone } from './drop-zone.tsx';
import { FilePanel } from './file-panel.tsx';
import { Entries } from './folder-entries.tsx';
import { FolderTools, folderName } from './folder-tools.tsx';
import { MoveEntries } from './move-entries.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { t } from './text.ts';

const route = getRouteApi('/app/storage');

export function FolderView({
  bucket,
  facts,
  onUpload,
}: {
  bucket: Bucket;
  facts: StorageOverview;
  onUpload: (bucket: string, folder: string, files: Iterable<File>) => void;
}) {
  const { folder = '', search = '', file, sort, order } = route.useSearch();
  const navigate = route.useNavigate();
  const mayWrite = useMay('write');
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [dialog, setDialog] = useState<'folder' | 'delete' | 'move'>();
  const fileInput = useRef<HTMLInputElement>(null);
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    filesQuery(bucket.id, folder + search, { sort, order }),
  );
  const setSearch = (next: string): void => {
    void navigate({
      search: ({ search: _previous, ...rest }) => (next === '' ? rest : { ...rest, search: next }),
      replace: true,
    });
  };
  const entries = data?.pages.flatMap(({ folders, objects }) => [...folders, ...objects]) ?? [];
  const names = entries.map(({ name }) => name);
  const isPageSelected = names.length > 0 && names.every((name) => selected.has(name));

  function toggle(name: string): void {
    const next = new Set(selected);
    if (!next.delete(name)) next.add(name);
    setSelected(next);
  }

  function toggleAll(): void {
    const next = new Set(selected);
    for (const name of names) {
      if (isPageSelected) next.delete(name);
      else next.add(name);
    }
    setSelected(next);
  }

  const closeDialog = (): void => setDialog(undefined);
  const finish = (): void => {
    closeDialog();
    setSelected(new Set());
  };
  const upload = (files: Iterable<File>): void => onUpload(bucket.id, folder, files);

  return (
    <>
      <FolderTools
        bucket={bucket}
        facts={facts}
        folder={folder}
        search={search}
        canWrite={mayWrite}
        fileInput={fileInput}
        onBack={() => void navigate({ search: {} })}
        onSearch={setSearch}
        onNewFolder={() => setDialog('folder')}
        onUpload={upload}
      />
      <DropZone
        label={t('files.drop', { folder: folderName(bucket, folder) })}
        canDrop={mayWrite}
        onFiles={upload}
      >
        {error === null ? null : <ProblemBox error={error} />}
        {data === undefined ? (
          error === null ? (
            <SkeletonLines lines={8} />
          ) : null
        ) : entries.length === 0 ? (
          <NoFiles
            isSearch={search !== ''}
            mayWrite={mayWrite}
            onUpload={() => fileInput.current?.click()}
            onClear={() => setSearch('')}
          />
        ) : (
          <Entries
            bucket={bucket.id}
            entries={entries}
            folder={folder}
            openFile={file}
            selected={mayWrite ? selected : undefined}
            onToggle={toggle}
            onToggleAll={toggleAll}
          />
        )}
        <LoadMore
          label={t('files.more')}
          hasMore={hasNextPage}
          isBusy={isFetchingNextPage}
          onMore={() => void fetchNextPage()}
        />
      </DropZone>
      {selected.size > 0 ? (
        <SelectionBar
          bucket={bucket.id}
          prefix={folder + search}
          selected={selected}
          canSelectMore={isPageSelected && hasNextPage}
          onSelect={setSelected}
          onMove={() => setDialog('move')}
          onDelete={() => setDialog('delete')}
        />
      ) : null}
      {dialog === 'folder' ? (
        <NewFolder
          onClose={closeDialog}
          onOpen={(name) => {
            setDialog(undefined);
            void navigate({
              search: ({ search: _search, ...rest }) => ({ ...rest, folder: `${folder}${name}/` }),
            });
          }}
        />
      ) : null}
      {dialog === 'delete' ? (
        <DeleteEntries bucket={bucket} names={[...selected]} onClose={closeDialog} onDeleted={finish} />
      ) : null}
      {dialog === 'move' ? (
        <MoveEntries
          bucket={bucket}
          facts={facts}
          folder={folder}
          names={[...selected]}
          onClose={closeDialog}
          onDone={finish}
        />
      ) : null}
      {file === undefined ? null : (
        <FilePanel
          key={file}
          bucket={bucket}
          facts={facts}
          path={file}
          onClose={() => void navigate({ search: ({ file: _closed, ...rest }) => rest })}
        />
      )}
    </>
  );
}

function NoFiles({
  isSearch,
  mayWrite,
  onUpload,
  onClear,
}: {
  isSearch: boolean;
  mayWrite: boolean;
  onUpload: () => void;
  onClear: () => void;
}) {
  const icon = <IconFolder size={22} stroke={1.75} />;
  if (isSearch)
    return (
      <EmptyState icon={icon} title={t('files.no-match-title')} text={t('files.no-match-text')}>
        <Button size="compact-sm" variant="default" onClick={onClear}>
          {t('files.no-match-clear')}
        </Button>
      </EmptyState>
    );
  return (
    <EmptyState
      icon={icon}
      title={t('files.none-title')}
      text={t(mayWrite ? 'files.none-text' : 'files.none-read-only')}
    >
      {mayWrite ? (
        <Button size="sm" onClick={onUpload}>
          {t('files.upload')}
        </Button>
      ) : null}
    </EmptyState>
  );
}

/** The dialog that opens a new folder. The folder doesn't exist until it contains a file. */
function NewFolder({ onClose, onOpen }: { onClose: () => void; onOpen: (name: string) => void }) {
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
