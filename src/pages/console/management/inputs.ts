/** The schemas of the inputs to the Management API. */
import { z } from 'zod';
import { typeLanguages } from '../../../platform/database/index.ts';

const slug = z.string().max(200);
const functionName = z.string().max(200);

const id = z.uuid();
/** These fields are validated by the auth service. */
const anyFields = z.record(z.string(), z.unknown());

/** A migration that a client sends. Upstream's names for the fields, and the header `Idempotency-Key`. */
const migration = z.object({
  name: z.string().max(200).optional(),
  query: z.string().min(1).max(1_000_000),
  idempotency_key: z.string().min(1).max(200).optional(),
});

/** A bucket and all of its settings. The storage service checks the name. */
const bucket = z.object({
  name: z.string().min(1).max(100),
  public: z.boolean(),
  file_size_limit: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).nullable(),
  allowed_mime_types: z.array(z.string().min(1).max(200)).max(100).nullable(),
});

const settingsText = z.string().max(1_000_000);

/** The maximum length of a file's text, in characters. Seeds and first migrations can contain many rows. */
const maxFileChars = 16 * 1024 * 1024;
const fileText = z
  .string()
  .max(maxFileChars)
  .refine((text) => !text.includes('\0'), 'contains a null character');

const version = z.string().regex(/^\d+$/, 'must consist of digits').max(100);

/** A migration file of a linked project folder. The version and the name are parts of the file's name. */
const migrationFile = z.object({
  version,
  name: z
    .string()
    .max(250)
    .regex(/^[^/\\\p{Cc}]*$/u, "can't contain slashes and control characters"),
  query: fileText,
});

/** The ID or the project ref of a branch. */
const branch = z.object({ id: z.string().max(100) });
/** The name is checked when the branch is created. */
const branchName = z.string().max(200);
const time = z.iso.datetime({ offset: true });

const hostedService = z.enum(['api', 'auth', 'storage']);

