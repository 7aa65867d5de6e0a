/** The sections about domains, single sign-on and provisioning, which load separately from the organization. */
import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { ApiError } from '../../lib/api.ts';
import { LoadFailed } from '../security/card.tsx';
import { ConnectionSection } from './connection.tsx';
import { DomainsSection } from './domains.tsx';
import { HistorySection } from './history.tsx';
import { useOrganization } from './parts.tsx';
import { ProvisioningSection } from './provisioning.tsx';
import { loadSso } from './sso-data.ts';

export function SsoSections() {
  const { organization } = useOrganization();
  const loaded = useQuery({
    queryKey: ['organization-sso', organization.id],
    queryFn: () => loadSso(organization.id),
  });
  const { refetch, data: sso, error } = loaded;
  const reload = useCallback(async () => {
    await refetch();
  }, [refetch]);
  // A database of the hosted service has no tables for this.
  if (error instanceof ApiError && error.code === 'feature_disabled') return null;
  if (loaded.isError && sso === undefined) return <LoadFailed onAgain={() => void refetch()} />;
  if (sso === undefined) return null;
  return (
    <>
      <DomainsSection domains={sso.domains} reload={reload} />
      <ConnectionSection sso={sso} reload={reload} />
      <ProvisioningSection sso={sso} reload={reload} />
      <HistorySection changes={sso.events} />
    </>
  );
}
