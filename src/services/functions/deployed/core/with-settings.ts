/** Determines the settings of a version when the version becomes current. */
import type { DeployedVersion, Deployment } from '../types.ts';

/** The settings that a deployment specified. The function's current version provides all other settings. */
export type GivenSettings = Pick<Deployment, 'name' | 'verifyJwt'>;

/** A version without the settings that the current version provides. */
export type StoredVersion = Omit<DeployedVersion, 'name' | 'verifyJwt'>;

/**
 * Completes a version. The version keeps its number unless the current version has the same or a higher number, because
 * the numbers of a function never decrease.
 */
export function withSettings(
  version: StoredVersion,
  given: GivenSettings,
  current: DeployedVersion | undefined,
): DeployedVersion {
  return {
    ...version,
    id: current?.id ?? version.id,
    name: given.name ?? current?.name ?? version.slug,
    version: Math.max(version.version, (current?.version ?? 0) + 1),
    verifyJwt: given.verifyJwt ?? current?.verifyJwt ?? true,
    createdAt: current?.createdAt ?? version.createdAt,
  };
}
