/** Edits a policy above the access check, so that the operator sees the changed result right after saving. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { useMay } from '../../api/session.ts';
import { SidePanel } from '../../components/frame/side-panel.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { lazyPart } from '../../components/lazy-part.ts';
import { MissingNote } from '../../components/missing-note.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { policiesQuery } from '../policies/api.ts';
import { t } from './text.ts';

const PolicyEditor = lazyPart(async () => ({
  default: (await import('../policies/editor.tsx')).PolicyEditor,
}));

export function PolicyPanel({
  table,
  policy,
  onClose,
}: {
  /** The table, as `schema.table`. */
  table: string;
  /** The policy's name, or undefined to create a policy. */
  policy: string | undefined;
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const mayWrite = useMay('write');
  // The policies may have changed since another page read them, and the editor shows only what it starts with.
  const query = useQuery({ ...policiesQuery, staleTime: 0, refetchOnMount: 'always' });
  const { error } = query;
  const data = query.isFetchedAfterMount ? query.data : undefined;
  const opened = data?.tables.find(({ schema, name }) => `${schema}.${name}` === table);
  const found = opened?.policies.find(({ name }) => name === policy);
  // A saved policy may have another name, or may be deleted, until the panel has closed.
  const [isShown, setShown] = useState(false);
  if (found !== undefined && !isShown) setShown(true);
  const title = t(policy === undefined ? 'why.new-policy' : 'why.edit');
  const close = (): void => {
    void queryClient.invalidateQueries({ queryKey: ['why'] });
    onClose();
  };
  if (data === undefined || opened === undefined || (policy !== undefined && found === undefined)) {
    if (isShown) return null;
    return (
      <SidePanel wide title={title} onClose={onClose}>
        {error !== null ? (
          <ProblemBox error={error} />
        ) : data === undefined ? (
          <SkeletonLines lines={8} />
        ) : (
          <MissingNote title={t('why.policy-gone', { policy: policy ?? '', table })} onBack={onClose} />
        )}
      </SidePanel>
    );
  }
  return (
    <Suspense fallback={null}>
      <PolicyEditor table={opened} policy={found} roles={data.roles} mayWrite={mayWrite} onClose={close} />
    </Suspense>
  );
}