export const inputs = {
  listOrganizations: z.object({}),
  getOrganization: z.object({ slug }),
  getProfile: z.object({}),
  listProjects: z.object({}),
  getProject: z.object({}),
  listFunctions: z.object({}),
  getFunction: z.object({ slug }),
  getFunctionFiles: z.object({ slug }),
  deployFunction: z.object({
    slug,
    bundleOnly: z.boolean().default(false),
    metadata: z.object({
      entrypoint_path: z.string(),
      // For a function without an import map, the CLI sends an empty path.
      import_map_path: z.string().nullish(),
      name: functionName.nullish(),
      verify_jwt: z.boolean().nullish(),
    }),
    files: z.array(z.object({ path: z.string(), content: z.instanceof(Buffer) })),
  }),
  createFunction: z.object({
    slug,
    name: functionName.optional(),
    body: z.string(),
    verify_jwt: z.boolean().optional(),
  }),
  activateFunctions: z.object({
    functions: z
      .array(
        z.object({
          id: z.string(),
          slug,
          version: z.number().int(),
          ezbr_sha256: z.string().optional(),
          status: z.string().optional(),
        }),
      )
      .min(1)
      .max(1000),
  }),
  changeFunction: z.object({
    slug,
    name: functionName.optional(),
    body: z.string().optional(),
    verify_jwt: z.boolean().optional(),
  }),
  deleteFunction: z.object({ slug }),
  listSecrets: z.object({}),
  setSecrets: z.object({ secrets: z.array(z.object({ name: z.string(), value: z.string() })).max(1000) }),
  unsetSecrets: z.object({ names: z.array(z.string()).max(1000) }),
  securityAdvisors: z.object({}),
  performanceAdvisors: z.object({}),
  listSsoProviders: z.object({}),
  getSsoProvider: z.object({ id }),
  createSsoProvider: z.object({ provider: anyFields }),
  changeSsoProvider: z.object({ id, changes: anyFields }),
  removeSsoProvider: z.object({ id }),
  pushConfig: z.object({
    /** The text of config.toml. */
    config: settingsText,
    /** The text of plinth.toml. */
    plinth: settingsText.default(''),
    /** The HTML of the email templates to which config.toml refers, by the name of the email. */
    templates: z.record(z.string().max(100), z.string()).default({}),
    dry_run: z.boolean().default(false),
  }),
  listAddons: z.object({}),
  getHostedConfig: z.object({}),
  getHostedService: z.object({ service: hostedService }),
  changeHostedService: z.object({ service: hostedService, fields: anyFields }),
  generateTypes: z.object({
    included_schemas: z.string().max(2000).default('public'),
    language: z.enum(typeLanguages).default('typescript'),
    swift_access_control: z.enum(['internal', 'public']).default('internal'),
  }),
  runQuery: z.object({
    query: z.string().min(1).max(1_000_000),
    parameters: z
      .array(z.unknown())
      .max(65_535)
      .nullish()
      .transform((value) => value ?? []),
    read_only: z
      .boolean()
      .nullish()
      .transform((value) => value === true),
  }),
  listMigrations: z.object({}),
  applyMigration: migration,
  recordMigration: migration,
  pushMigration: migrationFile.extend({ after: z.union([version, z.literal('')]) }),
  listSeeds: z.object({}),
  pushSeed: z.object({
    path: z
      .string()
      .min(1)
      .max(1000)
      .regex(/^\P{Cc}+$/u, "can't contain control characters"),
    query: fileText,
  }),
  pushRoles: z.object({ query: fileText }),
  storeVaultSecrets: z.object({
    secrets: z
      .array(z.object({ name: z.string().min(1).max(1000), value: z.string().max(1_000_000) }))
      .max(1000),
  }),
  getMigration: z.object({ version }),
  readHistory: z.object({}),
  changeHistory: z.object({
    applied: z.array(migrationFile).max(10_000).default([]),
    reverted: z.array(version).max(10_000).default([]),
    is_whole: z.boolean().default(false),
  }),
  runScript: z.object({ query: fileText.min(1), read_only: z.boolean().default(false) }),
  readSchema: z.object({}),
  readReport: z.object({ name: z.string().max(100) }),
  lintDatabase: z.object({ schemas: z.array(z.string().min(1).max(200)).max(1000).default([]) }),
  runTest: z.object({
    shown_path: z.string().min(1).max(1000),
    /** The test file and the files that it includes. */
    texts: z.array(fileText).min(1).max(1000),
    includes: z
      .array(z.object({ from: z.number().int(), name: z.string().max(1000), to: z.number().int() }))
      .max(1000),
    allow_production: z.boolean().default(false),
  }),
  queryLogs: z.object({
    sql: z.string().optional(),
    iso_timestamp_start: z.string().max(100).optional(),
    iso_timestamp_end: z.string().max(100).optional(),
    /** Whether the query comes from `/logs`, which returns times as text. */
    isUnified: z.boolean().default(true),
  }),
  listBuckets: z.object({}),
  saveBucket: bucket,
  listBranches: z.object({}),
  createBranch: z.object({
    branch_name: branchName,
    git_branch: z.string().max(250).optional(),
    with_data: z.boolean().default(false),
    persistent: z.boolean().default(false),
    /** Secrets of the branch's functions. */
    secrets: z.record(z.string().max(200), z.string()).default({}),
    /** Fields that upstream's API doesn't have: whether personal data is replaced, and the time of the backup. */
    mask: z.boolean().optional(),
    from_time: time.optional(),
  }),
  findBranch: z.object({ name: z.string().max(200) }),
  getBranch: branch,
  changeBranch: branch.extend({
    branch_name: branchName.optional(),
    git_branch: z.string().max(250).optional(),
    persistent: z.boolean().optional(),
  }),
  deleteBranch: branch,
  resetBranch: branch.extend({ migration_version: version.optional() }),
  pushBranch: branch,
  mergeBranch: branch.extend({ migration_version: version.optional() }),
  planMerge: branch,
  diffBranch: branch.extend({ included_schemas: z.string().max(2000).default('') }),
  diffBranchData: branch,
  getLegacyKeys: z.object({}),
  listApiKeys: z.object({ reveal: z.boolean().default(false) }),
} as const satisfies Record<string, z.ZodType>;

export type ManagementCallName = keyof typeof inputs;
export type InputOf<Name extends ManagementCallName> = z.output<(typeof inputs)[Name]>;
