import { createInterface } from 'node:readline/promises';
import { isLoopbackName } from '../../../base/kernel/request-origin.ts';
import { isAccessToken } from '../../../base/shared/access-token.ts';
import { parseConnectionString } from '../../../platform/database/index.ts';
import { type Command, type Input, projectOptions, UsageError } from '../command.ts';
import { CommandError } from '../errors.ts';
import {
  hostedTargetOf,
  isProjectRef,
  type LinkedTarget,
  removeLink,
  removeLinkedDatabase,
  shownTarget,
  writeLink,
} from '../linked.ts';
import { findRemote } from '../management/client.ts';
import { invalidToken, removeRemote, tokenInEnvironment, writeRemote } from '../management/target.ts';
import { print, say } from '../output.ts';
import { locationOf, type ProjectLocation } from '../project-location.ts';

export const link: Command = {
  name: 'link',
  takes: '[URL]',
  about:
    'Links this project to a Plinth server, which is then the target of commands with --linked. URL is the\n' +
    "address of the server's Console. The access token is read from --token, PLINTH_ACCESS_TOKEN or\n" +
    "SUPABASE_ACCESS_TOKEN, or the command prompts for it. A token from the environment isn't saved.\n\n" +
    'With --db-url or --project-ref, saves a database as the target of database commands such as "db push",\n' +
    'without connecting to it. The link that was made last is the target of these commands.\n' +
    'Plinth itself doesn\'t require a link, so scripts that run "link" continue even if nothing was linked.',
  options: {
    ...projectOptions,
    token: {
      type: 'string',
      value: 'TOKEN',
      help: "An operator's access token. It's stored in the data folder.",
    },
    'db-url': { type: 'string', value: 'URL', help: "Database URL. It's stored in the data folder." },
    'project-ref': { type: 'string', value: 'REF', help: 'Hosted project to link instead.' },
    password: { type: 'string', short: 'p', value: 'PASSWORD', help: "Ignored. Passwords aren't stored." },
  },
  examples: [
    [
      'plinth link https://console.example',
      'makes this server the target of "plinth db push" and "plinth functions deploy --linked"',
    ],
    [
      'plinth link --db-url postgresql://postgres:secret@db.example/app',
      'makes this database the target of "plinth db push"',
    ],
    [
      'plinth link --project-ref abcdefghijklmnopqrst',
      'requires SUPABASE_DB_PASSWORD in the environment of "db push"',
    ],
  ],
  run: async (input) => {
    const location = locationOf(input);
    const [url] = input.positionals;
    if (url !== undefined) return await linkServer(url, input, location);
    const target = targetOf(input, location);
    if (target === undefined) return 0;
    writeLink(location, target);
    say(`Linked to ${shownTarget(target)}.`);
    print('Finished link.');
    return 0;
  },
};

async function linkServer(text: string, input: Input, location: ProjectLocation): Promise<number> {
  for (const name of ['db-url', 'project-ref'])
    if (input.text(name) !== undefined)
      throw new UsageError(`--${name} can't be used with the URL of a server`);
  const url = serverUrl(text);
  const given = input.text('token');
  const inEnvironment = given === undefined ? tokenInEnvironment() : undefined;
  const token = given ?? inEnvironment ?? (await askForToken());
  if (!isAccessToken(token)) throw new CommandError(invalidToken);
  const { ref, name } = await findRemote(url, token);
  writeRemote(location, { url, ref, name, ...(inEnvironment === undefined ? { token } : {}) });
  if (removeLinkedDatabase(location))
    say('The link to a database was removed. Database commands with --linked now use the server.');
  say(`Linked to ${name} (${ref}) at ${url}.`);
  print('Finished link.');
  return 0;
}

/**
 * Returns the origin of the server.
 *
 * @throws {UsageError} if the token would be sent over an unencrypted network connection
 */
function serverUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new UsageError(`${text} isn't the URL of a server, such as https://console.example`);
  if (url.protocol === 'http:' && !isLoopbackName(url.hostname.replace(/^\[|\]$/g, '')))
    throw new UsageError(
      `${text} must use https, because the access token would otherwise be sent unencrypted`,
    );
  return url.origin;
}

async function askForToken(): Promise<string> {
  if (!process.stdin.isTTY)
    throw new CommandError(
      'An access token is required.',
      'Use --token TOKEN or PLINTH_ACCESS_TOKEN. Create a token on the Operators page of the server\'s Console, or with "plinth operators token create NAME" on the server.',
    );
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (
      await terminal.question('Access token (create one on the Operators page of the Console): ')
    ).trim();
  } finally {
    terminal.close();
  }
}

/** Returns the database. If the options don't specify a valid database, prints the reason and returns undefined. */
function targetOf(input: Input, location: ProjectLocation): LinkedTarget | undefined {
  const url = input.text('db-url');
  const ref = input.text('project-ref');
  if (url !== undefined) {
    try {
      parseConnectionString(url);
      return { url };
    } catch (error) {
      say(`No database was linked. --db-url: ${(error as Error).message}`);
      return undefined;
    }
  }
  if (ref !== undefined && isProjectRef(ref)) return hostedTargetOf(location, ref);
  say(
    ref === undefined
      ? 'No database was linked. Specify a database with --db-url URL, or a hosted project with --project-ref REF.'
      : `No database was linked. ${ref} isn't a project ref. A project ref consists of 20 lowercase letters.`,
  );
  return undefined;
}

export const unlink: Command = {
  name: 'unlink',
  about: 'Removes the links to a server and to a database, and the saved access token.',
  options: projectOptions,
  examples: [['plinth unlink', '"plinth db push" then requires --db-url']],
  run: async (input) => {
    const location = locationOf(input);
    const removed = [removeRemote(location), removeLink(location)];
    say(removed.includes(true) ? 'Finished unlink.' : 'No server or database was linked.');
    return 0;
  },
};
