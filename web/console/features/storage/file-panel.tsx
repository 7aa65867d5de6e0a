/** A file's preview, details, links and actions. */
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { IconArrowsMove, IconCopy, IconDownload, IconLink, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { Copyable } from '../../../ui/copyable.tsx';
import { fetchConsole, useMay } from '../../api/session.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Fact, Facts } from '../../components/facts.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { SidePanel } from '../../components/frame/side-panel.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { JsonBlock } from '../../components/json-block.tsx';
import { Moment } from '../../components/moment.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import {
  type Bucket,
  type FileInfo,
  fileQuery,
  filesKey,
  refreshFiles,
  type StorageOverview,
} from './api.ts';
import classes from './file-panel.module.css';
import { Preview } from './preview.tsx';
import { printSize } from './sizes.ts';
import { t } from './text.ts';

const route = getRouteApi('/app/storage');

interface FileProps {
  readonly bucket: Bucket;
  readonly facts: StorageOverview;
  readonly path: string;
  readonly onClose: () => void;
}

export function FilePanel(props: FileProps) {
  const { bucket, path, onClose } = props;
  const { data, error } = useQuery(fileQuery(bucket.id, path));
  return (
    <SidePanel title={path.slice(path.lastIndexOf('/') + 1)} onClose={onClose} wide>
      {error === null ? null : <ProblemBox error={error} />}
      {data === undefined ? (
        error === null ? (
          <SkeletonLines lines={8} />
        ) : null
      ) : (
        <Details {...props} info={data} />
      )}
    </SidePanel>
  );
}

function Details({ bucket, facts, path, info, onClose }: FileProps & { info: FileInfo }) {
  const mayWrite = useMay('write');
  const navigate = route.useNavigate();
  const queryClient = useQueryClient();
  const [dialog, setDialog] = useState<'share' | 'move' | 'copy' | 'delete'>();
  const close = (): void => setDialog(undefined);
  const remove = useMutation({
    mutationFn: () =>
      fetchConsole('POST /storage/buckets/:bucket/remove', {
        params: { bucket: bucket.id },
        body: { paths: [path] },
      }),
    onSuccess: async () => {
      onClose();
      queryClient.removeQueries({ queryKey: fileQuery(bucket.id, path).queryKey });
      await refreshFiles(queryClient, filesKey(bucket.id));
    },
  });
  const name = path.slice(path.lastIndexOf('/') + 1);
  return (
    <div className={classes.details}>
      <div className={classes.actions}>
        <Button
          component="a"
          size="compact-sm"
          variant="default"
          href={`${info.link}&download=${encodeURIComponent(name)}`}
          leftSection={<IconDownload size={15} aria-hidden />}
        >
          {t('file.download')}
        </Button>
        {mayWrite ? (
          <>
            <Action icon={<IconLink size={15} aria-hidden />} onClick={() => setDialog('share')}>
              {t('file.share')}
            </Action>
            <Action icon={<IconArrowsMove size={15} aria-hidden />} onClick={() => setDialog('move')}>
              {t('file.move')}
            </Action>
            <Action icon={<IconCopy size={15} aria-hidden />} onClick={() => setDialog('copy')}>
              {t('file.copy')}
            </Action>
            <Action icon={<IconTrash size={15} aria-hidden />} onClick={() => setDialog('delete')} isDanger>
              {t('files.delete')}
            </Action>
          </>
        ) : null}
      </div>
      <Preview info={info} name={name} />
      <Facts>
        <Fact label={t('files.path')}>
          <Copyable value={path} what={t('files.path')} />
        </Fact>
        <Fact label={t('file.type')}>{info.content_type ?? ''}</Fact>
        <Fact label={t('files.size')}>{info.size === null ? '' : printSize(info.size)}</Fact>
        <Fact label={t('file.created')}>
          {info.created_at === null ? '' : <Moment at={info.created_at} />}
        </Fact>
        <Fact label={t('files.changed')}>
          {info.last_modified === null ? '' : <Moment at={info.last_modified} />}
        </Fact>
        {bucket.public ? (
          <Fact label={t('file.public-address')}>
            <Copyable value={publicAddress(facts.url, bucket.id, path)} what={t('file.public-address')} />
          </Fact>
        ) : null}
      </Facts>
      {info.metadata !== null && Object.keys(info.metadata).length > 0 ? (
        <section>
          <h3 className={classes.title}>{t('file.metadata')}</h3>
          <JsonBlock value={info.metadata} what={t('file.metadata')} />
        </section>
      ) : null}
      {dialog === 'share' ? <Share bucket={bucket} path={path} onClose={close} /> : null}
      {dialog === 'move' || dialog === 'copy' ? (
        <Relocate
          verb={dialog}
          bucket={bucket}
          facts={facts}
          path={path}
          onClose={close}
          onDone={(toBucket, to) => {
            close();
            const folder = to.slice(0, to.lastIndexOf('/') + 1);
            void navigate({
              search: { bucket: toBucket, file: to, ...(folder === '' ? {} : { folder }) },
            });
          }}
        />
      ) : null}
      {dialog === 'delete' ? (
        <Confirm
          title={t('file.delete-title', { name })}
          action={t('files.delete')}
          isBusy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={close}
        >
          <p>{path}</p>
        </Confirm>
      ) : null}
    </div>
  );
}

