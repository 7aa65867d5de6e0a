/** Lists the buckets with the number of files and the total size of each bucket. */
import { Button, NativeSelect } from '@mantine/core';
import { IconBucket } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ItemName, ItemNav, itemLink } from '../../components/frame/split-view.tsx';
import { messageOf } from '../../components/problem-box.tsx';
import { Tag } from '../../components/tag.tsx';
import { type Bucket, type StorageUsage, usageQuery } from './api.ts';
import classes from './bucket-list.module.css';
import { printSize } from './sizes.ts';
import { t } from './text.ts';

export function BucketList({ buckets, openId }: { buckets: readonly Bucket[]; openId: string | undefined }) {
  const [isExact, setExact] = useState(false);
  const sampled = useQuery(usageQuery(false));
  const exact = useQuery({ ...usageQuery(true), enabled: isExact });
  const usage = exact.data ?? sampled.data;
  const [sort, setSort] = useState<BucketSort>('name');
  return (
    <>
      {buckets.length < 2 ? null : (
        <NativeSelect
          size="xs"
          className={classes.sort}
          aria-label={t('storage.sort')}
          value={sort}
          data={bucketSorts.map((value) => ({ value, label: t(`storage.sort-${value}`) }))}
          onChange={({ currentTarget }) =>
            setSort(bucketSorts.find((each) => each === currentTarget.value) ?? 'name')
          }
        />
      )}
      <ItemNav label={t('storage.buckets')}>
        {sorted(buckets, sort, usage).map((bucket) => (
          <Link
            key={bucket.id}
            to="/storage"
            search={{ bucket: bucket.id }}
            {...itemLink(bucket.id === openId)}
          >
            <IconBucket size={16} stroke={1.75} aria-hidden />
            <span className={classes.bucket}>
              <ItemName>{bucket.name}</ItemName>
              {usage === undefined ? null : (
                <span className={classes.usage}>{usageOf(usage, (each) => each === bucket.id)}</span>
              )}
            </span>
            {bucket.public ? <Tag tone="warning">{t('storage.public')}</Tag> : null}
          </Link>
        ))}
      </ItemNav>
      {usage === undefined ? (
        sampled.error === null ? null : (
          <p className={classes.total}>{messageOf(sampled.error)}</p>
        )
      ) : (
        <div className={classes.total}>
          <p>
            {t('usage.total')}: {usageOf(usage, () => true)}
          </p>
          {usage.isEstimate ? (
            <>
              <p>{t('usage.estimate-why')}</p>
              <Button
                size="compact-xs"
                variant="default"
                loading={exact.isFetching}
                onClick={() => {
                  if (isExact) void exact.refetch();
                  else setExact(true);
                }}
              >
                {t('usage.exact')}
              </Button>
              {exact.error === null ? null : <p>{messageOf(exact.error)}</p>}
            </>
          ) : null}
        </div>
      )}
    </>
  );
}

const bucketSorts = ['name', 'size', 'created'] as const;
type BucketSort = (typeof bucketSorts)[number];

/** Sorts by name, by size (largest first), or by creation time (newest first). */
function sorted(
  buckets: readonly Bucket[],
  sort: BucketSort,
  usage: StorageUsage | undefined,
): readonly Bucket[] {
  const bytes = new Map(usage?.buckets.map((each) => [each.bucket, each.bytes]));
  const sizeOf = ({ id }: Bucket): number => bytes.get(id) ?? 0;
  return buckets.toSorted((left, right) => {
    const byName = left.name < right.name ? -1 : 1;
    if (sort === 'size') return sizeOf(right) - sizeOf(left) || byName;
    return sort === 'created' ? Date.parse(right.created_at) - Date.parse(left.created_at) || byName : byName;
  });
}

function usageOf({ buckets, isEstimate }: StorageUsage, isCounted: (bucket: string) => boolean): string {
  const counted = buckets.filter(({ bucket }) => isCounted(bucket));
  const files = counted.reduce((sum, each) => sum + each.files, 0);
  const bytes = counted.reduce((sum, each) => sum + each.bytes, 0);
  return t(isEstimate ? 'usage.estimate' : 'usage.files', { files, size: printSize(bytes) });
}
