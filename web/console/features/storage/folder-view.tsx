/** A folder of a bucket: its path, its entries and a drop zone. */
import { ActionIcon, Button, Checkbox, TextInput } from '@mantine/core';
import {
  IconArrowLeft,
  IconFile,
  IconFolder,
  IconFolderPlus,
  IconTrash,
  IconUpload,
} from '@tabler/icons-react';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type DragEvent, useRef, useState } from 'react';
import { fetchConsole, useMay } from '../../api/session.ts';
import { Confirm } from '../../components/confirm.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import lists from '../../components/list.module.css';
import { LoadMore } from '../../components/load-more.tsx';
import { Moment } from '../../components/moment.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { SkeletonLines } from '../../components/skeleton.tsx';
import { useDebounced } from '../../components/use-debounced.ts';
import { type Bucket, type FolderEntry, filesKey, filesQuery, type StorageOverview } from './api.ts';
import { BucketMenu } from './bucket-menu.tsx';
import { FilePanel } from './file-panel.tsx';
import classes from './folder-view.module.css';
import { printSize } from './sizes.ts';
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
  const { folder = '', search = '', file } = route.useSearch();
  const navigate = route.useNavigate();
  const mayWrite = useMay('write');
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [dialog, setDialog] = useState<'folder' | 'delete'>();
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    filesQuery(bucket.id, folder + search),
  );
  const [text, setText] = useDebounced(search, (next) => {
    void navigate({
      search: ({ search: _former, ...rest }) => (next === '' ? rest : { ...rest, search: next }),
      replace: true,
    });
  });
  const entries = data?.pages.flatMap(({ folders, objects }) => [...folders, ...objects]) ?? [];
  const chosen = entries.filter(({ name }) => selected.has(name));
  const place = folder === '' ? bucket.name : folder;

  function toggle(name: string): void {
    const next = new Set(selected);
    if (!next.delete(name)) next.add(name);
    setSelected(next);
  }

  function drop(event: DragEvent): void {
    event.preventDefault();
    setOver(false);
    if (mayWrite) onUpload(bucket.id, folder, event.dataTransfer.files);
  }

  return (
    <>
      <div className={classes.tools}>
        <ActionIcon
          className={classes.back}
          variant="subtle"
          color="gray"
          aria-label={t('storage.back')}
          onClick={() => void navigate({ search: {} })}
        >
          <IconArrowLeft size={18} aria-hidden />
        </ActionIcon>
        <Path bucket={bucket} folder={folder} />
        <SearchInput label={t('files.search')} value={text} className={classes.search} onChange={setText} />
        <Link
          to="/policies"
          search={{ filter: 'storage.objects' }}
          className={classes.policies}
          title={t('bucket.policies')}
        >
          {t('nav.policies')}
        </Link>
        {mayWrite ? (
          <>
            {chosen.length > 0 ? (
              <Button
                size="compact-sm"
                variant="light"
                color="red"
                leftSection={<IconTrash size={15} aria-hidden />}
                onClick={() => setDialog('delete')}
              >
                {t('files.delete-selected', { count: chosen.length })}
              </Button>
            ) : null}
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<IconFolderPlus size={15} aria-hidden />}
              onClick={() => setDialog('folder')}
            >
              {t('files.new-folder')}
            </Button>
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<IconUpload size={15} aria-hidden />}
              aria-label={t('files.upload-to', { folder: place })}
              onClick={() => input.current?.click()}
            >
              {t('files.upload')}
            </Button>
            <input
              ref={input}
              type="file"
              multiple
              hidden
              data-upload
              onChange={(event) => {
                onUpload(bucket.id, folder, [...(event.currentTarget.files ?? [])]);
                event.currentTarget.value = '';
              }}
            />
            <BucketMenu bucket={bucket} facts={facts} />
          </>
        ) : null}
      </div>
      <section
        className={classes.drop}
        aria-label={t('files.drop', { folder: place })}
        data-over={isOver || undefined}
        onDragOver={(event) => {
          if (!mayWrite || !event.dataTransfer.types.includes('Files')) return;
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        {error === null ? null : <ProblemBox error={error} />}
        {data === undefined ? (
          error === null ? (
            <SkeletonLines lines={8} />
          ) : null
        ) : entries.length === 0 ? (
          <EmptyState
            icon={<IconFolder size={22} stroke={1.75} />}
            title={t(search === '' ? 'files.none-title' : 'files.no-match-title')}
            text={t(search === '' ? 'files.none-text' : 'files.no-match-text')}
          >
            {search === '' && mayWrite ? (
              <Button size="sm" onClick={() => input.current?.click()}>
                {t('files.upload')}
              </Button>
            ) : null}
          </EmptyState>
        ) : (
          <Entries
            entries={entries}
            folder={folder}
            openFile={file}
            selected={mayWrite ? selected : undefined}
            onToggle={toggle}
          />
        )}
        <LoadMore
          label={t('files.more')}
          hasMore={hasNextPage}
          isBusy={isFetchingNextPage}
          onMore={() => void fetchNextPage()}
        />
      </section>
      {dialog === 'folder' ? (
        <NewFolder
          onClose={() => setDialog(undefined)}
          onOpen={(name) => {
            setDialog(undefined);
            void navigate({ search: { bucket: bucket.id, folder: `${folder}${name}/` } });
          }}
        />
      ) : null}
      {dialog === 'delete' ? (
        <DeleteEntries
          bucket={bucket}
          entries={chosen}
          onClose={() => setDialog(undefined)}
          onDeleted={() => {
            setDialog(undefined);
            setSelected(new Set());
          }}
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

/** Links to each parent folder. */
function Path({ bucket, folder }: { bucket: Bucket; folder: string }) {
  const parts = folder.split('/').slice(0, -1);
  return (
    <nav className={classes.path} aria-label={t('files.path')}>
      <ol>
        <li>
          <Link to="/storage" search={{ bucket: bucket.id }}>
            {bucket.name}
          </Link>
        </li>
        {parts.map((part, index) => {
          const upTo = `${parts.slice(0, index + 1).join('/')}/`;
          return (
            <li key={upTo}>
              <Link to="/storage" search={{ bucket: bucket.id, folder: upTo }}>
                {part || '·'}
              </Link>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}

function Entries({
  entries,
  folder,
  openFile,
  selected,
  onToggle,
}: {
  entries: readonly FolderEntry[];
  folder: string;
  openFile: string | undefined;
  /** Undefined if nothing can be selected. */
  selected: ReadonlySet<string> | undefined;
  onToggle: (name: string) => void;
}) {
  return (
    <table className={lists.table}>
      <caption className="visually-hidden">{t('files.name')}</caption>
      <thead>
        <tr>
          {selected === undefined ? null : <td className={classes.check} />}
          <th scope="col">{t('files.name')}</th>
          <th scope="col" className={lists.wide}>
            {t('files.type')}
          </th>
          <th scope="col" className={classes.number}>
            {t('files.size')}
          </th>
          <th scope="col" className={lists.wide}>
            {t('files.changed')}
          </th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => {
          const name = entry.name.slice(folder.length);
          const isFolder = entry.id === null;
          const { size, mimetype } = entry.metadata ?? {};
          return (
            <tr key={entry.name} data-open={entry.name === openFile || undefined}>
              {selected === undefined ? null : (
                <td className={classes.check}>
                  <Checkbox
                    size="xs"
                    aria-label={t('files.select', { name })}
                    checked={selected.has(entry.name)}
                    onChange={() => onToggle(entry.name)}
                  />
                </td>
              )}
              <td>
                <Link
                  to="/storage"
                  search={({ search: _former, file: _open, ...rest }) =>
                    isFolder ? { ...rest, folder: entry.name } : { ...rest, folder, file: entry.name }
                  }
                  className={`${lists.main} ${classes.entry}`}
                >
                  {isFolder ? (
                    <IconFolder size={16} stroke={1.75} aria-hidden />
                  ) : (
                    <IconFile size={16} stroke={1.75} aria-hidden />
                  )}
                  <span className={classes.name}>{name}</span>
                </Link>
              </td>
              <td className={`${lists.wide} ${lists.dim}`}>{isFolder ? t('files.folder') : mimetype}</td>
              <td className={`${classes.number} ${lists.dim}`}>
                {size === undefined ? '' : printSize(size)}
              </td>
              <td className={`${lists.wide} ${lists.dim}`}>
                {entry.updated_at === null ? null : <Moment at={entry.updated_at} relative />}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

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

function DeleteEntries({
  bucket,
  entries,
  onClose,
  onDeleted,
}: {
  bucket: Bucket;
  entries: readonly FolderEntry[];
  onClose: () => void;
  onDeleted: () => void;
}) {
  const queryClient = useQueryClient();
  const names = (isFolder: boolean): string[] =>
    entries.filter(({ id }) => (id === null) === isFolder).map(({ name }) => name);
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      const body = { paths: names(false), folders: names(true) };
      // Deletes large folders in several calls.
      while (
        (
          await fetchConsole('POST /storage/buckets/:bucket/remove', {
            params: { bucket: bucket.id },
            body,
          })
        ).more
      );
    },
    onSuccess: async () => {
      onDeleted();
      await queryClient.invalidateQueries({ queryKey: filesKey(bucket.id) });
    },
  });
  return (
    <Confirm
      title={t('files.delete-title', { count: entries.length })}
      action={t('files.delete')}
      {...(names(true).length > 0 ? { typed: bucket.name } : {})}
      isBusy={isPending}
      error={error}
      onConfirm={() => mutate()}
      onClose={onClose}
    >
      <p>{t('files.delete-text')}</p>
    </Confirm>
  );
}
