import { parseConnectionString } from '../../database/index.ts';
import { type Command, type Input, projectOptions } from '../command.ts';
import { isProjectRef, type LinkedTarget, shownTarget } from '../core/linked-target.ts';
import { hostedTargetOf, removeLink, writeLink } from '../linked.ts';
import { print, say } from '../output.ts';
import { locationOf, type ProjectLocation } from '../project-location.ts';

export const link: Command = {
  name: 'link',
  about:
    'Saves a database as the target of "db push" without connecting to it. Plinth itself doesn\'t require a link, so scripts\n' +
    'that run "link" continue even if nothing was linked.',
  options: {
    ...projectOptions,
    'db-url': { type: 'string', value: 'URL', help: "Database URL. It's stored in the data folder." },
    'project-ref': { type: 'string', value: 'REF', help: 'Hosted project to link instead.' },
    password: { type: 'string', short: 'p', value: 'PASSWORD', help: "Ignored. Passwords aren't stored." },
  },
  examples: [
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
    const target = targetOf(input, location);
    if (target === undefined) return 0;
    writeLink(location, target);
    say(`Linked to ${shownTarget(target)}.`);
    print('Finished link.');
    return 0;
  },
};

/** Returns the target, or prints why it is missing. */
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
  about: 'Removes the link.',
  options: projectOptions,
  examples: [['plinth unlink', '"plinth db push" then requires --db-url']],
  run: async (input) => {
    say(removeLink(locationOf(input)) ? 'Finished unlink.' : 'No database was linked.');
    return 0;
  },
};
