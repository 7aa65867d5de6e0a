/** The routes for the functions' code and activity, and for the secrets that all functions receive. */
import type { GroupState } from '../../../platform/group/types.ts';
import type { FunctionsService } from '../../../services/functions/index.ts';
import type { Audit } from '../audit.ts';
import { ConsoleError } from '../errors.ts';
import type { NodeFunctions } from '../nodes/functions.ts';
import { type Api, fresh } from '../routes/api.ts';
import type { Redact } from './redact.ts';

export interface SourceDeps {
  readonly functions: Pick<FunctionsService, 'files' | 'readFile' | 'secrets'>;
  readonly onNodes: Pick<NodeFunctions, 'activity'>;
  /** Runs a change of the secrets, and stores it for all nodes. */
  readonly change: GroupState['change'];
  readonly redact: Redact;
  readonly audit: Audit;
}

export function sourceRoutes(api: Api, { functions, onNodes, change, redact, audit }: SourceDeps): void {
  const route = api.feature(() => import('./contract.ts'));

  route('GET /functions/:slug/activity', 'read', async ({ params }) => onNodes.activity(params.slug));
  route('GET /functions/:slug/files', 'read', async ({ params }) => ({
    files: functions.files(params.slug) ?? missing("This function doesn't exist."),
  }));
  route('GET /functions/:slug/file', 'read', async (call) => {
    const { path } = await call.query();
    const file = await functions.readFile(call.params.slug, path);
    const { text, isText, isCut } = file ?? missing("This function doesn't contain this file.");
    return { text: redact(text), isText, isCut };
  });

  route('GET /function-secrets', 'read', async () => ({
    secrets: functions.secrets.list().map(({ name, updatedAt }) => ({ name, updatedAt })),
  }));
  route('POST /function-secrets', fresh('write'), async (call) => {
    const { name, value } = await call.body();
    try {
      await change(() => functions.secrets.set([{ name, value }]));
    } catch (error) {
      if ((error as Error).name !== 'DeployError') throw error;
      throw new ConsoleError('bad_request', { message: (error as Error).message }, { cause: error });
    }
    await audit(call, 'secret.set', name);
  });
  route('DELETE /function-secrets/:name', fresh('write'), async (call) => {
    const { name } = call.params;
    if (!functions.secrets.list().some((secret) => secret.name === name))
      missing("This secret isn't set here. Remove it from the file that sets it.");
    await change(() => functions.secrets.unset([name]));
    await audit(call, 'secret.unset', name);
  });
}

function missing(message: string): never {
  throw new ConsoleError('not_found', { message });
}
