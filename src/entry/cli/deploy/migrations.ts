/** Compares migrations and seeds with those that the server has recorded, and pushes the missing ones. */
import { planServerPush, pushToServer } from '../management/push.ts';
import { say } from '../output.ts';
import { type DeployContext, type Part, withoutChanges } from './part.ts';

export async function planMigrations(
  { client, projectDir, config }: DeployContext,
  options: { readonly includeAll: boolean; readonly includeSeed: boolean },
): Promise<Part> {
  const plan = await planServerPush(
    client,
    { config, projectDir, onProgress: say },
    { ...options, includeRoles: false, skipVault: false },
  );
  const { vault, migrations, seeds } = plan;
  if (migrations.length + seeds.length === 0) return withoutChanges();
  return {
    changes: [
      ...migrations.map(({ shownPath }) => `+ ${shownPath}`),
      ...seeds.map(({ shownPath, isChanged }) =>
        isChanged ? `~ ${shownPath} (hash update)` : `+ ${shownPath}`,
      ),
    ],
    notes:
      vault.length === 0
        ? []
        : [`Vault secrets that are set first: ${vault.map(({ name }) => name).join(', ')}`],
    steps: {
      migrations: () => pushToServer(client, plan, { onProgress: say }),
    },
  };
}
