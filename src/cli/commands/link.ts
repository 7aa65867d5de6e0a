import { parseConnectionString } from '../../database/index.ts';
import { type Command, type Input, projectOptions } from '../command.ts';
import { isProjectRef, type LinkedTarget, shownTarget } from '../core/linked-target.ts';
import { hostedTargetOf, removeLink, writeLink } from '../linked.ts';
import { print, say } from '../output.ts';
import { type Place, placeOf } from '../place.ts';

export const link: Command = {
  name: 'link',
  about:
    'Remembers a database for "db push". Nothing is asked of it, and a script that links continues in any case:\n' +
    'Plinth itself needs no link.',
  options: {
    ...projectOptions,
    'db-url': { type: 'string', value: 'URL', help: 'The database, kept in the data folder.' },
    'project-ref': { type: 'string', value: 'REF', help: 'A hosted project instead.' },
    password: { type: 'string', short: 'p', value: 'PASSWORD', help: "Ignored: it isn't kept." },
  },
  examples: [
    ['plinth link --db-url postgresql://postgres:secret@db.example/app', '"plinth db push" then goes there'],
    [
      'plinth link --project-ref abcdefghijklmnopqrst',
      'with SUPABASE_DB_PASSWORD in the environment of "db push"',
    ],
  ],
  run: async (input) => {
    const place = placeOf(input);
    const target = targetOf(input, place);
    if (target === undefined) return 0;
    writeLink(place, target);
    say(`Linked to ${shownTarget(target)}.`);
    print('Finished link.');
    return 0;
  },
};

/** Says why there is none. */
function targetOf(input: Input, place: Place): LinkedTarget | undefined {
  const url = input.text('db-url');
  const ref = input.text('project-ref');
  if (url !== undefined) {
    try {
      parseConnectionString(url);
      return { url };
    } catch (error) {
      say(`Nothing is linked. --db-url: ${(error as Error).message}`);
      return undefined;
    }
  }
  if (ref !== undefined && isProjectRef(ref)) return hostedTargetOf(place, ref);
  say(
    ref === undefined
      ? 'Nothing is linked: name a database with --db-url URL, or a hosted project with --project-ref REF.'
      : `Nothing is linked: ${ref} isn't the reference of a hosted project, which has 20 lowercase letters.`,
  );
  return undefined;
}

export const unlink: Command = {
  name: 'unlink',
  about: 'Forgets what "link" has remembered.',
  options: projectOptions,
  examples: [['plinth unlink', '"plinth db push" then needs --db-url']],
  run: async (input) => {
    say(removeLink(placeOf(input)) ? 'Finished unlink.' : 'Nothing was linked.');
    return 0;
  },
};
