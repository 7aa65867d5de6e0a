/** The branches page, which lists the copies of the project, and creates, merges and deletes them. */
import { Button } from '@mantine/core';
import { IconGitBranch } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Copyable } from '../../../ui/copyable.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { fetchConsole, useMay } from '../../api/session.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Fact, Facts } from '../../components/facts.tsx';
import { Card, Cards } from '../../components/frame/card.tsx';
import { PageHead } from '../../components/frame/page.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { Moment } from '../../components/moment.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { Tag, type TagTone } from '../../components/tag.tsx';
import { type BranchList, type BranchRow, branchesQuery } from './api.ts';
import { CreateBranch, DeleteBranch, MergeBranch, ResetBranch } from './dialogs.tsx';
import classes from './page.module.css';
import { t } from './text.ts';

export function BranchesPage() {
  const { data, error } = useQuery(branchesQuery);
  const mayWrite = useMay('write');
  const [isCreating, setCreating] = useState(false);
  return (
    <>
      <PageHead title={t('branches.title')}>
        {mayWrite && data?.isAvailable === true ? (
          <Button size="xs" onClick={() => setCreating(true)}>
            {t('branches.create')}
          </Button>
        ) : null}
      </PageHead>
      <Cards>
        {error === null ? null : <ProblemBox error={error} />}
        {data === undefined ? error === null ? <SkeletonLines lines={8} /> : null : <List list={data} />}
      </Cards>
      {isCreating && data !== undefined ? (
        <CreateBranch canCopy={data.canCopy} onClose={() => setCreating(false)} />
      ) : null}
    </>
  );
}

function List({ list: { isAvailable, branches } }: { list: BranchList }) {
  const icon = <IconGitBranch size={22} stroke={1.75} />;
  if (!isAvailable)
    return (
      <EmptyState icon={icon} title={t('branches.unavailable-title')} text={t('branches.unavailable-text')} />
    );
  if (branches.length === 0)
    return <EmptyState icon={icon} title={t('branches.none-title')} text={t('branches.none-text')} />;
  return branches.map((branch) => <Branch key={branch.id} branch={branch} />);
}

const tones: Readonly<Record<BranchRow['state'], TagTone>> = {
  creating: 'info',
  running: 'success',
  idle: 'plain',
  failed: 'danger',
};

const dataOf = ({ withData, isMasked }: BranchRow) =>
  t(withData ? (isMasked ? 'branches.data-masked' : 'branches.data-copy') : 'branches.data-none');

function Branch({ branch }: { branch: BranchRow }) {
  const { name, state, problem, gitBranch, createdAt, createdBy, deletedAt } = branch;
  const isReady = state === 'running' || state === 'idle';
  return (
    <Card title={name} tools={<Tag tone={tones[state]}>{t(`branches.state-${state}`)}</Tag>}>
      <div className={classes.branch}>
        {problem === null ? null : (
          <Notice tone="danger">
            <p>{problem}</p>
          </Notice>
        )}
        <Facts layout="columns">
          <Fact label={t('branches.data')}>{dataOf(branch)}</Fact>
          <Fact label={t('branches.created')}>
            <Moment at={createdAt} relative />
          </Fact>
          <Fact label={t('branches.created-by')}>{createdBy}</Fact>
          {gitBranch === null ? null : <Fact label={t('branches.git')}>{gitBranch}</Fact>}
          <Fact label={t('branches.deleted')}>
            {deletedAt === null ? t('branches.kept') : <Moment at={deletedAt} relative />}
          </Fact>
          {isReady ? (
            <>
              <Fact label={t('branches.url')}>
                <Copyable value={branch.apiUrl} what={t('branches.url')} />
              </Fact>
              <Fact label={t('branches.ref')}>
                <Copyable value={branch.ref} what={t('branches.ref')} />
              </Fact>
            </>
          ) : null}
        </Facts>
        <Actions branch={branch} isReady={isReady} />
      </div>
    </Card>
  );
}

function Actions({ branch: { id, name, state }, isReady }: { branch: BranchRow; isReady: boolean }) {
  const mayWrite = useMay('write');
  const queries = useQueryClient();
  const [dialog, setDialog] = useState<'merge' | 'reset' | 'delete'>();
  const link = useMutation({
    mutationFn: () => fetchConsole('POST /branches/:id/link', { params: { id } }),
    gcTime: 0,
  });
  const rebase = useMutation({
    mutationFn: () => fetchConsole('POST /branches/:id/rebase', { params: { id } }),
    onSettled: () => queries.invalidateQueries({ queryKey: branchesQuery.queryKey }),
  });
  const error = link.error ?? rebase.error;
  const close = () => setDialog(undefined);
  return (
    <>
      {error === null ? null : <ProblemBox error={error} />}
      <div role="status">
        {rebase.data === undefined ? null : (
          <Notice tone="success">{t('branches.rebased', { count: rebase.data.migrations })}</Notice>
        )}
      </div>
      <div className={classes.buttons}>
        {isReady ? (
          link.data === undefined ? (
            <Button
              size="xs"
              variant="default"
              loading={link.isPending}
              aria-label={t('branches.open-name', { name })}
              onClick={() => link.mutate()}
            >
              {t('branches.open')}
            </Button>
          ) : (
            // The link works once, and the browser would block a window that opens after a request.
            <a
              className={classes.link}
              href={link.data.url}
              target="_blank"
              rel="noreferrer"
              onClick={() => setTimeout(() => link.reset())}
            >
              {t('branches.link-ready')}
            </a>
          )
        ) : null}
        {mayWrite ? (
          <>
            {isReady ? (
              <>
                <Button
                  size="xs"
                  variant="default"
                  aria-label={t('branches.merge-name', { name })}
                  onClick={() => setDialog('merge')}
                >
                  {t('branches.merge')}
                </Button>
                <Button
                  size="xs"
                  variant="default"
                  loading={rebase.isPending}
                  aria-label={t('branches.rebase-name', { name })}
                  onClick={() => rebase.mutate()}
                >
                  {t('branches.rebase')}
                </Button>
              </>
            ) : null}
            {state === 'creating' ? null : (
              <Button
                size="xs"
                variant="default"
                aria-label={t('branches.reset-name', { name })}
                onClick={() => setDialog('reset')}
              >
                {t('branches.reset')}
              </Button>
            )}
            <Button
              size="xs"
              variant="default"
              aria-label={t('branches.delete-name', { name })}
              onClick={() => setDialog('delete')}
            >
              {t('branches.delete')}
            </Button>
          </>
        ) : null}
      </div>
      {dialog === 'merge' ? <MergeBranch id={id} name={name} onClose={close} /> : null}
      {dialog === 'reset' ? <ResetBranch id={id} name={name} onClose={close} /> : null}
      {dialog === 'delete' ? <DeleteBranch id={id} name={name} onClose={close} /> : null}
    </>
  );
}
