import { IconMapOff } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { t } from '../../text.ts';
import { EmptyState } from '../empty-state.tsx';
import { ProblemBox } from '../problem-box.tsx';
import { SkeletonLines } from './skeleton.tsx';

export function RouteWaiting() {
  return <SkeletonLines lines={6} />;
}

export function RouteFault({ error }: { error: unknown }) {
  return (
    <div style={{ padding: '1rem', maxWidth: '40rem' }}>
      <ProblemBox error={error} title={t('problem.page')} />
    </div>
  );
}

export function RouteMissing() {
  return (
    <>
      <title>{t('app.title', { page: t('missing.title') })}</title>
      <EmptyState isPage icon={<IconMapOff size={22} />} title={t('missing.title')} text={t('missing.text')}>
        <Link to="/">{t('missing.home')}</Link>
      </EmptyState>
    </>
  );
}
