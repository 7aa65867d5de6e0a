/**
 * The Management API's operations for the project itself: its organization, keys, types, buckets and logs. A Plinth
 * server has exactly one project, which belongs to the organization `plinth`.
 */
import { projectRefOf } from '../../../base/shared/project-ref.ts';
import type { LiveConfig } from '../../../platform/config/index.ts';
import { generateTypes } from '../../../platform/database/index.ts';
import type { Database } from '../../../platform/database/types.ts';
import type { Keys } from '../../../platform/keys/types.ts';
import type { Audit } from '../audit.ts';
import { may } from '../core/roles.ts';
import { createRedact, redactAll } from '../functions/redact.ts';
import type { NodeLogs } from '../nodes/logs.ts';
import type { ServiceClient } from '../service-client.ts';
import { createStorageObjects } from '../storage/objects.ts';
import { apiKeyFields } from './core/render.ts';
import { asManagementError, detailOf, type Handlers, ManagementError } from './handlers.ts';

export interface ProjectCallDeps {
  readonly database: Pick<Database, 'info'>;
  readonly config: LiveConfig;
  readonly keys: Keys;
  readonly apiUrl: () => string;
  /** When the project was created, in milliseconds since the epoch. */
  readonly createdAt: () => number;
  readonly callService: ServiceClient;
  readonly logs: Pick<NodeLogs, 'list'>;
  /** Returns the current time, in milliseconds since the epoch. */
  readonly now: () => number;
  readonly audit: Audit;
}

const organization = { id: 'plinth', slug: 'plinth', name: 'Plinth' };

export function projectCalls(deps: ProjectCallDeps) {
  const { config, database, keys, apiUrl, createdAt, callService, audit } = deps;
  const objects = createStorageObjects(callService, apiUrl);
  const listBuckets = async () =>
    (await callService('/storage/v1/bucket')).body as unknown as readonly Record<string, unknown>[];
  const project = () => {
    const { project_id: name } = config.current;
    const ref = projectRefOf(name);
    const version = database.info.serverVersion;
    return {
      id: ref,
      ref,
      organization_id: organization.id,
      organization_slug: organization.slug,
      name,
      region: 'local',
      status: 'ACTIVE_HEALTHY',
      created_at: new Date(createdAt()).toISOString(),
      database: {
        host: new URL(apiUrl()).hostname,
        version: `${Math.trunc(version / 10_000)}.${version % 10_000}`,
        postgres_engine: String(Math.trunc(version / 10_000)),
        release_channel: 'ga',
      },
      /** A field that upstream's API doesn't have. */
      api_url: apiUrl(),
    };
  };
  return {
    listOrganizations: ['read', () => [organization]],
    getOrganization: [
      'read',
      ({ slug }) => {
        if (slug !== organization.slug) throw new ManagementError(404, 'Organization not found');
        return { ...organization, plan: 'free', opt_in_tags: [], allowed_release_channels: ['ga'] };
      },
    ],
    getProfile: [
      'read',
      (_input, { operator }) => ({
        gotrue_id: operator.id ?? '',
        primary_email: '',
        username: operator.name,
      }),
    ],
    listProjects: ['read', () => [project()]],
    getProject: ['read', () => project()],
    generateTypes: [
      'read',
      async ({ included_schemas, language, swift_access_control: swiftAccess }) => {
        const schemas = included_schemas.split(',').flatMap((name) => name.trim() || []);
        return { types: await generateTypes(database.info.url, schemas, { language, swiftAccess }) };
      },
    ],
    listApiKeys: [
      'read',
      async ({ reveal }, caller) => {
        const reveals = reveal && may(caller.operator.role, 'own');
        if (reveals) await audit(caller, 'key.reveal', 'all', detailOf(caller));
        return apiKeyFields(keys, reveals);
      },
    ],
    getLegacyKeys: ['read', () => ({ enabled: true })],
    listBuckets: [
      'read',
      async () =>
        (await listBuckets()).map((bucket) => ({
          id: bucket.id,
          name: bucket.name,
          owner: bucket.owner ?? '',
          created_at: bucket.created_at,
          updated_at: bucket.updated_at,
          public: bucket.public,
          // Fields that upstream's API doesn't have.
          file_size_limit: bucket.file_size_limit,
          allowed_mime_types: bucket.allowed_mime_types,
        })),
    ],
    saveBucket: [
      'write',
      async ({ name, ...settings }, caller) => {
        const exists = (await listBuckets()).some((bucket) => bucket.name === name);
        try {
          if (exists) await objects.updateBucket(name, settings);
          else await objects.createBucket({ name, ...settings });
        } catch (error) {
          throw asManagementError(error);
        }
        const change = exists ? 'bucket.update' : 'bucket.create';
        await audit(caller, change, name, { ...settings, ...detailOf(caller) });
        return { name };
      },
    ],
    queryLogs: [
      'read',
      async ({ sql, iso_timestamp_start: start, iso_timestamp_end: end, isUnified }) => {
        const { queryLogs, windowOf } = await import('./logs/query-logs.ts');
        const now = deps.now();
        const redact = createRedact(keys);
        return await queryLogs(deps.logs, {
          sql,
          window: windowOf({ start, end }, now),
          masked: (value) => redactAll(value, redact),
          timestamps: isUnified ? 'iso' : 'microseconds',
          now,
        });
      },
    ],
  } satisfies Partial<Handlers>;
}
