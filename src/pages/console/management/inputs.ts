/** The schemas of the inputs to the Management API. */
import { z } from 'zod';

const slug = z.string().max(200);
const functionName = z.string().max(200);

const id = z.uuid();
/** These fields are validated by the auth service. */
const anyFields = z.record(z.string(), z.unknown());

const hostedService = z.enum(['api', 'auth', 'storage']);

export const inputs = {
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
  pushConfig: z.object({ config: z.string().max(1_000_000), dry_run: z.boolean().default(false) }),
  listAddons: z.object({}),
  getHostedConfig: z.object({}),
  getHostedService: z.object({ service: hostedService }),
  changeHostedService: z.object({ service: hostedService, fields: anyFields }),
  generateTypes: z.object({ included_schemas: z.string().max(2000).default('public') }),
  listApiKeys: z.object({ reveal: z.boolean().default(false) }),
} as const satisfies Record<string, z.ZodType>;

export type ManagementCallName = keyof typeof inputs;
export type InputOf<Name extends ManagementCallName> = z.output<(typeof inputs)[Name]>;
