/** The storage page, which shows buckets with their folders and files. */
import { Button } from '@mantine/core';
import { IconBucket, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../api/session.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHead } from '../../components/frame/page.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { SplitView } from '../../components/frame/split-view.tsx';
import { useIntent } from '../../components/intent.ts';
import { ProblemBox } from '../../components/problem-box.tsx';
import { storageQuery } from './api.ts';
import { BucketForm } from './bucket-form.tsx';
import { BucketList } from './bucket-list.tsx';
import { FolderView } from './folder-view.tsx';
import { t } from './text.ts';
import { UploadList } from './upload-list.tsx';
import { useUploads } from './use-uploads.ts';

const route = getRouteApi('/app/storage');

export function StoragePage() {
  const { bucket: name } = route.useSearch();
  const navigate = route.useNavigate();
  const mayWrite = useMay('write');
  const [isCreating, setCreating] = useState(false);
  useIntent({ 'create-bucket': () => setCreating(true) });
  const { data, error } = useQuery(storageQuery);
  const uploads = useUploads(data?.features.resumable ?? false);
  const bucket = data?.buckets.find(({ id }) => id === name);
  return (
    <>
      <PageHead title={t('nav.storage')}>
        {mayWrite ? (
          <Button
            size="compact-sm"
            leftSection={<IconPlus size={15} aria-hidden />}
            onClick={() => setCreating(true)}
          >
            {t('storage.new-bucket')}
          </Button>
        ) : null}
      </PageHead>
      {uploads.list.length === 0 ? null : <UploadList uploads={uploads} />}
      {error === null ? null : <ProblemBox error={error} />}
      {data === undefined ? (
        error === null ? (
          <SkeletonLines lines={8} />
        ) : null
      ) : data.buckets.length === 0 ? (
        <EmptyState
          icon={<IconBucket size={22} stroke={1.75} />}
          title={t('storage.none-title')}
          text={t('storage.none-text')}
        >
          {mayWrite ? (
            <Button size="sm" onClick={() => setCreating(true)}>
              {t('storage.new-bucket')}
            </Button>
          ) : null}
        </EmptyState>
      ) : (
        <SplitView isOpen={bucket !== undefined} list={<BucketList buckets={data.buckets} openId={name} />}>
          {bucket === undefined ? (
            <EmptyState
              icon={<IconBucket size={22} stroke={1.75} />}
              title={t(name === undefined ? 'storage.pick-title' : 'storage.missing-title')}
              text={name === undefined ? t('storage.pick-text') : t('storage.missing-text', { name })}
            />
          ) : (
            <FolderView key={bucket.id} bucket={bucket} facts={data} onUpload={uploads.add} />
          )}
        </SplitView>
      )}
      {isCreating && data !== undefined ? (
        <BucketForm
          projectLimitBytes={data.fileSizeLimitBytes}
          onClose={() => setCreating(false)}
          onSaved={(id) => {
            setCreating(false);
            void navigate({ search: { bucket: id } });
          }}
        />
      ) : null}
    </>
  );
}