const publicAddress = (url: string, bucket: string, path: string): string =>
  `${url}/object/public/${[bucket, ...path.split('/')].map(encodeURIComponent).join('/')}`;

function Action({
  icon,
  isDanger = false,
  onClick,
  children,
}: {
  icon: ReactNode;
  isDanger?: boolean;
  onClick: () => void;
  children: ReactNode;
}) {
  return (
    <Button
      size="compact-sm"
      variant={isDanger ? 'light' : 'default'}
      {...(isDanger ? { color: 'red' } : {})}
      leftSection={icon}
      onClick={onClick}
    >
      {children}
    </Button>
  );
}

const shareHours = [1, 24, 7 * 24, 30 * 24] as const;

function Share({ bucket, path, onClose }: { bucket: Bucket; path: string; onClose: () => void }) {
  const [hours, setHours] = useState('24');
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: () =>
      fetchConsole('POST /storage/buckets/:bucket/share-link', {
        params: { bucket: bucket.id },
        body: { path, seconds: Number(hours) * 3600 },
      }),
  });
  return (
    <FormDialog
      title={t('file.share')}
      action={t('file.share-make')}
      isBusy={isPending}
      error={error}
      isDone={data !== undefined}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <p>{t('file.share-text')}</p>
      <NativeSelect
        label={t('file.share-for')}
        data-autofocus
        value={hours}
        onChange={(event) => setHours(event.currentTarget.value)}
        data={shareHours.map((choice) => ({
          value: String(choice),
          label:
            choice < 24
              ? t('file.share-hours', { hours: choice })
              : t('file.share-days', { days: choice / 24 }),
        }))}
      />
      <div role="status">
        {data === undefined ? null : <Copyable value={data.link} what={t('file.share')} />}
      </div>
    </FormDialog>
  );
}

function Relocate({
  verb,
  bucket,
  facts,
  path,
  onClose,
  onDone,
}: {
  verb: 'move' | 'copy';
  bucket: Bucket;
  facts: StorageOverview;
  path: string;
  onClose: () => void;
  onDone: (bucket: string, path: string) => void;
}) {
  const queryClient = useQueryClient();
  const [to, setTo] = useState(path);
  const [toBucket, setToBucket] = useState(bucket.id);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      fetchConsole(`POST /storage/buckets/:bucket/${verb}`, {
        params: { bucket: bucket.id },
        body: { from: path, to, bucket: toBucket },
      }),
    onSuccess: async () => {
      onDone(toBucket, to);
      await refreshFiles(queryClient, ['files']);
    },
  });
  return (
    <FormDialog
      title={t(verb === 'move' ? 'file.move' : 'file.copy')}
      action={t(verb === 'move' ? 'file.move' : 'file.copy')}
      isBusy={isPending}
      error={error}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <TextInput
        label={t('file.new-path')}
        required
        autoComplete="off"
        data-autofocus
        value={to}
        onChange={(event) => setTo(event.currentTarget.value)}
      />
      <NativeSelect
        label={t('file.to-bucket')}
        value={toBucket}
        onChange={(event) => setToBucket(event.currentTarget.value)}
        data={facts.buckets.map(({ id, name }) => ({ value: id, label: name }))}
      />
    </FormDialog>
  );
}
