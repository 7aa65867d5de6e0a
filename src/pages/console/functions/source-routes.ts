/** The routes for the functions' code and activity, and for the secrets that all functions receive. */
import type { GroupState } from '../../../platform/group/types.ts';
import type { FunctionsService } from '../../../services/functions/index.ts';
import type { Audit } from '../audit.ts';
import { ConsoleError } from '../errors.ts';
import type { FunctionFolder } from '../mcp/types.ts';
import type { NodeFunctions } from '../nodes/functions.ts';
import { type Api, fresh } from '../routes/api.ts';
import type { Redact } from './redact.ts';

export interface SourceDeps {
  readonly functions: Pick<
    FunctionsService,
    'describe' | 'deployments' | 'files' | 'readFile' | 'secrets' | 'syntaxFault'
  >;
  /** The folder with the project's functions, in development. */
  readonly folder: FunctionFolder | undefined;
  readonly onNodes: Pick<NodeFunctions, 'activity'>;
  /** Runs a change of secrets or of deployed functions, and stores it for all nodes. */
  readonly change: GroupState['change'];
  readonly redact: Redact;
  readonly audit: Audit;
}

/** The code that saves files, which a start doesn't load. */
const saving = () => import('./save-files.ts');

export function sourceRoutes(api: Api, deps: SourceDeps): void {
  const { functions, onNodes, change, redact, audit } = deps;
  /** The last save. Saves run one after another, because each compares the files before it changes them. */
  let lastSave: Promise<unknown> = Promise.resolve();
  const route = api.feature(() => import('./contract.ts'));

  route('GET /functions/:slug/activity', 'read', async ({ params }) => onNodes.activity(params.slug));
  route('GET /functions/:slug/files', 'read', async ({ params: { slug } }) => ({
    files: functions.files(slug) ?? missing("This function doesn't exist."),
    editing: (await saving()).editingOf(deps, slug),
  }));
  route('PUT /functions/:slug/files', fresh('write'), async (call) => {
    const { slug } = call.params;
    const { files: edited } = await call.body();
    const { editingOf, saveFiles } = await saving();
    const editing = editingOf(deps, slug);
    const save = (): Promise<number | null> => saveFiles(deps, slug, edited);
    const saved = lastSave.then(() => (editing === 'deployment' ? change(save) : save()));
    lastSave = saved.catch(() => undefined);
    const version = await saved;
    await audit(call, editing === 'deployment' ? 'function.deploy' : 'function.save', slug, {
      files: edited.map(({ path }) => path),
      ...(version === null ? {} : { version }),
    });
    return { version };
  });
  route('POST /functions/:slug/check', 'write', async (call) => {
    const { path, text } = await call.body();
    return { fault: (await functions.syntaxFault(path, text)) ?? null };
  });
  route('GET /functions/:slug/file', 'read', async (call) => {
    const { path } = await call.query();
    const file = await functions.readFile(call.params.slug, path);
    const { text, isText, isCut, revision } = file ?? missing("This function doesn't contain this file.");
    const shown = redact(text);
    // Saving a text in which secrets are masked would replace them.
    return { text: shown, isText, isCut, revision: shown === text ? revision : null };
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
