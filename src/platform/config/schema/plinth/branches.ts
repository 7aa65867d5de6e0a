/** The settings of branches, which are copies of the project. */
import {
  boolean,
  duration,
  integer,
  liveSection,
  names,
  oneOf,
  optionalInteger,
  section,
  text,
} from '../define.ts';

const dayMs = 24 * 60 * 60 * 1000;

export const branches = liveSection(
  'Branches, which are copies of this project with their own URL and keys.',
  {
    max: integer(10, 'Maximum number of branches. With 0, no branches can be created.', { max: 1000 }),
    max_running: optionalInteger(
      'Maximum number of branches that run at the same time.',
      { min: 1, max: 100 },
      {
        defaultText: '1 per GiB of memory, at least 1 and at most 8',
      },
    ),
    idle_timeout: duration(
      5 * 60 * 1000,
      'Time without connections after which a branch stops. Its next connection starts it again.',
    ),
    delete_after: duration(
      7 * dayMs,
      'Time without connections after which a branch is deleted, unless it is persistent. With `0s`, branches are never deleted automatically.',
    ),
    host: text(
      '127.0.0.1',
      'Address on which the APIs of branches listen. Their Consoles and databases always listen on loopback.',
    ),
    mask: section('Replacing personal data in new branches that contain a copy of the data.', {
      enabled: boolean(
        false,
        'Replaces personal data unless the request says otherwise. Emails, phone numbers, names and passwords of users are always part of it.',
      ),
      columns: names(
        'COLUMN',
        'Additional columns, such as `"public.profiles.full_name"`, and how each is replaced. Equal values get equal replacements.',
        oneOf('text', ['email', 'name', 'phone', 'null'], 'Kind of the replacement.'),
        { pattern: /^[^.\s]+\.[^.\s]+\.[^.\s]+$/ },
      ),
    }),
  },
);
