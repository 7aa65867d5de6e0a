/** The toolbar of a folder, with the folder's path, the search and the actions on entries. */
import { ActionIcon, Button } from '@mantine/core';
import { IconArrowLeft, IconFolderPlus, IconUpload } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { RefObject } from 'react';
import { SearchInput } from '../../components/search-input.tsx';
import { useDebounced } from '../../components/use-debounced.ts';
import type { Bucket, StorageOverview } from './api.ts';
import { BucketMenu } from './bucket-menu.tsx';
import classes from './folder-view.module.css';
import { t } from './text.ts';

/** Returns the name of a folder for labels. For the root folder, returns the bucket's name. */
export const folderName = (bucket: Bucket, folder: string): string => (folder === '' ? bucket.name : folder);

export function FolderTools({
  bucket,
  facts,
  folder,
  search,
  canWrite,
  fileInput,
  onBack,
  onSearch,
  onNewFolder,
  onUpload,
}: {
  bucket: Bucket;
  facts: StorageOverview;
  folder: string;
  search: string;
  canWrite: boolean;
  /** The element that opens the browser's file dialog. */
  fileInput: RefObject<HTMLInputElement | null>;
  onBack: () => void;
  onSearch: (text: string) => void;
  onNewFolder: () => void;
  onUpload: (files: Iterable<File>) => void;
}) {
  return (
    <div className={classes.tools}>
      <ActionIcon
        className={classes.back}
        variant="subtle"
        color="gray"
        aria-label={t('storage.back')}
        onClick={onBack}
      >
        <IconArrowLeft size={18} aria-hidden />
      </ActionIcon>
      <Path bucket={bucket} folder={folder} />
      {/* The key discards text that was typed for another folder. */}
      <FileSearch key={folder} search={search} onSearch={onSearch} />
      <div className={classes.actions}>
        <Link
          to="/policies"
          search={{ filter: 'storage.objects' }}
          className={classes.policies}
          title={t('bucket.policies')}
        >
          {t('nav.policies')}
        </Link>
        {canWrite ? (
          <>
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<IconFolderPlus size={15} aria-hidden />}
              onClick={onNewFolder}
            >
              {t('files.new-folder')}
            </Button>
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<IconUpload size={15} aria-hidden />}
              aria-label={t('files.upload-to', { folder: folderName(bucket, folder) })}
              onClick={() => fileInput.current?.click()}
            >
              {t('files.upload')}
            </Button>
            <input
              ref={fileInput}
              type="file"
              multiple
              hidden
              data-upload
              onChange={(event) => {
                onUpload([...(event.currentTarget.files ?? [])]);
                event.currentTarget.value = '';
              }}
            />
            <BucketMenu bucket={bucket} facts={facts} />
          </>
        ) : null}
      </div>
    </div>
  );
}

/** Links to all parent folders. */
function FileSearch({ search, onSearch }: { search: string; onSearch: (search: string) => void }) {
  const [text, setText] = useDebounced(search, onSearch);
  return <SearchInput label={t('files.search')} value={text} className={classes.search} onChange={setText} />;
}

function Path({ bucket, folder }: { bucket: Bucket; folder: string }) {
  const parts = folder.split('/').slice(0, -1);
  return (
    <nav className={classes.path} aria-label={t('files.path')}>
      <ol>
        <li>
          <Link
            from="/storage"
            to="/storage"
            search={({ sort, order }) => ({ bucket: bucket.id, sort, order })}
          >
            {bucket.name}
          </Link>
        </li>
        {parts.map((part, index) => {
          const upTo = `${parts.slice(0, index + 1).join('/')}/`;
          return (
            <li key={upTo}>
              <Link
                from="/storage"
                to="/storage"
                search={({ sort, order }) => ({ bucket: bucket.id, folder: upTo, sort, order })}
              >
                {part || '·'}
              </Link>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
