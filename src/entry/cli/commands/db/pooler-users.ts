import { writeFileSync } from 'node:fs';
import { ConfigError, loadConfig, shellEnvironment } from '../../../../platform/config/index.ts';
import { type Command, projectOptions, UsageError } from '../../command.ts';
import { printData, say } from '../../output.ts';
import { locationOf, type ProjectLocation } from '../../project-location.ts';

export const dbPoolerUsers: Command = {
  name: 'db pooler-users',
  about:
    "Prints the users that Plinth signs in as through a pooler, in the format of PgBouncer's userlist.txt. Doesn't\n" +
    'connect to a server. The file contains SCRAM verifiers, so it must be readable only by PgBouncer.',
  options: {
    ...projectOptions,
    'database-url': {
      type: 'string',
      value: 'URL',
      help: 'URL of the PostgreSQL server itself, with the password of the account.',
    },
    file: {
      type: 'string',
      short: 'f',
      value: 'FILE',
      help: 'Writes to this file, which only you can read.',
    },
  },
  examples: [
    [
      'plinth db pooler-users --database-url postgresql://app@db.internal/app -f userlist.txt',
      "writes the file for PgBouncer's auth_file",
    ],
  ],
  run: async (input) => {
    const url = input.text('database-url');
    if (url === undefined) throw new UsageError('--database-url is required');
    const { poolerUsers } = await import('../../../../platform/database/index.ts');
    const text = await poolerUsers(url, {
      sharedPassword: hasSharedPassword(locationOf(input)),
      environment: shellEnvironment(),
    });
    const file = input.text('file');
    if (file === undefined) {
      printData(text);
      return 0;
    }
    writeFileSync(file, text, { mode: 0o600 });
    say(`Wrote ${file}`);
    return 0;
  },
};

function hasSharedPassword({ projectDir }: ProjectLocation): boolean {
  try {
    return loadConfig({ projectDir }).config.plinth.database.shared_password;
  } catch (error) {
    // The command also works outside a project folder.
    if (error instanceof ConfigError) return false;
    throw error;
  }
}
